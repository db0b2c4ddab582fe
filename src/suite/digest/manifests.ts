import { isRecord, present, showName, startOf, withoutByteOrderMark } from '../../core/internal/index.ts';
import { clean } from './clean.ts';
import type { DigestCommand, DigestManifest } from './workspace-digest.ts';

/** What a manifest says; all of its texts are clean. */
type ManifestContent = Pick<DigestManifest, 'name' | 'commands'>;

/** Lines of a manifest that are looked at. */
const maxLines = 5000;
/** Characters of one line that are looked at. */
const maxLineCharacters = 500;

/**
 * Readers of manifests by file name. Only JSON is parsed; the others are scanned line by line for what is on a line of its own.
 * What a reader does not understand it leaves out.
 */
const readers: ReadonlyMap<string, (text: string) => ManifestContent> = /* @__PURE__ */ new Map([
  ['package.json', readPackageJson],
  ['Makefile', readMakefile],
  ['makefile', readMakefile],
  ['GNUmakefile', readMakefile],
  ['justfile', readJustfile],
  ['Justfile', readJustfile],
  ['pyproject.toml', readPyproject],
  ['Cargo.toml', readCargo],
  ['go.mod', readGoMod],
]);

/** Whether a file of this name is read for commands. */
export function isManifest(fileName: string): boolean {
  return readers.has(fileName);
}

/** The commands of a manifest; undefined for a file that is not one. */
export function readManifest(path: string, text: string, maxCommands: number): DigestManifest | undefined {
  const content = readers.get(path.slice(path.lastIndexOf('/') + 1))?.(withoutByteOrderMark(text));
  if (content === undefined) return undefined;
  const { name, commands } = content;
  return {
    path: clean(path),
    ...present({ name: name === undefined || name === '' ? undefined : clean(name) }),
    commands: commands.slice(0, maxCommands),
    omitted: Math.max(0, commands.length - maxCommands),
  };
}

function command(tool: string, name: string, runs?: string): DigestCommand {
  const cleaned = clean(runs ?? '');
  return {
    command: `${tool}${tool === '' ? '' : ' '}${showName(clean(name))}`,
    ...present({ runs: cleaned === '' ? undefined : cleaned }),
  };
}

function readPackageJson(text: string): ManifestContent {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { commands: [] };
  }
  if (!isRecord(parsed)) return { commands: [] };
  const { name, scripts } = parsed;
  const commands = Object.entries(isRecord(scripts) ? scripts : {}).flatMap(([script, runs]) =>
    typeof runs === 'string' ? [command('npm run', script, runs)] : [],
  );
  return { ...present({ name: typeof name === 'string' ? name : undefined }), commands };
}

function linesOf(text: string): readonly string[] {
  return text
    .split('\n', maxLines)
    .map((line) => startOf(line.endsWith('\r') ? line.slice(0, -1) : line, maxLineCharacters));
}

function named(tool: string, names: Iterable<string>): readonly DigestCommand[] {
  return Array.from(new Set(names), (name) => command(tool, name));
}

/** Targets that are written out, without patterns, variables and special targets. */
function readMakefile(text: string): ManifestContent {
  const targets = linesOf(text).flatMap((line) => {
    const found = /^([A-Za-z0-9_][\w./ -]{0,200}?)[ \t]*::?(?![=:])/.exec(line);
    return found?.[1] === undefined ? [] : found[1].split(' ').filter((name) => name !== '');
  });
  return { commands: named('make', targets) };
}

/** Public recipes. */
function readJustfile(text: string): ManifestContent {
  const recipes = linesOf(text).flatMap((line) => {
    const found = /^@?([A-Za-z][\w-]{0,100})(?:[ \t][^:#]{0,400})?:(?!=)/.exec(line);
    return found?.[1] === undefined || /^(?:alias|export|set|import|mod)[ \t]/.test(line) ? [] : [found[1]];
  });
  return { commands: named('just', recipes) };
}

/** A line `key = "value"` of TOML within a table. */
interface TomlEntry {
  readonly table: string;
  readonly key: string;
  readonly value: string;
}

/** The plain text values of TOML that are on one line. Anything else is left out. */
function tomlEntries(text: string): readonly TomlEntry[] {
  const entries: TomlEntry[] = [];
  let table = '';
  for (const line of linesOf(text)) {
    const heading = /^[ \t]*(\[\[?)[ \t]*([\w.-]{1,100})[ \t]*\]/.exec(line);
    if (heading !== null) {
      table = heading[2] ?? '';
      continue;
    }
    const entry = /^[ \t]*"?([\w-]{1,100})"?[ \t]*=[ \t]*(?:"([^"\\]{0,400})"|'([^']{0,400})')/.exec(line);
    if (entry !== null) entries.push({ table, key: entry[1] ?? '', value: entry[2] ?? entry[3] ?? '' });
  }
  return entries;
}

function valueIn(entries: readonly TomlEntry[], tables: readonly string[], key: string): string | undefined {
  return entries.find((entry) => tables.includes(entry.table) && entry.key === key)?.value;
}

function readPyproject(text: string): ManifestContent {
  const entries = tomlEntries(text);
  const scripts = ['project.scripts', 'tool.poetry.scripts', 'tool.pdm.scripts'];
  const commands = entries
    .filter(({ table }) => scripts.includes(table))
    .map(({ key, value }) => command('', key, value));
  return { ...present({ name: valueIn(entries, ['project', 'tool.poetry'], 'name') }), commands };
}

/** Cargo has the same commands for every package. */
function readCargo(text: string): ManifestContent {
  const name = valueIn(tomlEntries(text), ['package'], 'name');
  return { ...present({ name }), commands: named('cargo', ['build', 'test']) };
}

/** So has Go for every module. */
function readGoMod(text: string): ManifestContent {
  const name = linesOf(text)
    .map((line) => /^module[ \t]+(\S{1,300})/.exec(line)?.[1])
    .find((found) => found !== undefined);
  return {
    ...present({ name }),
    commands: [{ command: 'go build ./...' }, { command: 'go test ./...' }],
  };
}

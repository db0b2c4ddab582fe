import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { skillFile, skillRoots } from '../../suite/skills/index.ts';
import { openOverrides } from '../agent/overrides.ts';
import type { RunRequest } from '../options/run-task.ts';

/** Where a module names another one beside it. What is named otherwise is known once a run has loaded it. */
const imported = /\b(?:from|import|require)\s*\(?\s*(['"])(\.{1,2}\/[^'"\n]+)\1/g;
const scanned: ReadonlySet<string> = new Set(['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs']);
/** What may be at the place of the end of a name, in the order in which it is looked for. */
const ends: readonly string[] = ['', '.ts', '.mts', '.js', '.mjs', '.json', '/index.ts', '/index.js'];
/** TypeScript that is named as what it becomes. */
const sources: Readonly<Record<string, string>> = { '.js': '.ts', '.mjs': '.mts', '.cjs': '.cts' };
const maxModules = 1_000;

/**
 * The files that a run is made of, as absolute paths: the modules of its agent, its overrides, its servers, its skills, and the files that texts are from. A module
 * that is not there is among them: it may be written yet.
 *
 * @param texts files of `--params` and `--input`.
 * @param loaded what a run has loaded: also by an alias, from a workspace, and by a name that is computed.
 */
export function watchedFiles(
  request: RunRequest,
  texts: readonly string[],
  loaded: readonly string[] = [],
): readonly string[] {
  const { agent, mcpFile } = request;
  const others = [...texts, ...(mcpFile === undefined ? [] : [mcpFile])].map((path) => resolve(path));
  const skills = (request.texts?.skills ?? []).flatMap(skillsIn);
  return [
    ...new Set([...modulesOf([resolve(agent), ...loaded]), ...others, ...overridesOf(request), ...skills]),
  ];
}

/** The files `SKILL.md` that a folder of `--skills` has. */
function skillsIn(folder: string): readonly string[] {
  const roots = [folder, ...skillRoots.map((root) => join(folder, root))];
  const folders = roots.flatMap((root) => [root, ...namesIn(root).map((name) => join(root, name))]);
  return folders.map((each) => resolve(each, skillFile)).filter(isFile);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The run says what is wrong with it.
    return [];
  }
}

/** Modules and those that they import, however far, by their texts: also where one of them cannot be loaded. */
function modulesOf(modules: readonly string[]): readonly string[] {
  const found = new Set(modules);
  // A set that grows while it is gone through.
  for (const path of found) {
    if (!scanned.has(extname(path))) continue;
    for (const [, , name = ''] of textOf(path).matchAll(imported)) {
      if (found.size < maxModules) found.add(moduleAt(resolve(dirname(path), name)));
    }
  }
  return [...found];
}

function moduleAt(path: string): string {
  const end = extname(path);
  const source = sources[end];
  const written = source === undefined ? [] : [path.slice(0, -end.length) + source];
  return [...ends.map((each) => path + each), ...written].find(isFile) ?? path;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The files of overrides that are there. */
function overridesOf({ agent, overrides }: RunRequest): readonly string[] {
  if (overrides === undefined) return [];
  try {
    const { root } = openOverrides(overrides.root, { folder: dirname(resolve(agent)) });
    const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
    return names.filter((name) => name.endsWith('.json')).map((name) => join(root, name));
  } catch {
    // The run says what is wrong with them.
    return [];
  }
}

/** What changes when a file does; empty for one that is not there. */
export function stampOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
}

import {
  type DirectoryEntry,
  type Filesystem,
  gitDirectory,
  isIgnored,
  readIgnores,
} from '../../core/filesystem/index.ts';
import { counted, present, showName } from '../../core/internal/index.ts';
import {
  choice,
  count,
  list,
  optional,
  type RecordOf,
  record,
  recordSchema,
  text,
} from '../../core/schema/index.ts';
import { type AnyTool, ToolResult } from '../../core/tool/index.ts';
import { directoryField, fileTool } from './file-tool.ts';
import type { VfsLimits } from './limits.ts';
import { linkField, linkNote } from './link-note.ts';
import { ignoredNote } from './text.ts';

const entry = {
  /** Name within the directory, without a slash at its end. */
  name: text,
  kind: choice('file', 'directory', 'link'),
  /** Size of a file; absent for what is not a file. */
  bytes: optional(count),
  /** Where a link leads; absent for what is not a link. */
  link: optional(linkField),
};

/** One entry that `ls` shows. */
type LsEntry = RecordOf<typeof entry>;

const output = {
  /** The directory, normalised; `.` is the root. */
  path: text,
  /** The entries shown, sorted by name, as many as the limit allows. */
  entries: list(record(entry)),
  /** All entries of the directory, also those not shown, without those that are ignored. */
  total: count,
  /** Entries that were left out because of `.gitignore` files; absent when these are not respected. */
  ignored: optional(count),
};

/** The tool `ls`: one directory, its entries sorted by name. */
export function createLsTool(limits: VfsLimits, respectGitignore: boolean): AnyTool {
  return fileTool({
    name: 'ls',
    description: 'List the files, directories and links that one directory holds, with file sizes.',
    inputSchema: recordSchema({
      path: directoryField('Directory to list'),
    }),
    outputSchema: recordSchema(output),
    effects: 'read',
    examples: [
      {
        description: 'List the directory src.',
        input: { path: 'src' },
        output: {
          path: 'src',
          entries: [
            { name: 'main.ts', kind: 'file', bytes: 512 },
            { name: 'util', kind: 'directory' },
          ],
          total: 2,
        },
      },
    ],
    render: renderEntries,
    names: { path: 'path' },
    pathOf: ({ path = '.' }) => path,
    execute: async ({ path = '.' }, { filesystem }) => {
      const listed = await filesystem.list(path);
      const directory = (await filesystem.stat(path))?.path ?? path;
      const { shown, ignored } = respectGitignore
        ? await withoutIgnored(filesystem, directory, listed)
        : { shown: listed };
      const result = {
        path: directory,
        entries: shown.slice(0, limits.maxEntries).map(toLsEntry),
        total: shown.length,
        ...present({ ignored }),
      };
      const of = (kind: LsEntry['kind']): number => shown.filter((each) => each.kind === kind).length;
      const links = of('link');
      const counts = [
        counted(of('file'), 'file'),
        counted(of('directory'), 'directory', 'directories'),
        ...(links === 0 ? [] : [counted(links, 'link')]),
      ].join(', ');
      const note = ignoredNote(ignored);
      return ToolResult.ok(
        result,
        shown.length === 0 && note === undefined
          ? `${showName(result.path)} is empty.`
          : `${showName(result.path)} - ${counts}${note === undefined ? '' : ` (${note})`}`,
      );
    },
  });
}

/** The entries of a directory that no `.gitignore` file names, and how many are named. */
async function withoutIgnored(
  filesystem: Filesystem,
  directory: string,
  entries: readonly DirectoryEntry[],
): Promise<{ readonly shown: readonly DirectoryEntry[]; readonly ignored: number }> {
  const ignores = await readIgnores(filesystem, directory);
  if (ignores.isIgnored) return { shown: entries, ignored: 0 };
  const candidates = entries.filter(({ name }) => name !== gitDirectory);
  const shown = candidates.filter(({ path, kind }) => !isIgnored(ignores.scope, path, kind === 'directory'));
  return { shown, ignored: candidates.length - shown.length };
}

function toLsEntry({ name, kind, bytes, link }: DirectoryEntry): LsEntry {
  if (kind === 'file') return { name, kind, bytes };
  return link === undefined ? { name, kind } : { name, kind, link };
}

function renderEntry({ name, bytes, link }: LsEntry): string {
  if (link !== undefined) return `${showName(name)} (${linkNote(link)})`;
  return bytes === undefined ? showName(`${name}/`) : `${showName(name)} (${counted(bytes, 'byte')})`;
}

function renderEntries(result: RecordOf<typeof output>): string {
  const lines = result.entries.map(renderEntry);
  const hidden = result.total - result.entries.length;
  if (hidden > 0)
    lines.push(
      `${counted(hidden, 'more entry', 'more entries')} not shown. Use glob with a pattern to find the rest.`,
    );
  return lines.join('\n');
}

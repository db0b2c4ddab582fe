import {
  type DirectoryEntry,
  type FileLink,
  type Filesystem,
  gitDirectory,
  isIgnored,
  readIgnores,
} from '../../core/filesystem/index.ts';
import { counted, present, showName } from '../../core/internal/index.ts';
import { jsonSchema, type Schema } from '../../core/schema/index.ts';
import { type Tool, ToolResult, tool } from '../../core/tool/index.ts';
import { explainingFailures } from './failure.ts';
import type { VfsLimits } from './limits.ts';
import { linkNote, linkSchema } from './link-note.ts';
import { ignoredNote } from './text.ts';

/** Arguments of `ls`. */
export interface LsParams {
  /** The directory, from the workspace root. Default: the root. */
  readonly path?: string;
}

/** One entry that `ls` shows. */
export interface LsEntry {
  /** Name within the directory, without a slash at its end. */
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'link';
  /** Size of a file; absent for what is not a file. */
  readonly bytes?: number;
  /** Where a link leads; absent for what is not a link. */
  readonly link?: FileLink;
}

/** What `ls` found. */
export interface LsResult {
  /** The directory, normalised; `.` is the root. */
  readonly path: string;
  /** The entries shown, sorted by name, as many as the limit allows. */
  readonly entries: readonly LsEntry[];
  /** All entries of the directory, also those not shown, without those that are ignored. */
  readonly total: number;
  /** Entries that were left out because of `.gitignore` files; absent when these are not respected. */
  readonly ignored?: number;
}

const inputSchema: Schema<LsParams> = jsonSchema<LsParams>({
  type: 'object',
  properties: {
    path: {
      type: 'string',
      default: '.',
      description: 'Directory to list, from the workspace root. "." is the root.',
    },
  },
  additionalProperties: false,
});

const outputSchema: Schema<LsResult> = jsonSchema<LsResult>({
  type: 'object',
  properties: {
    path: { type: 'string' },
    entries: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          kind: { enum: ['file', 'directory', 'link'] },
          bytes: { type: 'integer', minimum: 0 },
          link: linkSchema,
        },
        required: ['name', 'kind'],
        additionalProperties: false,
      },
    },
    total: { type: 'integer', minimum: 0 },
    ignored: { type: 'integer', minimum: 0 },
  },
  required: ['path', 'entries', 'total'],
  additionalProperties: false,
});

/** The tool `ls`: one directory, its entries sorted by name. */
export function createLsTool(limits: VfsLimits, respectGitignore: boolean): Tool<LsParams, LsResult> {
  return tool({
    name: 'ls',
    description: 'List the files, directories and links that one directory holds, with file sizes.',
    inputSchema,
    outputSchema,
    effects: 'read',
    pure: true,
    idempotent: true,
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
    execute: ({ path = '.' }, { filesystem }) =>
      explainingFailures(filesystem, path, async () => {
        const listed = await filesystem.list(path);
        const directory = (await filesystem.stat(path))?.path ?? path;
        const { found, ignored } = respectGitignore
          ? await withoutIgnored(filesystem, directory, listed)
          : { found: listed };
        const result: LsResult = {
          path: directory,
          entries: found.slice(0, limits.maxEntries).map(toLsEntry),
          total: found.length,
          ...present({ ignored }),
        };
        const of = (kind: LsEntry['kind']): number => found.filter((entry) => entry.kind === kind).length;
        const links = of('link');
        const counts = [
          counted(of('file'), 'file'),
          counted(of('directory'), 'directory', 'directories'),
          ...(links === 0 ? [] : [counted(links, 'link')]),
        ].join(', ');
        const note = ignoredNote(ignored);
        return ToolResult.ok(
          result,
          found.length === 0 && note === undefined
            ? `${showName(result.path)} is empty.`
            : `${showName(result.path)} - ${counts}${note === undefined ? '' : ` (${note})`}`,
        );
      }),
  });
}

/** The entries of a directory that no `.gitignore` file names, and how many are named. */
async function withoutIgnored(
  filesystem: Filesystem,
  directory: string,
  entries: readonly DirectoryEntry[],
): Promise<{ readonly found: readonly DirectoryEntry[]; readonly ignored: number }> {
  const ignores = await readIgnores(filesystem, directory);
  if (ignores.isIgnored) return { found: entries, ignored: 0 };
  const candidates = entries.filter(({ name }) => name !== gitDirectory);
  const found = candidates.filter(({ path, kind }) => !isIgnored(ignores.scope, path, kind === 'directory'));
  return { found, ignored: candidates.length - found.length };
}

function toLsEntry(entry: DirectoryEntry): LsEntry {
  const { name, kind, bytes, link } = entry;
  if (kind === 'file') return { name, kind, bytes };
  return link === undefined ? { name, kind } : { name, kind, link };
}

function renderEntry({ name, bytes, link }: LsEntry): string {
  if (link !== undefined) return `${showName(name)} (${linkNote(link)})`;
  return bytes === undefined ? showName(`${name}/`) : `${showName(name)} (${counted(bytes, 'byte')})`;
}

function renderEntries(result: LsResult): string {
  const lines = result.entries.map(renderEntry);
  const hidden = result.total - result.entries.length;
  if (hidden > 0)
    lines.push(
      `${counted(hidden, 'more entry', 'more entries')} not shown. Use glob with a pattern to find the rest.`,
    );
  return lines.join('\n');
}

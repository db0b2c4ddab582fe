import type { DirectoryEntry } from '../../filesystem/index.ts';
import { jsonSchema, type Schema } from '../../schema/index.ts';
import { type Tool, ToolResult, tool } from '../../tool/index.ts';
import { explainingFailures } from './failure.ts';
import type { VfsLimits } from './limits.ts';
import { count } from './text.ts';

/** Arguments of `ls`. */
export interface LsParams {
  /** The directory, from the workspace root. Default: the root. */
  readonly path?: string;
}

/** One entry that `ls` shows. */
export interface LsEntry {
  /** Name within the directory, without a slash at its end. */
  readonly name: string;
  readonly kind: 'file' | 'directory';
  /** Size of a file; absent for a directory. */
  readonly bytes?: number;
}

/** What `ls` found. */
export interface LsResult {
  /** The directory, normalised; `.` is the root. */
  readonly path: string;
  /** The entries shown, sorted by name, as many as the limit allows. */
  readonly entries: readonly LsEntry[];
  /** All entries of the directory, also those not shown. */
  readonly total: number;
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
          kind: { enum: ['file', 'directory'] },
          bytes: { type: 'integer', minimum: 0 },
        },
        required: ['name', 'kind'],
        additionalProperties: false,
      },
    },
    total: { type: 'integer', minimum: 0 },
  },
  required: ['path', 'entries', 'total'],
  additionalProperties: false,
});

/** The tool `ls`: one directory, its entries sorted by name. */
export function createLsTool(limits: VfsLimits): Tool<LsParams, LsResult> {
  return tool({
    name: 'ls',
    description: 'List the files and directories that one directory holds, with file sizes.',
    inputSchema,
    outputSchema,
    effects: 'read',
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
        const found = await filesystem.list(path);
        const directory = await filesystem.stat(path);
        const directories = found.filter((entry) => entry.kind === 'directory').length;
        const result: LsResult = {
          path: directory?.path ?? path,
          entries: found.slice(0, limits.maxEntries).map(toLsEntry),
          total: found.length,
        };
        const counts = `${count(found.length - directories, 'file')}, ${count(directories, 'directory', 'directories')}`;
        return ToolResult.ok(
          result,
          found.length === 0 ? `${result.path} is empty.` : `${result.path} - ${counts}`,
        );
      }),
  });
}

function toLsEntry(entry: DirectoryEntry): LsEntry {
  return entry.kind === 'file'
    ? { name: entry.name, kind: 'file', bytes: entry.bytes }
    : { name: entry.name, kind: 'directory' };
}

function renderEntries(result: LsResult): string {
  const lines = result.entries.map((entry) =>
    entry.bytes === undefined ? `${entry.name}/` : `${entry.name} (${count(entry.bytes, 'byte')})`,
  );
  const hidden = result.total - result.entries.length;
  if (hidden > 0)
    lines.push(
      `${count(hidden, 'more entry', 'more entries')} not shown. Use glob with a pattern to find the rest.`,
    );
  return lines.join('\n');
}

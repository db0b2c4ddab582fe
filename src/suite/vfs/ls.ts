import { counted, present } from '../../core/internal/index.ts';
import { count, list, optional, type RecordOf, record, recordSchema, text } from '../../core/schema/index.ts';
import { type AnyTool, ToolResult } from '../../core/tool/index.ts';
import { entryFields, listDirectory, renderEntry } from './directory-listing.ts';
import { directoryField, fileTool } from './file-tool.ts';
import type { VfsLimits } from './limits.ts';

const output = {
  /** The directory, normalised; `.` is the root. */
  path: text,
  /** The entries shown, sorted by name, as many as the limit allows. */
  entries: list(record(entryFields)),
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
      const {
        path: directory,
        entries,
        ignored,
        message,
      } = await listDirectory(filesystem, path, respectGitignore);
      const result = {
        path: directory,
        entries: entries.slice(0, limits.maxEntries),
        total: entries.length,
        ...present({ ignored }),
      };
      return ToolResult.ok(result, message);
    },
  });
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

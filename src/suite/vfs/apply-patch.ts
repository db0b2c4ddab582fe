import { FilesystemError } from '../../core/error/index.ts';
import type { Filesystem } from '../../core/filesystem/index.ts';
import { counted, isRecord, showName } from '../../core/internal/index.ts';
import {
  choice,
  count,
  described,
  optional,
  type RecordOf,
  recordSchema,
  text,
  type VariantOf,
  variant,
} from '../../core/schema/index.ts';
import { type AnyTool, ToolResult } from '../../core/tool/index.ts';
import { fileTool, pathField } from './file-tool.ts';
import { notShown, quote } from './text.ts';
import { applyDiff, createdText } from './v4a/apply-diff.ts';

const operations = {
  create_file: {
    path: pathField('File to create, from the workspace root. Missing directories are made.'),
    diff: described(text, {
      description:
        'The lines of the file, each with "+" in front. It ends with a newline only if the last line is a bare "+".',
    }),
  },
  update_file: {
    path: pathField('File to change, from the workspace root.'),
    diff: described(text, {
      description:
        'Hunks in the order of the file, all or none: "@@" or "@@ " and a line of the file to look after, then lines with " " (unchanged), "-" (removed) or "+" (added) in front. "*** End of File" after a hunk: it is at the end. No line numbers, no header.',
    }),
  },
  delete_file: { path: pathField('File to delete, from the workspace root.') },
};

type Operation = VariantOf<'type', typeof operations>;

const output = {
  path: text,
  change: choice('created', 'updated', 'deleted'),
  /** Size of the file afterwards; absent for a deleted one. */
  bytes: optional(count),
  /** Of an update: the hunks of the diff, and the lines that were added and removed. */
  hunks: optional(count),
  addedLines: optional(count),
  removedLines: optional(count),
};

type Outcome = ToolResult<RecordOf<typeof output>>;

/**
 * The tool `apply_patch`: creates, changes or deletes one file by a V4A diff. A diff that does not fit changes nothing: all its hunks are applied, or none. Lines
 * that stay keep their bytes, and the file its permissions, byte order mark, line ends and what it has of a final newline.
 * @see docs/spec/tools.md §10
 */
export function createApplyPatchTool(): AnyTool {
  return fileTool({
    name: 'apply_patch',
    description: 'Create, change or delete one text file by a diff.',
    inputSchema: recordSchema({ operation: variant<Operation>('type', operations) }),
    outputSchema: recordSchema(output),
    effects: 'state',
    examples: [
      {
        description: 'Change one line of a function.',
        input: {
          operation: {
            type: 'update_file',
            path: 'src/main.ts',
            diff: '@@ function total() {\n   let sum = 0;\n-  return 1;\n+  return sum;',
          },
        },
        output: {
          path: 'src/main.ts',
          change: 'updated',
          bytes: 48,
          hunks: 1,
          addedLines: 1,
          removedLines: 1,
        },
      },
    ],
    names: { 'operation.path': 'path' },
    replaces: (params) => {
      const operation = isRecord(params) && isRecord(params['operation']) ? params['operation'] : {};
      const { path, type } = operation;
      return type === 'update_file' && typeof path === 'string' ? [path] : [];
    },
    subject: ({ operation: { path, type } }) => `${type.slice(0, type.indexOf('_'))} ${path}`,
    pathOf: ({ operation }) => operation.path,
    execute: async ({ operation }, { filesystem }) => {
      switch (operation.type) {
        case 'create_file':
          return createFile(filesystem, operation.path, operation.diff);
        case 'update_file':
          return updateFile(filesystem, operation.path, operation.diff);
        case 'delete_file':
          return deleteFile(filesystem, operation.path);
      }
    },
  });
}

async function createFile(filesystem: Filesystem, given: string, diff: string): Promise<Outcome> {
  const created = createdText(diff);
  if (created.kind === 'refused') return refused(created.message);
  try {
    const { bytes, path } = await filesystem.write(given, created.text, { mode: 'create' });
    return ToolResult.ok(
      { path, change: 'created', bytes },
      `Created ${showName(path)} (${counted(bytes, 'byte')}).`,
    );
  } catch (error) {
    if (!FilesystemError.isInstance(error) || error.code !== 'path-taken') throw error;
    return refused(`${quote(given)} exists already. Use update_file to change it, or choose another path.`);
  }
}

async function updateFile(filesystem: Filesystem, given: string, diff: string): Promise<Outcome> {
  const { path, text: content } = await filesystem.read(given, notShown);
  const applied = applyDiff(content, diff, quote(path));
  if (applied.kind === 'refused') return refused(applied.message);
  const { added, hunks, loose, removed } = applied;
  const { bytes } = await filesystem.write(given, applied.text);
  const lines = `${counted(added, 'line')} added, ${removed} removed`;
  const note =
    loose.length === 0
      ? ''
      : ` Blanks at line ends differed in ${loose.length === 1 ? 'hunk' : 'hunks'} ${loose.join(', ')}.`;
  return ToolResult.ok(
    { path, change: 'updated', bytes, hunks, addedLines: added, removedLines: removed },
    `Updated ${showName(path)}: ${counted(hunks, 'hunk')}, ${lines}, now ${counted(bytes, 'byte')}.${note}`,
  );
}

async function deleteFile(filesystem: Filesystem, given: string): Promise<Outcome> {
  if ((await filesystem.stat(given))?.kind === 'directory')
    return refused(`${quote(given)} is a directory, and delete_file deletes one file.`);
  const { path, writeProtected } = await filesystem.remove(given);
  const note = writeProtected === undefined ? '' : ' (write-protected)';
  return ToolResult.ok({ path, change: 'deleted' }, `Deleted ${showName(path)}${note}.`);
}

function refused(message: string): Outcome {
  return ToolResult.error(`${message}${message.includes('\n') ? '\n' : ' '}Nothing was changed.`);
}

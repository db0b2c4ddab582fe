import { FilesystemError } from '../../error/index.ts';
import { counted, showName } from '../../internal/index.ts';
import { jsonSchema, type Schema } from '../../schema/index.ts';
import { type Tool, ToolResult, tool } from '../../tool/index.ts';
import { explainEditFailure } from './edit-failure.ts';
import { explainingFailures } from './failure.ts';

/** Arguments of `edit_file`. */
export interface EditFileParams {
  /** The file, from the workspace root. */
  readonly file_path: string;
  /** The exact text to replace; it must occur exactly once, unless `replace_all` is set. */
  readonly old_string: string;
  /** The text to put in its place; empty to delete. */
  readonly new_string: string;
  /** Whether every occurrence is replaced. Default false. */
  readonly replace_all?: boolean;
}

/** What `edit_file` did; never the content itself. */
export interface EditFileResult {
  /** The file, normalised. */
  readonly path: string;
  /** Occurrences that were replaced, from 1. */
  readonly replacements: number;
  /** Size of the file afterwards. */
  readonly bytes: number;
}

const inputSchema: Schema<EditFileParams> = jsonSchema<EditFileParams>({
  type: 'object',
  properties: {
    file_path: { type: 'string', minLength: 1, description: 'File to edit, from the workspace root.' },
    old_string: {
      type: 'string',
      minLength: 1,
      description:
        'Exact text to replace, with its indentation and without the line numbers of read_file. Must occur exactly once, unless replace_all is true.',
    },
    new_string: { type: 'string', description: 'Text to put in its place. Empty deletes old_string.' },
    replace_all: { type: 'boolean', default: false, description: 'Replace every occurrence.' },
  },
  required: ['file_path', 'old_string', 'new_string'],
  additionalProperties: false,
});

const outputSchema: Schema<EditFileResult> = jsonSchema<EditFileResult>({
  type: 'object',
  properties: {
    path: { type: 'string' },
    replacements: { type: 'integer', minimum: 1 },
    bytes: { type: 'integer', minimum: 0 },
  },
  required: ['path', 'replacements', 'bytes'],
  additionalProperties: false,
});

/** The tool `edit_file`: replaces exact text within a file, and keeps its line ends, byte order mark and final newline. */
export function createEditFileTool(): Tool<EditFileParams, EditFileResult> {
  return tool({
    name: 'edit_file',
    description:
      'Replace exact text in a file: one occurrence, or all with replace_all. The rest of the file stays as it is.',
    inputSchema,
    outputSchema,
    effects: 'state',
    examples: [
      {
        description: 'Change one line.',
        input: { file_path: 'config.yaml', old_string: 'retries: 3', new_string: 'retries: 5' },
        output: { path: 'config.yaml', replacements: 1, bytes: 64 },
      },
      {
        description: 'Rename a variable everywhere in one file.',
        input: { file_path: 'src/main.ts', old_string: 'total', new_string: 'sum', replace_all: true },
        output: { path: 'src/main.ts', replacements: 4, bytes: 480 },
      },
    ],
    // The message holds everything.
    render: () => '',
    execute: (params, { filesystem }) =>
      explainingFailures(filesystem, params.file_path, async () => {
        const {
          file_path: path,
          old_string: oldText,
          new_string: newText,
          replace_all: replaceAll = false,
        } = params;
        if (oldText === newText) {
          return ToolResult.error('old_string and new_string are the same: there is nothing to change.');
        }
        try {
          const edited = await filesystem.edit(path, [{ oldText, newText, replaceAll }]);
          const result: EditFileResult = {
            path: edited.path,
            replacements: edited.replacements,
            bytes: edited.bytes,
          };
          return ToolResult.ok(
            result,
            `Edited ${showName(edited.path)}: ${counted(edited.replacements, 'replacement')}, now ${counted(edited.bytes, 'byte')}.`,
          );
        } catch (error) {
          if (!FilesystemError.isInstance(error)) throw error;
          const explanation = await explainEditFailure(filesystem, path, oldText, error);
          if (explanation === undefined) throw error;
          return ToolResult.error(explanation);
        }
      }),
  });
}

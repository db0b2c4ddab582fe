import { FilesystemError } from '../../core/error/index.ts';
import type { TextEdit } from '../../core/filesystem/index.ts';
import { counted, showName } from '../../core/internal/index.ts';
import { jsonSchema, type Schema } from '../../core/schema/index.ts';
import { type Tool, ToolResult, tool } from '../../core/tool/index.ts';
import { explainEditFailure } from './edit-failure.ts';
import { explainingFailures } from './failure.ts';

/** One replacement of the list form of `edit_file`. */
export interface EditFileEdit {
  /** The exact text to replace; it must occur exactly once in the file as it was before the call. */
  readonly old_string: string;
  /** The text to put in its place; empty to delete. */
  readonly new_string: string;
}

/** Arguments of `edit_file`: either `old_string` and `new_string`, or `edits`. */
export interface EditFileParams {
  /** The file, from the workspace root. */
  readonly file_path: string;
  /** The exact text to replace; it must occur exactly once, unless `replace_all` is set. */
  readonly old_string?: string;
  /** The text to put in its place; empty to delete. */
  readonly new_string?: string;
  /** Whether every occurrence of `old_string` is replaced. Default false. */
  readonly replace_all?: boolean;
  /** Several replacements at once, all or none, at most 100. An empty list counts as left out. */
  readonly edits?: readonly EditFileEdit[];
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

/** Replacements of one call: each searches the whole file. */
const maxEdits = 100;

const inputSchema: Schema<EditFileParams> = jsonSchema<EditFileParams>({
  type: 'object',
  properties: {
    file_path: { type: 'string', minLength: 1, description: 'File to edit, from the workspace root.' },
    old_string: {
      type: 'string',
      minLength: 1,
      description:
        'Exact text to replace, with its indentation and without the line numbers of read_file. Must occur exactly once, unless replace_all is true. Leave it out with edits.',
    },
    new_string: {
      type: 'string',
      description: 'Text to put in its place. Empty deletes old_string. Leave it out with edits.',
    },
    replace_all: {
      type: 'boolean',
      default: false,
      description: 'Replace every occurrence of old_string. Not for edits.',
    },
    edits: {
      type: 'array',
      maxItems: maxEdits,
      description:
        'Several replacements in place of old_string and new_string, all or none. Each old_string must occur exactly once in the file as it is now, and none may overlap.',
      items: {
        type: 'object',
        properties: {
          old_string: { type: 'string', minLength: 1, description: 'Exact text to replace.' },
          new_string: { type: 'string', description: 'Text to put in its place.' },
        },
        required: ['old_string', 'new_string'],
        additionalProperties: false,
      },
    },
  },
  required: ['file_path'],
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
      'Replace exact text in a file: one occurrence, all with replace_all, or several texts with edits. The rest of the file stays as it is.',
    inputSchema,
    outputSchema,
    effects: 'state',
    pure: true,
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
      {
        description: 'Change two places at once.',
        input: {
          file_path: 'config.yaml',
          edits: [
            { old_string: 'retries: 3', new_string: 'retries: 5' },
            { old_string: 'verbose: true\n', new_string: '' },
          ],
        },
        output: { path: 'config.yaml', replacements: 2, bytes: 50 },
      },
    ],
    // The message holds everything.
    render: () => '',
    execute: (params, { filesystem }) =>
      explainingFailures(filesystem, params.file_path, async () => {
        const path = params.file_path;
        const edits = editsOf(params);
        if (typeof edits === 'string') return ToolResult.error(edits);
        try {
          const edited = await filesystem.edit(path, edits);
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
          const explanation = await explainEditFailure(filesystem, path, edits, error);
          if (explanation === undefined) throw error;
          return ToolResult.error(explanation);
        }
      }),
  });
}

/** The edits of either form; or what is wrong with the arguments. */
function editsOf({
  old_string: oldText,
  new_string: newText,
  replace_all: replaceAll = false,
  edits = [],
}: EditFileParams): readonly TextEdit[] | string {
  const isList = edits.length > 0;
  if (isList && (oldText !== undefined || newText !== undefined || replaceAll)) {
    return 'edits was given together with old_string, new_string or replace_all. Give either edits alone, or old_string and new_string. Nothing was changed.';
  }
  if (!isList && (oldText === undefined || newText === undefined)) {
    return 'There is nothing to replace: give old_string and new_string, or a list of edits. Nothing was changed.';
  }
  if (!isList && oldText === newText) {
    return 'old_string and new_string are the same: there is nothing to change.';
  }
  const same = edits.findIndex((edit) => edit.old_string === edit.new_string);
  if (same !== -1) {
    return `old_string and new_string of edit ${same + 1} are the same. Leave that edit out. Nothing was changed.`;
  }
  return isList
    ? edits.map((edit) => ({ oldText: edit.old_string, newText: edit.new_string }))
    : [{ oldText: oldText ?? '', newText: newText ?? '', replaceAll }];
}

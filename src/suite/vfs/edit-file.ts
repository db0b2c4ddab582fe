/* oxlint-disable typescript/no-unnecessary-type-assertion -- The fields name their types: isolatedDeclarations wants them written down. */
import { FilesystemError } from '../../core/error/index.ts';
import type { TextEdit } from '../../core/filesystem/index.ts';
import { counted, showName } from '../../core/internal/index.ts';
import {
  count,
  described,
  type Field,
  flag,
  integer,
  list,
  type OptionalField,
  optional,
  type RecordOf,
  record,
  recordSchema,
  type Schema,
  text,
} from '../../core/schema/index.ts';
import { type Tool, ToolResult, tool } from '../../core/tool/index.ts';
import { explainEditFailure } from './edit-failure.ts';
import { explainingFailures } from './failure.ts';

const replacement = {
  /** The exact text to replace; it must occur exactly once in the file as it was before the call. */
  old_string: described(text, { minLength: 1, description: 'Exact text to replace.' }) as Field<string>,
  /** The text to put in its place; empty to delete. */
  new_string: described(text, { description: 'Text to put in its place.' }) as Field<string>,
};

/** One replacement of the list form of `edit_file`. */
export interface EditFileEdit extends RecordOf<typeof replacement> {}

/** Replacements of one call: each searches the whole file. */
const maxEdits = 100;

const params = {
  /** The file, from the workspace root. */
  file_path: described(text, {
    minLength: 1,
    description: 'File to edit, from the workspace root.',
  }) as Field<string>,
  /** The exact text to replace; it must occur exactly once, unless `replace_all` is set. */
  old_string: optional(text, {
    minLength: 1,
    description:
      'Exact text to replace, with its indentation and without the line numbers of read_file. Must occur exactly once, unless replace_all is true. Leave it out with edits.',
  }) as OptionalField<string>,
  /** The text to put in its place; empty to delete. */
  new_string: optional(text, {
    description: 'Text to put in its place. Empty deletes old_string. Leave it out with edits.',
  }) as OptionalField<string>,
  /** Whether every occurrence of `old_string` is replaced. Default false. */
  replace_all: optional(flag, {
    default: false,
    description: 'Replace every occurrence of old_string. Not for edits.',
  }) as OptionalField<boolean>,
  /** Several replacements at once, all or none, at most 100. An empty list counts as left out. */
  edits: optional(
    list(record(replacement), {
      maxItems: maxEdits,
      description:
        'Several replacements in place of old_string and new_string, all or none. Each old_string must occur exactly once in the file as it is now, and none may overlap.',
    }),
  ) as OptionalField<readonly EditFileEdit[]>,
};

/** Arguments of `edit_file`: either `old_string` and `new_string`, or `edits`. */
export interface EditFileParams extends RecordOf<typeof params> {}

const edited = {
  /** The file, normalised. */
  path: text as Field<string>,
  /** Occurrences that were replaced, from 1. */
  replacements: described(integer, { minimum: 1 }) as Field<number>,
  /** Size of the file afterwards. */
  bytes: count as Field<number>,
};

/** What `edit_file` did; never the content itself. */
export interface EditFileResult extends RecordOf<typeof edited> {}

const inputSchema: Schema<EditFileParams> = recordSchema<EditFileParams>(params);

const outputSchema: Schema<EditFileResult> = recordSchema<EditFileResult>(edited);

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
    execute: (given, { filesystem }) =>
      explainingFailures(filesystem, given.file_path, async () => {
        const path = given.file_path;
        const edits = editsOf(given);
        if (typeof edits === 'string') return ToolResult.error(edits);
        try {
          const { path: file, replacements, bytes } = await filesystem.edit(path, edits);
          return ToolResult.ok(
            { path: file, replacements, bytes },
            `Edited ${showName(file)}: ${counted(replacements, 'replacement')}, now ${counted(bytes, 'byte')}.`,
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

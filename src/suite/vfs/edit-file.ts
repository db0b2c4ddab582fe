import { FilesystemError } from '../../core/error/index.ts';
import { type Filesystem, insertLines, type TextEdit } from '../../core/filesystem/index.ts';
import { counted, formatNumber, showName } from '../../core/internal/index.ts';
import {
  count,
  described,
  flag,
  integer,
  list,
  optional,
  type RecordOf,
  record,
  recordSchema,
  text,
} from '../../core/schema/index.ts';
import { type AnyTool, ToolResult } from '../../core/tool/index.ts';
import { explainEditFailure } from './edit-failure.ts';
import { fileTool, pathField } from './file-tool.ts';
import { notShown, quote } from './text.ts';

/** Replacements of one call: each searches the whole file. */
const maxEdits = 100;

/** Either `old_string` and `new_string`, or `edits`, or `insert_line` and `new_string`; an empty list counts as left out. */
const params = {
  file_path: pathField('File to edit, from the workspace root.'),
  old_string: optional(text, {
    minLength: 1,
    description:
      'Exact text to replace, with its indentation and without the line numbers of read_file. Must occur exactly once, unless replace_all is true. Leave it out with edits.',
  }),
  new_string: optional(text, {
    description:
      'Text to put in its place. Empty deletes old_string. With insert_line: the lines to insert. Leave it out with edits.',
  }),
  replace_all: optional(flag, {
    default: false,
    description: 'Replace every occurrence of old_string. Not for edits.',
  }),
  edits: optional(
    list(
      record({
        old_string: described(text, { minLength: 1, description: 'Exact text to replace.' }),
        new_string: described(text, { description: 'Text to put in its place.' }),
      }),
      {
        maxItems: maxEdits,
        description:
          'Several replacements in place of old_string and new_string, all or none. Each old_string must occur exactly once in the file as it is now, and none may overlap.',
      },
    ),
  ),
  insert_line: optional(count, {
    description:
      'Inserts new_string as lines of their own in place of a replacement: after so many lines of the file. 0 is before the first line, the number of lines is at the end. Leave out old_string, replace_all and edits with it.',
  }),
};

const output = {
  path: text,
  /** Places that were changed. */
  replacements: described(integer, { minimum: 1 }),
  bytes: count,
  /** How many lines `insert_line` has put in; absent for replacements. */
  insertedLines: optional(count),
};

/** The tool `edit_file`: replaces exact text within a file or inserts lines, and keeps its line ends, byte order mark and final newline. */
export function createEditFileTool(): AnyTool {
  return fileTool({
    name: 'edit_file',
    description:
      'Replace exact text in a file: one occurrence, all with replace_all, or several texts with edits; or insert lines with insert_line. The rest of the file stays as it is.',
    inputSchema: recordSchema(params),
    outputSchema: recordSchema(output),
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
      {
        description: 'Insert a line at the start.',
        input: { file_path: 'src/main.ts', insert_line: 0, new_string: "import './setup.ts';" },
        output: { path: 'src/main.ts', replacements: 1, bytes: 501, insertedLines: 1 },
      },
    ],
    names: { file_path: 'path' },
    pathOf: ({ file_path: path }) => path,
    execute: async (given, { filesystem }) => {
      const path = given.file_path;
      if (given.insert_line !== undefined) return insertText(filesystem, given, given.insert_line);
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
    },
  });
}

/** Puts lines into a file. */
async function insertText(
  filesystem: Filesystem,
  given: RecordOf<typeof params>,
  after: number,
): Promise<ToolResult<RecordOf<typeof output>>> {
  const { edits = [], new_string: newText = '', old_string: oldText, replace_all: replaceAll } = given;
  if (oldText !== undefined || replaceAll === true || edits.length > 0) {
    return ToolResult.error(
      'insert_line was given together with old_string, replace_all or edits. Give insert_line and new_string alone to insert lines, or leave insert_line out. Nothing was changed.',
    );
  }
  if (newText === '') {
    return ToolResult.error(
      'There is nothing to insert: give the lines as new_string; "\\n" is an empty line. Nothing was changed.',
    );
  }
  const { text: content, path } = await filesystem.read(given.file_path, notShown);
  const inserted = insertLines(content, after, newText);
  if (inserted.kind === 'out-of-range') {
    const { totalLines } = inserted;
    return ToolResult.error(
      `insert_line is ${formatNumber(after)}, and ${quote(path)} has ${counted(totalLines, 'line')}. Give a number from 0, before the first line, to ${totalLines}, at the end. Nothing was changed.`,
    );
  }
  const { bytes } = await filesystem.write(given.file_path, inserted.text);
  const place = after === 0 ? 'at the start' : `after line ${formatNumber(after)}`;
  return ToolResult.ok(
    { path, replacements: 1, bytes, insertedLines: inserted.lines },
    `Edited ${showName(path)}: ${counted(inserted.lines, 'line')} inserted ${place}, now ${counted(bytes, 'byte')}.`,
  );
}

/** The edits of either form; or what is wrong with the arguments. */
function editsOf({
  old_string: oldText,
  new_string: newText,
  replace_all: replaceAll = false,
  edits = [],
}: RecordOf<typeof params>): readonly TextEdit[] | string {
  const isList = edits.length > 0;
  if (isList && (oldText !== undefined || newText !== undefined || replaceAll)) {
    return 'edits was given together with old_string, new_string or replace_all. Give either edits alone, or old_string and new_string. Nothing was changed.';
  }
  if (!isList && (oldText === undefined || newText === undefined)) {
    return 'There is nothing to replace: give old_string and new_string, or a list of edits, or insert_line and new_string. Nothing was changed.';
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

import type { TextWindow } from '../../core/filesystem/index.ts';
import { counted, formatNumber, present, showName } from '../../core/internal/index.ts';
import {
  count,
  integer,
  list,
  optional,
  type RecordOf,
  record,
  recordSchema,
  text,
} from '../../core/schema/index.ts';
import { type AnyTool, ToolResult, type ToolSuccess } from '../../core/tool/index.ts';
import { describeKinds, type FileAttachment, readOrAttach, type VfsAttachmentKind } from './attachment.ts';
import { fileTool, pathField } from './file-tool.ts';
import type { VfsLimits } from './limits.ts';
import { type ShownPart, type ShownText, showLines, showPart } from './text.ts';

const output = {
  /** The file, normalised. */
  path: text,
  /** The lines shown, joined with `\n`; without carriage returns, over-long lines cut. Of one line that is read by characters, the part shown. */
  text,
  /** Number of the first line shown, from 1; 0 when none is. */
  firstLine: count,
  /** Number of the last line shown; 0 when none is. */
  lastLine: count,
  totalLines: count,
  /** The `offset` that continues where this result stops; absent when the end of the file was reached. */
  nextOffset: optional(integer, { minimum: 1 }),
  /** The lines that were cut, and how many of their characters are shown; absent when none was. */
  cutLines: optional(list(record({ line: count, characters: count }))),
  /** Of one line that is read by characters: the first one shown, from 0, and how many the line has. */
  firstCharacter: optional(count),
  lineCharacters: optional(count),
  /** The `character_offset` that continues where this result stops; absent when the end of the line was reached. */
  nextCharacterOffset: optional(integer, { minimum: 1 }),
  /** The media type of a file that is attached in place of its text; absent for text. */
  mediaType: optional(text),
  /** The size of a file that is attached; absent for text. */
  bytes: optional(count),
};

/** The lines that `read_file` shows. */
type ReadFileResult = RecordOf<typeof output>;

/**
 * The tool `read_file`: a window of a text file's lines, numbered; a part of one long line; or an image or a PDF as an attachment.
 * @param kinds the kinds of files to attach; any other file that is not text is refused.
 */
export function createReadFileTool(limits: VfsLimits, kinds: ReadonlySet<VfsAttachmentKind>): AnyTool {
  const { maxLines, maxLineCharacters } = limits;
  const rules = { kinds, maxBytes: limits.maxAttachmentBytes };
  const attached = describeKinds(kinds);
  return fileTool({
    name: 'read_file',
    description: `Read a text file. Lines are shown with their numbers, which are not part of the file.${attached === undefined ? '' : ` ${attached} is attached.`}`,
    inputSchema: recordSchema({
      file_path: pathField('File to read, from the workspace root.'),
      offset: optional(count, { default: 0, description: 'Lines to skip before the first one shown.' }),
      limit: optional(integer, {
        minimum: 1,
        default: maxLines,
        description: `Lines to show, at most ${maxLines}.`,
      }),
      character_offset: optional(count, {
        description: `Only to continue a line of more than ${maxLineCharacters} characters: characters of the line after offset to skip. That line alone is shown.`,
      }),
    }),
    outputSchema: recordSchema(output),
    effects: 'read',
    examples: [
      {
        description: 'Read the start of a file.',
        input: { file_path: 'notes.md', limit: 2 },
        output: {
          path: 'notes.md',
          text: '# Notes\n',
          firstLine: 1,
          lastLine: 2,
          totalLines: 12,
          nextOffset: 2,
        },
      },
    ],
    render: renderLines,
    names: { file_path: 'path' },
    pathOf: ({ file_path: path }) => path,
    execute: async (
      { file_path: path, offset = 0, limit = maxLines, character_offset: characterOffset },
      { filesystem },
    ) => {
      const show = shownOnce((window): ShownText | ShownPart =>
        characterOffset === undefined ? showLines(window, limits) : showPart(window, characterOffset, limits),
      );
      const options = {
        offset,
        limit: characterOffset === undefined ? Math.min(limit, maxLines) : 1,
        // What of the window the model does not get to see is not read.
        '~shown': (window: string) => show(window).ranges,
      };
      const window = await readOrAttach(filesystem, path, options, rules);
      if ('success' in window) return window;
      if ('part' in window) return attachedFile(window);
      if (window.totalLines === 0) {
        return ToolResult.ok(emptyWindow(window), `${showName(window.path)} is empty.`);
      }
      if (offset >= window.totalLines) {
        return ToolResult.ok(
          emptyWindow(window),
          `${showName(window.path)} has ${counted(window.totalLines, 'line')}; there are none after an offset of ${formatNumber(offset)}.`,
        );
      }
      const shown = show(window.text);
      return 'lines' in shown ? linesOf(window, shown) : partOfLine(window, shown);
    },
  });
}

/** The function, for the first text it is given: a file system that is not of this library may not have asked for it. */
function shownOnce<Shown>(show: (window: string) => Shown): (window: string) => Shown {
  let shown: { readonly of: string; readonly result: Shown } | undefined;
  return (window) => {
    if (shown?.of !== window) shown = { of: window, result: show(window) };
    return shown.result;
  };
}

function linesOf(
  { path, offset, totalLines }: TextWindow,
  { lines, cut, hasCarriageReturns, hasMark }: ShownText,
): ToolSuccess<ReadFileResult> {
  const lastLine = offset + lines.length;
  const result: ReadFileResult = {
    path,
    text: lines.join('\n'),
    firstLine: offset + 1,
    lastLine,
    totalLines,
    ...present({
      nextOffset: lastLine < totalLines ? lastLine : undefined,
      cutLines:
        cut.length === 0
          ? undefined
          : cut.map(({ index, characters }) => ({ line: offset + index + 1, characters })),
    }),
  };
  const notes = [
    ...(hasMark && offset === 0 ? ['byte order mark'] : []),
    ...(hasCarriageReturns ? ['CRLF line ends'] : []),
  ];
  const range = `lines ${result.firstLine}-${lastLine} of ${totalLines}`;
  return ToolResult.ok(
    result,
    `${showName(path)} - ${range}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`,
  );
}

function partOfLine(
  { path, offset, totalLines }: TextWindow,
  { text: part, from, length }: ShownPart,
): ToolSuccess<ReadFileResult> {
  const end = from + part.length;
  const line = offset + 1;
  const result: ReadFileResult = {
    path,
    text: part,
    firstLine: line,
    lastLine: line,
    totalLines,
    firstCharacter: from,
    lineCharacters: length,
    ...present({
      nextCharacterOffset: end < length ? end : undefined,
      nextOffset: line < totalLines ? line : undefined,
    }),
  };
  const range =
    part === ''
      ? `the line has ${counted(length, 'character')}, there are none left`
      : `characters ${formatNumber(from + 1)}-${formatNumber(end)} of ${formatNumber(length)}`;
  return ToolResult.ok(result, `${showName(path)} - line ${line} of ${totalLines}, ${range}`);
}

function emptyWindow({ path, totalLines }: Pick<TextWindow, 'path' | 'totalLines'>): ReadFileResult {
  return { path, text: '', firstLine: 0, lastLine: 0, totalLines };
}

function attachedFile({ path, part, bytes }: FileAttachment): ToolSuccess<ReadFileResult> {
  const { mediaType } = part;
  return ToolResult.ok(
    { ...emptyWindow({ path, totalLines: 0 }), mediaType, bytes },
    `${showName(path)} - ${mediaType}, ${counted(bytes, 'byte')}, attached.`,
    { attachments: [part] },
  );
}

function renderLines(result: ReadFileResult): string {
  if (result.firstLine === 0) return '';
  const width = String(result.lastLine).length;
  const numbered = result.text
    .split('\n')
    .map((line, index) => `${String(result.firstLine + index).padStart(width)} | ${line}`);
  return [...numbered, ...continuations(result)].join('\n');
}

/** The last lines of a window: how to see what it does not show. */
function continuations(result: ReadFileResult): readonly string[] {
  const { cutLines, firstCharacter, firstLine, lastLine, lineCharacters, nextCharacterOffset, nextOffset } =
    result;
  const notes: string[] = [];
  const linesLeft = result.totalLines - lastLine;
  if (nextOffset !== undefined)
    notes.push(`${counted(linesLeft, 'more line')}; continue with offset=${nextOffset}`);
  if (nextCharacterOffset !== undefined) {
    const left = (lineCharacters ?? 0) - nextCharacterOffset;
    const how = `offset=${firstLine - 1}, character_offset=${nextCharacterOffset}`;
    notes.push(`${counted(left, 'more character')} of this line; continue with ${how}`);
  }
  const [first] = cutLines ?? [];
  if (first !== undefined && firstCharacter === undefined) {
    const cut = cutLines?.length ?? 0;
    const which =
      cut === 1 ? '1 line is cut; continue it' : `${counted(cut, 'line')} are cut; continue the first`;
    notes.push(`${which} with offset=${first.line - 1}, character_offset=${first.characters}`);
  }
  return notes.map((note) => `[${note}]`);
}

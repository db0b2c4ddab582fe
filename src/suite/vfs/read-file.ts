import { counted, formatNumber, present, showName } from '../../core/internal/index.ts';
import { count, integer, optional, type RecordOf, recordSchema, text } from '../../core/schema/index.ts';
import { type AnyTool, ToolResult, type ToolSuccess } from '../../core/tool/index.ts';
import { describeKinds, type FileAttachment, readOrAttach, type VfsAttachmentKind } from './attachment.ts';
import { fileTool, pathField } from './file-tool.ts';
import type { VfsLimits } from './limits.ts';
import { cutWindow, quote, type ShownLines } from './text.ts';

const output = {
  /** The file, normalised. */
  path: text,
  /** The lines shown, joined with `\n`; without carriage returns, over-long lines cut. */
  text,
  /** Number of the first line shown, from 1; 0 for an empty file. */
  firstLine: count,
  /** Number of the last line shown; 0 for an empty file. */
  lastLine: count,
  totalLines: count,
  /** The `offset` that continues where this result stops; absent when the end of the file was reached. */
  nextOffset: optional(integer, { minimum: 1 }),
  /** The media type of a file that is attached in place of its text; absent for text. */
  mediaType: optional(text),
  /** The size of a file that is attached; absent for text. */
  bytes: optional(count),
};

/** The lines that `read_file` shows. */
type ReadFileResult = RecordOf<typeof output>;

/**
 * The tool `read_file`: a window of a text file's lines, numbered; or an image or a PDF as an attachment.
 * @param kinds the kinds of files to attach; any other file that is not text is refused.
 */
export function createReadFileTool(limits: VfsLimits, kinds: ReadonlySet<VfsAttachmentKind>): AnyTool {
  const { maxLines } = limits;
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
    pathOf: ({ file_path: path }) => path,
    execute: async ({ file_path: path, offset = 0, limit = maxLines }, { filesystem }) => {
      const lines = { offset, limit: Math.min(limit, maxLines) };
      const window = await readOrAttach(filesystem, path, lines, rules);
      if ('success' in window) return window;
      if ('part' in window) return attachedFile(window);
      if (window.totalLines === 0) {
        return ToolResult.ok(emptyFile(window.path), `${showName(window.path)} is empty.`);
      }
      if (offset >= window.totalLines) {
        return ToolResult.error(
          `${quote(window.path)} has ${counted(window.totalLines, 'line')}, nothing is left at offset ${formatNumber(offset)}. Use an offset from 0 to ${formatNumber(window.totalLines - 1)}.`,
        );
      }
      const shown = cutWindow(window.text, limits);
      const lastLine = offset + shown.lines.length;
      const result: ReadFileResult = {
        path: window.path,
        text: shown.lines.join('\n'),
        firstLine: offset + 1,
        lastLine,
        totalLines: window.totalLines,
        ...present({ nextOffset: lastLine < window.totalLines ? lastLine : undefined }),
      };
      return ToolResult.ok(result, header(result, shown));
    },
  });
}

function emptyFile(path: string): ReadFileResult {
  return { path, text: '', firstLine: 0, lastLine: 0, totalLines: 0 };
}

function attachedFile({ path, part, bytes }: FileAttachment): ToolSuccess<ReadFileResult> {
  const { mediaType } = part;
  return ToolResult.ok(
    { ...emptyFile(path), mediaType, bytes },
    `${showName(path)} - ${mediaType}, ${counted(bytes, 'byte')}, attached.`,
    { attachments: [part] },
  );
}

function header(result: ReadFileResult, { hasCarriageReturns, hasMark }: ShownLines): string {
  const lines = `lines ${result.firstLine}-${result.lastLine} of ${result.totalLines}`;
  const notes = [
    ...(hasMark && result.firstLine === 1 ? ['byte order mark'] : []),
    ...(hasCarriageReturns ? ['CRLF line ends'] : []),
  ];
  return `${showName(result.path)} - ${lines}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`;
}

function renderLines(result: ReadFileResult): string {
  if (result.totalLines === 0) return '';
  const width = String(result.lastLine).length;
  const numbered = result.text
    .split('\n')
    .map((line, index) => `${String(result.firstLine + index).padStart(width)} | ${line}`);
  if (result.nextOffset !== undefined)
    numbered.push(continuation(result.totalLines - result.lastLine, result.nextOffset));
  return numbered.join('\n');
}

/** The last line of a window that does not reach the end of the file. */
function continuation(linesLeft: number, nextOffset: number): string {
  return `[${counted(linesLeft, 'more line')}; continue with offset=${nextOffset}]`;
}

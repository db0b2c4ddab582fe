import { FilesystemError } from '../../core/error/index.ts';
import {
  renderLines,
  type ShownPart,
  type ShownText,
  showLines,
  shownLines,
  shownLinesFields,
  shownPart,
  showPart,
  type TextWindow,
} from '../../core/filesystem/index.ts';
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
import { type DirectoryListing, entryFields, listDirectory, renderEntry } from './directory-listing.ts';
import { fileTool, pathField } from './file-tool.ts';
import type { VfsLimits } from './limits.ts';

const output = {
  /** The file, normalised. */
  path: text,
  ...shownLinesFields,
  /** The media type of a file that is attached in place of its text; absent for text. */
  mediaType: optional(text),
  /** The size of a file that is attached; absent for text. */
  bytes: optional(count),
  /** Of a directory: the entries shown, how many it has beside those that are ignored, and how many are. No lines are shown then, and `nextOffset` counts entries. */
  entries: optional(list(record(entryFields))),
  totalEntries: optional(count),
  ignored: optional(count),
};

/** What `read_file` shows. */
type ReadFileResult = RecordOf<typeof output>;

/**
 * The tool `read_file`: a window of a text file's lines, numbered; a part of one long line; an image or a PDF as an attachment; or what a directory holds.
 * @param kinds the kinds of files to attach; any other file that is not text is refused.
 * @param respectGitignore whether the listing of a directory leaves out what is ignored.
 */
export function createReadFileTool(
  limits: VfsLimits,
  kinds: ReadonlySet<VfsAttachmentKind>,
  respectGitignore: boolean,
): AnyTool {
  const { maxLines, maxLineCharacters } = limits;
  const rules = { kinds, maxBytes: limits.maxAttachmentBytes };
  const attached = describeKinds(kinds);
  return fileTool({
    name: 'read_file',
    description: `Read a text file. Lines are shown with their numbers, which are not part of the file.${attached === undefined ? '' : ` ${attached} is attached.`} Of a directory its entries are shown, as by ls; offset and limit count these then.`,
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
    render: (result) => (result.entries === undefined ? renderLines(result) : renderEntries(result)),
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
      const window =
        characterOffset === undefined
          ? await orDirectory(readOrAttach(filesystem, path, options, rules))
          : await readOrAttach(filesystem, path, options, rules);
      if (window === 'directory') {
        const listing = await listDirectory(filesystem, path, respectGitignore);
        return entriesOf(listing, offset, Math.min(limit, limits.maxEntries));
      }
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

/** What is read, or that it is a directory. */
async function orDirectory<Read>(reading: Promise<Read>): Promise<Read | 'directory'> {
  try {
    return await reading;
  } catch (error) {
    if (FilesystemError.isInstance(error) && error.code === 'path-is-directory') return 'directory';
    throw error;
  }
}

/** Entries of a directory, from `offset` on. */
function entriesOf(
  { path, entries, ignored, message }: DirectoryListing,
  offset: number,
  limit: number,
): ToolSuccess<ReadFileResult> {
  const shown = entries.slice(offset, offset + limit);
  const end = offset + shown.length;
  const isPart = shown.length < entries.length;
  const range =
    shown.length === 0
      ? `there are none after an offset of ${formatNumber(offset)}`
      : `entries ${offset + 1}-${end} of ${entries.length}`;
  return ToolResult.ok(
    {
      ...emptyWindow({ path, totalLines: 0 }),
      entries: shown,
      totalEntries: entries.length,
      ...present({ ignored, nextOffset: shown.length > 0 && end < entries.length ? end : undefined }),
    },
    isPart ? `${message}, ${range}` : message,
  );
}

function renderEntries({ entries = [], nextOffset, totalEntries = 0 }: ReadFileResult): string {
  const lines = entries.map(renderEntry);
  if (nextOffset !== undefined) {
    const left = counted(totalEntries - nextOffset, 'more entry', 'more entries');
    lines.push(`[${left}; continue with offset=${nextOffset}]`);
  }
  return lines.join('\n');
}

/** The function, for the first text it is given: a file system that is not of this library may not have asked for it. */
function shownOnce<Shown>(show: (window: string) => Shown): (window: string) => Shown {
  let shown: { readonly of: string; readonly result: Shown } | undefined;
  return (window) => {
    if (shown?.of !== window) shown = { of: window, result: show(window) };
    return shown.result;
  };
}

function linesOf(window: TextWindow, shown: ShownText): ToolSuccess<ReadFileResult> {
  const { path, offset, totalLines } = window;
  const { hasCarriageReturns, hasMark } = shown;
  const result: ReadFileResult = { path, ...shownLines(window, shown) };
  const notes = [
    ...(hasMark && offset === 0 ? ['byte order mark'] : []),
    ...(hasCarriageReturns ? ['CRLF line ends'] : []),
  ];
  const range = `lines ${result.firstLine}-${result.lastLine} of ${totalLines}`;
  return ToolResult.ok(
    result,
    `${showName(path)} - ${range}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`,
  );
}

function partOfLine(window: TextWindow, part: ShownPart): ToolSuccess<ReadFileResult> {
  const { path, totalLines } = window;
  const result: ReadFileResult = { path, ...shownPart(window, part) };
  const { from, length, text: shown } = part;
  const range =
    shown === ''
      ? `the line has ${counted(length, 'character')}, there are none left`
      : `characters ${formatNumber(from + 1)}-${formatNumber(from + shown.length)} of ${formatNumber(length)}`;
  return ToolResult.ok(result, `${showName(path)} - line ${result.firstLine} of ${totalLines}, ${range}`);
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

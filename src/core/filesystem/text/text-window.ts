import { assertIntegerOption } from '../path/errors.ts';
import { partsOf, rangesOf, type TextRanges } from './text-ranges.ts';

/** Which lines to take. */
export interface TextWindowOptions {
  /** The first line, counted from 0. Default: 0. */
  readonly offset?: number;
  /** The maximum number of lines, at least 1. Default: all. */
  readonly limit?: number;
  /**
   * Which parts of the window its reader will see, as ranges of its text: only these count as read. Default: all of it.
   * @internal
   */
  readonly '~shown'?: (text: string) => TextRanges;
}

/** Consecutive lines of a text file, as they are in the file. */
export interface TextWindow {
  readonly path: string;
  /** The exact slice of the file, including line endings, a byte order mark and a missing final newline. */
  readonly text: string;
  /** The first line, counted from 0. */
  readonly offset: number;
  /** The number of lines in `text`; 0 after the end of the file. */
  readonly lines: number;
  /** The number of lines of the file. A final newline does not start another line; an empty file has none. */
  readonly totalLines: number;
  /** True when lines follow after this window. */
  readonly truncated: boolean;
  /** True when the file ends with a newline. */
  readonly endsWithNewline: boolean;
}

/** Start positions of every 256th line of a text, so that a window needs no scan from the start. */
interface LineIndex {
  readonly starts: readonly number[];
  readonly totalLines: number;
}

/** A cache for the line index of one text, which never changes. */
export interface LineIndexMemo {
  lineIndex?: LineIndex;
}

const linesPerEntry = 256;

/** Shorter texts are scanned each time. */
const minIndexedLength = 65_536;

function indexLines(text: string): LineIndex {
  const starts = [0];
  let newlines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    newlines += 1;
    if (newlines % linesPerEntry === 0) starts.push(at + 1);
  }
  return { starts, totalLines: text === '' || text.endsWith('\n') ? newlines : newlines + 1 };
}

/** The position after `count` further lines from `start`, at most the end of the text. */
function skipLines(text: string, start: number, count: number): number {
  let position = start;
  for (let skipped = 0; skipped < count; skipped += 1) {
    const newline = text.indexOf('\n', position);
    if (newline === -1) return text.length;
    position = newline + 1;
  }
  return position;
}

function lineStart(text: string, index: LineIndex, line: number): number {
  if (line >= index.totalLines) return text.length;
  const entry = Math.min(Math.floor(line / linesPerEntry), index.starts.length - 1);
  return skipLines(text, index.starts[entry] ?? 0, line - entry * linesPerEntry);
}

/** A window, and where it is in the text. */
export interface PlacedWindow {
  readonly window: TextWindow;
  /** The parts of the whole text that its reader sees; undefined: all of the text. */
  readonly shown: TextRanges | undefined;
  /** The length of the whole text. */
  readonly length: number;
}

/**
 * The window of a text.
 * @param memo caches the line index when the text is large. Default: it is computed each time.
 * @throws {FilesystemError} `argument-invalid` when `offset` or `limit` is out of range.
 */
export function textWindow(
  path: string,
  text: string,
  options: TextWindowOptions = {},
  memo?: LineIndexMemo,
): PlacedWindow {
  const { offset = 0, limit, '~shown': shownOf } = options;
  assertIntegerOption('offset', offset, 0);
  assertIntegerOption('limit', limit, 1);
  const index = memo?.lineIndex ?? indexLines(text);
  if (memo !== undefined && text.length >= minIndexedLength) memo.lineIndex = index;
  const { totalLines } = index;
  const first = Math.min(offset, totalLines);
  const lines = Math.min(limit ?? totalLines, totalLines - first);
  const start = lineStart(text, index, first);
  const end = lineStart(text, index, first + lines);
  const part = text.slice(start, end);
  const seen = shownOf === undefined ? [0, part.length] : shownOf(part);
  const shown = rangesOf([...partsOf(seen)].map(([from, to]) => [start + from, start + to]));
  const isAll = text === '' || (shown[0] === 0 && shown[1] === text.length);
  const truncated = first + lines < totalLines;
  const endsWithNewline = text.endsWith('\n');
  return {
    window: { path, text: part, offset, lines, totalLines, truncated, endsWithNewline },
    shown: isAll ? undefined : shown,
    length: text.length,
  };
}

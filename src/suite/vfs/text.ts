import { byteOrderMark, formatNumber, partOf, quoteText, startOf } from '../../core/internal/index.ts';
import type { VfsLimits } from './limits.ts';

/** Characters of a path or pattern that a message repeats; a longer one is cut. */
const maxQuotedCharacters = 200;

/** A path or pattern in quotes, cut to a length that cannot flood a message, with line breaks and invisible characters escaped. */
export function quote(value: string): string {
  return quoteText(cutText(value, maxQuotedCharacters).text);
}

/** How many entries were left out because of `.gitignore` files; undefined when none were. */
export function ignoredNote(ignored: number | undefined): string | undefined {
  return ignored === undefined || ignored === 0
    ? undefined
    : `${formatNumber(ignored)} ignored by .gitignore`;
}

/**
 * At most `maxCharacters` UTF-16 units of a text, never ending within a surrogate pair, with a note of how many were left
 * out when it was cut.
 */
export function cutText(
  text: string,
  maxCharacters: number,
): { readonly text: string; readonly kept: number } {
  if (text.length <= maxCharacters) return { text, kept: text.length };
  const start = startOf(text, maxCharacters);
  const left = formatNumber(text.length - start.length);
  return { text: `${start}… [${left} more characters]`, kept: start.length };
}

/** The part of a window of text that a result shows. */
export interface ShownText {
  /** Without line ends and without a byte order mark; over-long lines cut and marked so. */
  readonly lines: readonly string[];
  /** Whether a line ended in CRLF. */
  readonly hasCarriageReturns: boolean;
  /** Whether the window began with a byte order mark. */
  readonly hasMark: boolean;
  /** The lines that were cut, by their index in the window, and how many of their characters are shown. */
  readonly cut: readonly { readonly index: number; readonly characters: number }[];
  /** What is shown of the window: start and end of each part, in UTF-16 units. */
  readonly ranges: readonly number[];
}

/**
 * Splits a window of whole lines and keeps as many from its start as the output limit allows, always at least one.
 * Lines are split on line feeds only, as the file system counts them.
 */
export function showLines(text: string, limits: VfsLimits): ShownText {
  const lines: string[] = [];
  const cut: { readonly index: number; readonly characters: number }[] = [];
  const ranges: number[] = [];
  let characters = 0;
  let hasCarriageReturns = false;
  const hasMark = text.startsWith(byteOrderMark);
  let start = hasMark ? byteOrderMark.length : 0;
  do {
    const { line, next, endsInCarriageReturn } = lineAt(text, start);
    const shown = cutText(line, limits.maxLineCharacters);
    characters += shown.text.length + 1;
    if (lines.length > 0 && characters > limits.maxOutputCharacters) break;
    hasCarriageReturns ||= endsInCarriageReturn;
    if (shown.kept < line.length) cut.push({ index: lines.length, characters: shown.kept });
    ranges.push(lines.length === 0 ? 0 : start, shown.kept < line.length ? start + shown.kept : next);
    lines.push(shown.text);
    start = next;
  } while (start < text.length);
  return { lines, hasCarriageReturns, hasMark, cut, ranges };
}

/** One line from a character on, as far as the output limit allows. */
export interface ShownPart {
  readonly text: string;
  /** Where it begins in the line: not within a surrogate pair. */
  readonly from: number;
  /** The length of the line. */
  readonly length: number;
  /** See {@link ShownText}. */
  readonly ranges: readonly number[];
}

/** The part of the first line of a window that begins with the character at `offset`. */
export function showPart(text: string, offset: number, limits: VfsLimits): ShownPart {
  const lineStart = text.startsWith(byteOrderMark) ? byteOrderMark.length : 0;
  const { line, next } = lineAt(text, lineStart);
  const { length } = line;
  if (offset >= length) return { text: '', from: length, length, ranges: [] };
  const part = partOf(line, offset, offset + Math.max(limits.maxOutputCharacters, 2));
  const end = part.start + part.text.length;
  const ranges = [lineStart + part.start, end === length ? next : lineStart + end];
  return { text: part.text, from: part.start, length, ranges };
}

/** The line that begins at `start`, without its end, and where the next one begins. */
function lineAt(
  text: string,
  start: number,
): { readonly line: string; readonly next: number; readonly endsInCarriageReturn: boolean } {
  const lineFeed = text.indexOf('\n', start);
  const end = lineFeed === -1 ? text.length : lineFeed;
  const endsInCarriageReturn = lineFeed > start && text[lineFeed - 1] === '\r';
  const line = text.slice(start, endsInCarriageReturn ? end - 1 : end);
  return { line, next: lineFeed === -1 ? end : end + 1, endsInCarriageReturn };
}

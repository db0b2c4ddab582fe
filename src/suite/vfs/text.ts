import { byteOrderMark, formatNumber, quoteText, startOf } from '../../core/internal/index.ts';
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
): { readonly text: string; readonly cut: boolean } {
  if (text.length <= maxCharacters) return { text, cut: false };
  const kept = startOf(text, maxCharacters);
  return { text: `${kept}… [${formatNumber(text.length - kept.length)} more characters]`, cut: true };
}

/** The part of a window of text that a result shows. */
export interface ShownLines {
  /** Without line ends and without a byte order mark; over-long lines cut and marked so. */
  readonly lines: readonly string[];
  /** Whether a line ended in CRLF. */
  readonly hasCarriageReturns: boolean;
  /** Whether the window began with a byte order mark. */
  readonly hasMark: boolean;
}

/**
 * Splits a window of whole lines and keeps as many from its start as the output limit allows, always at least one.
 * Lines are split on line feeds only, as the file system counts them.
 */
export function cutWindow(text: string, limits: VfsLimits): ShownLines {
  const lines: string[] = [];
  let characters = 0;
  let hasCarriageReturns = false;
  const hasMark = text.startsWith(byteOrderMark);
  let start = hasMark ? byteOrderMark.length : 0;
  do {
    const lineFeed = text.indexOf('\n', start);
    const end = lineFeed === -1 ? text.length : lineFeed;
    const endsInCarriageReturn = lineFeed > start && text[lineFeed - 1] === '\r';
    const line = text.slice(start, endsInCarriageReturn ? end - 1 : end);
    const shown = cutText(line, limits.maxLineCharacters).text;
    characters += shown.length + 1;
    if (lines.length > 0 && characters > limits.maxOutputCharacters) break;
    hasCarriageReturns ||= endsInCarriageReturn;
    lines.push(shown);
    start = end + 1;
  } while (start < text.length);
  return { lines, hasCarriageReturns, hasMark };
}

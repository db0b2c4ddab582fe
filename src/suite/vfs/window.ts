import type { VfsLimits } from './limits.ts';
import { cutText } from './text.ts';

/** The part of a window of text that a result shows. */
interface ShownLines {
  /** Without line ends and without a byte order mark; over-long lines cut and marked so. */
  readonly lines: readonly string[];
  /** Whether a line ended in CRLF. */
  readonly hasCarriageReturns: boolean;
}

/**
 * Splits a window of whole lines and keeps as many from its start as the output limit allows, always at least one.
 * Lines are split on line feeds only, as the file system counts them.
 */
export function cutWindow(text: string, limits: VfsLimits): ShownLines {
  const lines: string[] = [];
  let characters = 0;
  let hasCarriageReturns = false;
  let start = text.startsWith('\uFEFF') ? 1 : 0;
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
  return { lines, hasCarriageReturns };
}

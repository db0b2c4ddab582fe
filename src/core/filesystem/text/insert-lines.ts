import { byteOrderMark } from '../../internal/index.ts';
import { preparedText, spliceText, toLineFeeds, withMarkOf } from './splice.ts';

/** The text after an insertion; or, when the text does not have so many lines, how many it has. */
export type InsertedLines =
  | { readonly kind: 'inserted'; readonly text: string; readonly lines: number }
  | { readonly kind: 'out-of-range'; readonly totalLines: number };

/**
 * Puts whole lines after a line of a text; everything else stays the same byte for byte. Where text follows, the newline is added that `given` lacks at its end;
 * where the line before has none, one is put between. Line endings become those of the line before, or of the first one, else the more frequent ones.
 *
 * @param after how many lines stay in front of them: 0 for the start, the number of lines for the end. A final newline does not begin another line.
 */
export function insertLines(content: string, after: number, given: string): InsertedLines {
  const text = toLineFeeds(content);
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark.length : 0;
  let [lines, lastStart, at] = [0, mark, mark];
  while (lines < after && at < text.length) {
    const newline = text.indexOf('\n', at);
    lastStart = at;
    at = newline === -1 ? text.length : newline + 1;
    lines += 1;
  }
  if (lines < after) return { kind: 'out-of-range', totalLines: lines };
  const isOpen = at > mark && text[at - 1] !== '\n';
  const needsEnd = !isOpen && text.length > mark && !given.endsWith('\n');
  const put = `${isOpen ? '\n' : ''}${given}${needsEnd ? '\n' : ''}`;
  // With a line beside the place, whose ending counts.
  const [start, end] = at > mark ? [lastStart, at] : [at, endOfLine(text, at)];
  const beside = text.slice(start, end);
  const changed = spliceText(content, text, [
    { start, end, put: preparedText(beside, at > mark ? beside + put : put + beside) },
  ]);
  return { kind: 'inserted', text: withMarkOf(content, changed), lines: countLines(given) };
}

function endOfLine(text: string, start: number): number {
  const newline = text.indexOf('\n', start);
  return newline === -1 ? text.length : newline + 1;
}

function countLines(given: string): number {
  let newlines = 0;
  for (let at = given.indexOf('\n'); at !== -1; at = given.indexOf('\n', at + 1)) newlines += 1;
  return given.endsWith('\n') ? newlines : newlines + 1;
}

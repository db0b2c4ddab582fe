import {
  coversRange,
  type FileContent,
  judgeChanges,
  partsOf,
  type TextRanges,
} from '../filesystem/index.ts';
import { formatNumber, none } from '../internal/index.ts';

/** What is known of a text: the parts that were read or written. Undefined: all of it. */
export type KnownText = TextRanges | undefined;

/** The ranges as what is known of a text of so many units: undefined when they are all of it. */
export function knownOf(ranges: TextRanges, length: number | undefined): KnownText {
  return length !== undefined && coversRange(ranges, 0, length) ? undefined : ranges;
}

/** The parts of a content that a change replaces and that are not known; `none` when it may be made. @param after undefined: it is removed. */
export function unknownParts(
  known: KnownText,
  before: FileContent,
  after: FileContent | undefined,
): TextRanges {
  if (known === undefined) return none;
  const text = before.text();
  // Only text is read in parts.
  if (text === undefined) return [0, Math.max(1, before.bytes)];
  return judgeChanges(text, after?.text() ?? '', known).unread;
}

/** What is known of a content after a change: what was known and stays, and what was put in. */
export function knownAfter(known: KnownText, before: FileContent, after: FileContent): KnownText {
  const [old, fresh] = [before.text(), after.text()];
  if (known === undefined || old === undefined || fresh === undefined) return undefined;
  return knownOf(judgeChanges(old, fresh, known).known, fresh.length);
}

const maxParts = 5;

/** Parts of a line that is longer are named by their characters. */
const maxWholeLine = 400;

/** Parts of a text for a message: `lines 3-9 and line 12`, or of a long line `characters 2,001-9,400 of line 1`. The first five. */
export function describeParts(parts: TextRanges, text: string): string {
  const shown: string[] = [];
  const lineOf = lineCounter(text);
  let lastLine = 0;
  for (const [start, end] of partsOf(parts)) {
    const first = lineOf(start);
    const lineStart = text.lastIndexOf('\n', start - 1) + 1;
    const newline = text.indexOf('\n', start);
    const lineEnd = newline === -1 ? text.length : newline;
    const isWithinLine = end <= lineEnd + 1 && lineEnd - lineStart > maxWholeLine;
    const last = isWithinLine ? first : lineOf(Math.max(start, end - 1));
    const from = isWithinLine ? first : Math.max(first, lastLine + 1);
    if (last < from) continue;
    if (shown.length === maxParts) {
      shown.push('more');
      break;
    }
    lastLine = last;
    if (isWithinLine) {
      const one = start - lineStart + 1;
      const other = Math.max(one, Math.min(end, lineEnd) - lineStart);
      shown.push(`${rangeOf('character', one, other)} of line ${formatNumber(first)}`);
    } else shown.push(rangeOf('line', from, last));
  }
  return shown.length < 2 ? `${shown[0]}` : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}

function rangeOf(what: string, from: number, to: number): string {
  return from === to ? `${what} ${formatNumber(from)}` : `${what}s ${formatNumber(from)}-${formatNumber(to)}`;
}

/** The number of the line of a position, for positions in order: the text is read once. */
function lineCounter(text: string): (position: number) => number {
  let line = 1;
  let next = text.indexOf('\n');
  return (position) => {
    while (next !== -1 && next < position) {
      line += 1;
      next = text.indexOf('\n', next + 1);
    }
    return line;
  };
}

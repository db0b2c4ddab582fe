const unescaped = /[\u0085\u2028\u2029]/gu;

/** True when a text is more than one line. */
import { linesOf } from '../../internal/index.ts';
export function hasLineBreak(text: string): boolean {
  return linesOf(text).length > 1;
}

/** JSON on one line: what `JSON.stringify` leaves as it is and some reader takes for a break is escaped. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    unescaped,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A fence of backticks that is longer than any in the text: nothing in the text ends it. */
export function fenceAround(text: string): string {
  let longest = 2;
  for (const [ticks] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, ticks.length);
  return '`'.repeat(longest + 1);
}

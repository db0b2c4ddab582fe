/** Everything that some reader takes for the end of a line: also the breaks and separators of Unicode and of old terminals. */
// oxlint-disable-next-line no-control-regex -- Some of them end lines.
const breaks = /\r\n|[\n\r\v\f\u001C-\u001E\u0085\u2028\u2029]/u;
const unescaped = /[\u0085\u2028\u2029]/gu;

/** The lines of a text, by everything that ends one. */
export function linesOf(text: string): string[] {
  return text.split(breaks);
}

/** True when a text is more than one line. */
export function hasLineBreak(text: string): boolean {
  return breaks.test(text);
}

/** The text on one line: its lines without the blank space around them, joined by a space; empty ones are left out. */
export function oneLine(text: string): string {
  return linesOf(text)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
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

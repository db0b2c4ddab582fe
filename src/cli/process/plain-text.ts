import { showName, spellInvisible, wordsBefore } from '../../core/internal/index.ts';

/**
 * Untrusted text (from a workspace, a file name or a model), safe to print: what would move the cursor, change colors, rewrite the
 * terminal or not be seen is spelled out, as `<U+001B>`.
 */
export function printable(text: string): string {
  return spellInvisible(text);
}

/** The same for several lines: line feeds and tabs are kept. */
export function printableLines(text: string): string {
  return spellInvisible(text, 'lines');
}

/** The same for what a model says, by which nothing is decided: blanks, emoji and joiners stay as they are. */
export function printableProse(text: string): string {
  return spellInvisible(text, 'prose');
}

/** Characters that occupy two columns of a terminal. */
const wide =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/u;
/** Characters that occupy none: they are drawn over the one before. */
const combining = /\p{M}/u;

/** How many columns of a terminal a text occupies: the one table of widths. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += widthOf(character);
  return columns;
}

function widthOf(character: string): number {
  if (character < '\u0300') return 1;
  return wide.test(character) ? 2 : combining.test(character) ? 0 : 1;
}

/** The beginning of a text that occupies at most so many columns. */
function startColumns(text: string, columns: number): string {
  let length = 0;
  let taken = 0;
  for (const character of text) {
    taken += widthOf(character);
    if (taken > columns) return text.slice(0, length);
    length += character.length;
  }
  return text;
}

/** The end of a text that occupies at most so many columns. */
function endColumns(text: string, columns: number): string {
  const characters = [...text];
  let taken = 0;
  let from = characters.length;
  while (from > 0) {
    taken += widthOf(characters[from - 1] ?? '');
    if (taken > columns) break;
    from -= 1;
  }
  return characters.slice(from).join('');
}

/** `text` in lines of at most `columns` columns, broken at spaces where possible. */
export function wrapColumns(text: string, columns: number): readonly string[] {
  const width = Math.max(2, columns);
  const lines: string[] = [];
  let row = '';
  for (const word of text.split(' ')) {
    if (row !== '' && columnsOf(row) + 1 + columnsOf(word) <= width) {
      row = `${row} ${word}`;
      continue;
    }
    if (row !== '') lines.push(row);
    row = word;
    while (columnsOf(row) > width) {
      const start = startColumns(row, width);
      lines.push(start);
      row = row.slice(start.length);
    }
  }
  return [...lines, row];
}

/** `text` padded with spaces to so many columns. */
export function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - columnsOf(text)));
}

/** A text of at most so many columns; a longer one ends with an ellipsis. */
export function clipColumns(text: string, columns: number): string {
  return columnsOf(text) <= columns ? text : `${startColumns(text, columns - 1)}…`;
}

/** {@link clipColumns} at the end of a word, where there is one. */
export function cutColumns(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  return wordsBefore(startColumns(text, columns - 1), text);
}

/** {@link clipColumns} in the middle: the end of a path says more than its middle. */
export function clipMiddleColumns(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  const end = Math.ceil((columns - 1) / 2);
  return `${startColumns(text, columns - 1 - end)}…${endColumns(text, end)}`;
}

/** The first items as texts, then the text for the number of the others, if there are any. */
export function firstOf<Item>(
  items: readonly Item[],
  most: number,
  wordsOf: (item: Item) => string,
  restOf: (count: number) => string = (count) => `${count} more`,
): readonly string[] {
  const rest = items.length - most;
  return [...items.slice(0, most).map(wordsOf), ...(rest > 0 ? [restOf(rest)] : [])];
}

/** Maximum number of paths that one line names. */
const maxNamedPaths = 3;

/** Some paths in one line: `a.ts, b.ts, c.ts and 2 more`. Safe to print. */
export function namedPaths(paths: readonly string[]): string {
  const rest = paths.length - maxNamedPaths;
  return `${paths.slice(0, maxNamedPaths).map(showName).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** A duration for display: `3 ms`, `1.4 s`. */
export function readableDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** A duration in one unit, rounded down: `49 s`, `12 min`, `5 h`, `2 days`. */
export function roughDuration(milliseconds: number): string {
  const seconds = Math.floor(Math.max(0, milliseconds) / 1000);
  if (seconds < 1) return `${Math.floor(Math.max(0, milliseconds))} ms`;
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  const hours = Math.floor(seconds / 3600);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}

/** A time for display, to the minute, in UTC: `2026-11-23T17:05Z`. */
export function readableTime(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16)}Z`;
}

import { clip, showName, spellInvisible } from '../../core/internal/index.ts';

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

/** `text` in lines of at most `width` characters, broken at spaces where possible. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let row: readonly string[] = [];
  for (const word of text.split(' ')) {
    const characters = [...word];
    if (row.length > 0 && row.length + 1 + characters.length <= width) row = [...row, ' ', ...characters];
    else {
      if (row.length > 0) lines.push(row.join(''));
      row = characters;
    }
    while (row.length > width) {
      lines.push(row.slice(0, width).join(''));
      row = row.slice(width);
    }
  }
  return [...lines, row.join('')];
}

/** `text` padded with spaces to `width` characters. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - [...text].length));
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

/** A time for display, to the minute, in UTC: `2026-11-23T17:05Z`. */
export function readableTime(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16)}Z`;
}

/** Characters that occupy two columns of a terminal. */
const wide =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/gu;
/** Inserted before a wide character while widths are counted. */
const filler = '\u0000';

/** {@link clip} by terminal columns; may exceed the limit by one. */
export function clipColumns(text: string, columns: number): string {
  return narrowed(clip(widened(text), columns));
}

/** {@link wrap} by terminal columns; a line may exceed the limit by one. */
export function wrapColumns(text: string, columns: number): readonly string[] {
  return wrap(widened(text), columns).map(narrowed);
}

function widened(text: string): string {
  return text.replace(wide, `${filler}$&`);
}

function narrowed(text: string): string {
  return text.replaceAll(filler, '');
}

/** A text file may begin with it; it is not part of the text. */
export const byteOrderMark = '\uFEFF';

/** A text without the byte order mark that it may begin with. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith(byteOrderMark) ? text.slice(byteOrderMark.length) : text;
}

/** The number of Unicode characters, as JSON Schema counts them: a surrogate pair is one. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}

/** The number, from 1, of the line that holds the UTF-16 unit at `index`. */
export function lineNumberAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < index; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** The first `length` UTF-16 units of a string; one fewer where that would split a surrogate pair. */
export function startOf(text: string, length: number): string {
  if (text.length <= length) return text;
  const lastUnit = text.charCodeAt(length - 1);
  return text.slice(0, lastUnit >= 0xd800 && lastUnit <= 0xdbff ? length - 1 : length);
}

/** The first `length` UTF-16 units of a string that may continue; one fewer where the last would be the first half of a surrogate pair. */
export function wholeStart(text: string, length: number): string {
  const end = Math.min(length, text.length);
  const lastUnit = text.charCodeAt(end - 1);
  return text.slice(0, lastUnit >= 0xd800 && lastUnit <= 0xdbff ? end - 1 : end);
}

/** A string of at most `length` UTF-16 units unchanged; a longer one cut to `length` units, followed by an ellipsis. */
export function cutAfter(text: string, length: number): string {
  return text.length <= length ? text : `${startOf(text, length)}…`;
}

/** The string cut to at most `maxLength` UTF-16 units, including the ellipsis. */
export function shorten(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${startOf(text, maxLength - 1)}…`;
}

/** The last `length` UTF-16 units of a string; one fewer where that would split a surrogate pair. */
export function endOf(text: string, length: number): string {
  if (text.length <= length) return text;
  const from = text.length - length;
  const firstUnit = text.charCodeAt(from);
  return text.slice(firstUnit >= 0xdc00 && firstUnit <= 0xdfff ? from + 1 : from);
}

/** The units of a string from `start` to `end`, and where they begin; a surrogate pair at its start belongs to it, one at its end does not. */
export function partOf(
  text: string,
  start: number,
  end: number,
): { readonly text: string; readonly start: number } {
  const unit = text.charCodeAt(start);
  const before = text.charCodeAt(start - 1);
  const isInPair = unit >= 0xdc00 && unit <= 0xdfff && before >= 0xd800 && before <= 0xdbff;
  const from = isInPair ? start - 1 : start;
  return { text: startOf(text.slice(from), Math.max(end - from, isInPair ? 2 : 0)), start: from };
}

/** {@link cutAfter} on one line, with single spaces for whitespace. Reads no more of the string than it keeps. */
export function cutLine(text: string, length: number): string {
  const line = startOf(text, length + 1)
    .replace(/\s+/g, ' ')
    .trim();
  return text.length > length ? `${startOf(line, length)}…` : line;
}

/** {@link shorten} by characters, as a terminal shows them: a surrogate pair is one. */
export function clip(text: string, width: number): string {
  const characters = [...text];
  return characters.length <= width ? text : `${characters.slice(0, Math.max(0, width - 1)).join('')}…`;
}

/** {@link clip} at the end of a word, where there is one in the last two thirds. */
export function cutAtWord(text: string, width: number): string {
  const cut = clip(text, width);
  return cut === text ? text : wordsBefore(cut.slice(0, -1), text);
}

/** The beginning of a text that was cut within a word, without the rest of that word, and an ellipsis. */
export function wordsBefore(cut: string, whole: string): string {
  const isWordEnd = /\s/.test(whole.charAt(cut.length));
  const space = isWordEnd ? -1 : cut.lastIndexOf(' ');
  const kept = space > cut.length / 3 ? cut.slice(0, space) : cut;
  return `${kept.trimEnd().replace(/[,;:]$/, '')}…`;
}

/** {@link clip} in the middle: the end of a path says more than its middle. */
export function clipMiddle(text: string, width: number): string {
  const characters = [...text];
  if (characters.length <= width) return text;
  const end = Math.ceil((width - 1) / 2);
  return `${characters.slice(0, Math.max(0, width - 1 - end)).join('')}…${characters.slice(characters.length - end).join('')}`;
}

/** Everything that some reader takes for the end of a line: also the breaks and separators of Unicode and of old terminals. */
// oxlint-disable-next-line no-control-regex -- Some of them end lines.
const breaks = /\r\n|[\n\r\v\f\u001C-\u001E\u0085\u2028\u2029]/u;

/** The lines of a text, by everything that ends one. */
export function linesOf(text: string): string[] {
  return text.split(breaks);
}

/** The lines of a text as programs that compare files count them: a line feed at its end starts no further line. */
export function fileLines(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** The text on one line: its lines without the blank space around them, joined by a space; empty ones are left out. */
export function oneLine(text: string): string {
  return linesOf(text)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
}

/** A whole number with commas as thousands separators. */
export function formatNumber(amount: number): string {
  return String(amount).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `1 file`, `2 files`, `1,024 files`. */
export function counted(amount: number, singular: string, plural: string = `${singular}s`): string {
  return `${formatNumber(amount)} ${amount === 1 ? singular : plural}`;
}

/** A size for display: `512 bytes`, `14.2 KB`, `3.0 MB`. */
export function readableBytes(bytes: number): string {
  if (bytes < 1024) return counted(bytes, 'byte');
  const kilobytes = bytes / 1024;
  return kilobytes < 1024 ? `${kilobytes.toFixed(1)} KB` : `${(kilobytes / 1024).toFixed(1)} MB`;
}

/** Quoted names, separated by commas: `"a", "b"`. */
export function quotedList(names: Iterable<string>): string {
  return Array.from(names, (name) => `"${name}"`).join(', ');
}

/**
 * As many items from the start as fit into `maxCharacters` when each is shown on a line of its own, always at least one.
 * @param show the text of an item; must not throw.
 */
export function takeWithin<T>(
  items: readonly T[],
  maxCharacters: number,
  show: (item: T) => string,
): readonly T[] {
  const fits = fitsWithin(maxCharacters);
  const end = items.findIndex((item) => !fits(show(item)));
  return end === -1 ? items : items.slice(0, end);
}

/** A function that says of one text after the other, each on a line of its own, whether it still fits. The first one always does. */
export function fitsWithin(maxCharacters: number): (text: string) => boolean {
  let characters = -1;
  return (text) => {
    const isFirst = characters < 0;
    characters += text.length + (isFirst ? 2 : 1);
    return isFirst || characters <= maxCharacters;
  };
}

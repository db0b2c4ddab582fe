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

/** The first `length` UTF-16 units of a text; one less where that would cut a surrogate pair in two. */
export function startOf(text: string, length: number): string {
  if (text.length <= length) return text;
  const lastUnit = text.charCodeAt(length - 1);
  return text.slice(0, lastUnit >= 0xd800 && lastUnit <= 0xdbff ? length - 1 : length);
}

/** The first `length` UTF-16 units of a longer text, followed by an ellipsis. */
export function cutAfter(text: string, length: number): string {
  return text.length <= length ? text : `${startOf(text, length)}…`;
}

/** The text cut to at most `maxLength` UTF-16 units, the ellipsis included. */
export function shorten(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${startOf(text, maxLength - 1)}…`;
}

/** A whole number with commas between its thousands. */
export function formatNumber(amount: number): string {
  return String(amount).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `1 file`, `2 files`, `1,024 files`. */
export function counted(amount: number, singular: string, plural: string = `${singular}s`): string {
  return `${formatNumber(amount)} ${amount === 1 ? singular : plural}`;
}

/** Names in quotes with commas between them: `"a", "b"`. */
export function quotedList(names: Iterable<string>): string {
  return Array.from(names, (name) => `"${name}"`).join(', ');
}

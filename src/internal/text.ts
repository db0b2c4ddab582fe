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

/** A string of at most `length` UTF-16 units unchanged; a longer one cut to `length` units, followed by an ellipsis. */
export function cutAfter(text: string, length: number): string {
  return text.length <= length ? text : `${startOf(text, length)}…`;
}

/** The string cut to at most `maxLength` UTF-16 units, including the ellipsis. */
export function shorten(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${startOf(text, maxLength - 1)}…`;
}

/** A whole number with commas as thousands separators. */
export function formatNumber(amount: number): string {
  return String(amount).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `1 file`, `2 files`, `1,024 files`. */
export function counted(amount: number, singular: string, plural: string = `${singular}s`): string {
  return `${formatNumber(amount)} ${amount === 1 ? singular : plural}`;
}

/** Quoted names, separated by commas: `"a", "b"`. */
export function quotedList(names: Iterable<string>): string {
  return Array.from(names, (name) => `"${name}"`).join(', ');
}

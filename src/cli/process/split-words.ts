/**
 * The words of a command line, for a program that is started without a shell. Blanks separate words; what is between two `"` or two `'` belongs together, and so does a
 * `${…}`; the quotes are left out. Nothing else has a meaning: no backslash, no variable, no `;` or `|`.
 *
 * @returns undefined when a quote is not closed.
 */
export function splitWords(line: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] ?? '';
    if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    const isQuote = character === '"' || character === "'";
    const isReference = line.startsWith('${', at);
    if (!isQuote && !isReference) {
      word = (word ?? '') + character;
      continue;
    }
    const end = line.indexOf(isQuote ? character : '}', at + 1);
    if (end < 0) {
      if (isQuote) return undefined;
      word = (word ?? '') + character;
      continue;
    }
    word = (word ?? '') + (isQuote ? line.slice(at + 1, end) : line.slice(at, end + 1));
    at = end;
  }
  if (word !== undefined) words.push(word);
  return words;
}

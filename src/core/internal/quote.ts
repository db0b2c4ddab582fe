/**
 * Characters that break a line, change the order or the appearance of what follows, or are invisible: control and format characters
 * (including C1, bidirectional and tag characters), line and paragraph separators, lone surrogates, default-ignorable code points.
 */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Characters for which a name needs quotes: the invisible ones, and those that could end the name or blend into the words around it. */
const needsQuotes = /[\s"\\:<>`\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/**
 * The text with every character that breaks a line or is invisible written as `\uXXXX`, as in JSON. JSON on one line keeps its value.
 */
export function escapeInvisible(text: string): string {
  return text.replace(invisible, (character) =>
    Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** The text as a JSON string of visible characters, on one line. */
export function quoteText(text: string): string {
  return escapeInvisible(JSON.stringify(text));
}

/**
 * A name, path or pattern as a model or a person reads it: unchanged when it is plain, else as {@link quoteText}. A plain name has no
 * whitespace, quotes, backslashes, backticks, `:`, `<`, `>` or invisible characters, so that no name can pass for a line or a sentence.
 */
export function showName(name: string): string {
  return name === '' || needsQuotes.test(name) ? quoteText(name).replaceAll('`', '\\u0060') : name;
}

/** Reverses {@link showName}. A string that `showName` cannot have returned is taken as it is. */
export function readName(shown: string): string {
  if (!shown.startsWith('"')) return shown;
  try {
    const name: unknown = JSON.parse(shown);
    return typeof name === 'string' ? name : shown;
  } catch {
    return shown;
  }
}

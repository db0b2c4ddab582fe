/**
 * What breaks a line, changes the order or the look of what follows, or is not seen: control and format characters (C1, bidirectional
 * and tag characters among them), line and paragraph separators, half surrogate pairs, what fonts leave out.
 */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** What a name needs quotes for, beside that: what could end it, or be taken for words around it. */
const needsQuotes = /[\s"\\:<>`\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/**
 * The text with every character that breaks lines or is not seen as `\uXXXX`, as in JSON. A JSON text of one line stays the same
 * value.
 */
export function escapeUnseen(text: string): string {
  return text.replace(unseen, (character) =>
    Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** The text as a JSON string of visible characters, in one line. */
export function quoteText(text: string): string {
  return escapeUnseen(JSON.stringify(text));
}

/**
 * A name, path or pattern as a model or a person reads it: as it is when it is plain, else as {@link quoteText}. Plain is what has no
 * blanks, quotes, backslashes, backticks, `:`, `<`, `>` and nothing unseen, so no name can be taken for a line or a sentence.
 */
export function showName(name: string): string {
  return name === '' || needsQuotes.test(name) ? quoteText(name).replaceAll('`', '\\u0060') : name;
}

/** The name that {@link showName} has shown; a text that it has not shown is taken as it is. */
export function readName(shown: string): string {
  if (!shown.startsWith('"')) return shown;
  try {
    const name: unknown = JSON.parse(shown);
    return typeof name === 'string' ? name : shown;
  } catch {
    return shown;
  }
}

/**
 * Characters that break a line, change the order or the appearance of what follows, show nothing, or pass for a space: control and format
 * characters (including C1, bidirectional and tag characters), line and paragraph separators, lone surrogates, default-ignorable code
 * points, blanks other than the space, and two symbols that are empty in every font.
 */
const invisible = /(?! )[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u{1D159}]/gu;

/** The same, but for line feeds and tabs. */
const invisibleInLines =
  /(?![ \t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u{1D159}]/gu;

/** The same, but for all blanks, the selectors of emoji and the joiners, which ordinary sentences of some languages have. */
const invisibleInProse =
  /(?!\t|\n|\u200C|\u200D|\uFE0E|\uFE0F)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Characters for which a name needs quotes: the invisible ones, and those that could end the name or blend into the words around it. */
const needsQuotes = /[\s"\\:<>`\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u{1D159}]/u;

/**
 * A text of others for a person to read: every character that would not be seen, or would act instead of being shown, is spelled out as
 * `<U+200B>`. Not for machines: a text that has these words itself looks the same.
 *
 * @param kept what stays: nothing (default), line feeds and tabs, or also what sentences of some languages need, where nothing is decided
 *   by the text.
 */
export function spellInvisible(text: string, kept: 'nothing' | 'lines' | 'prose' = 'nothing'): string {
  const characters = kept === 'nothing' ? invisible : kept === 'lines' ? invisibleInLines : invisibleInProse;
  return text.replace(
    characters,
    (character) => `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`,
  );
}

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

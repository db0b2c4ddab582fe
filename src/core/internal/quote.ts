import { replaceHidden } from './hidden-text.ts';

/** Visible characters for which a name needs quotes: those that could end the name or blend into the words around it. */
const needsQuotes = /[\s"\\:<>`]/;

/** What each way to spell a text leaves as it is. */
const spelling = {
  nothing: { blanks: true },
  lines: { kept: '\t\n', blanks: true },
  prose: { kept: '\t\n\u200c\u200d\ufe0e\ufe0f' },
} as const;

/**
 * A text of others for a person to read: every character that would not be seen, or would act instead of being shown, is spelled out as
 * `<U+200B>`. Not for machines: a text that has these words itself looks the same.
 *
 * @param kept what stays: nothing (default), line feeds and tabs, or also what sentences of some languages need, where nothing is decided
 *   by the text.
 */
export function spellInvisible(text: string, kept: 'nothing' | 'lines' | 'prose' = 'nothing'): string {
  return replaceHidden(
    text,
    (character) => `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`,
    spelling[kept],
  );
}

/**
 * The text with every character that breaks a line or is invisible written as `\uXXXX`, as in JSON. JSON on one line keeps its value.
 */
export function escapeInvisible(text: string): string {
  return replaceHidden(
    text,
    (character) =>
      Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
        .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
        .join(''),
    { blanks: true },
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
  return name === '' || needsQuotes.test(name) || escapeInvisible(name) !== name
    ? quoteText(name).replaceAll('`', '\\u0060')
    : name;
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

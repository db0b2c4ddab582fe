/**
 * Characters that break a line, change the order or the appearance of what follows, or show nothing: control and format characters
 * (including C1, bidirectional and tag characters), line and paragraph separators, lone surrogates, default-ignorable code points
 * (including variation selectors and fillers), and two symbols that are empty in every font.
 */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]/gu;

/** The same, and blanks that pass for a space. */
const hiddenOrBlank = /(?! )[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]/gu;

/** An emoji that is written with several characters. What joins and selects in it is seen as part of it. */
const joinedEmoji =
  /\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?(?:\u200d\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)*/gu;

/** What of a text counts as hidden. */
interface HiddenOptions {
  /** Characters that stay, such as line feeds. Default: none. */
  readonly kept?: string;
  /** True when blanks other than the space are replaced, too. */
  readonly blanks?: boolean;
}

/**
 * The text with something else in the place of each character that a reader does not see, or that acts on what he sees: the one
 * definition of hidden text, for terminals, questions to people and what strangers send to a model.
 *
 * @param replace gets one character, of one or two UTF-16 units.
 */
export function replaceHidden(
  text: string,
  replace: (character: string) => string,
  { kept = '', blanks = false }: HiddenOptions = {},
): string {
  return text.replace(blanks ? hiddenOrBlank : hidden, (character) =>
    kept.includes(character) ? character : replace(character),
  );
}

/** The text without its hidden characters. @param kept characters that stay. Default: none. */
export function withoutHidden(text: string, kept = ''): string {
  return replaceHidden(text, () => '', { kept });
}

/** True when a reader does not see all of the text. Blanks are seen, and emoji of several characters. */
export function hasHidden(text: string): boolean {
  const rest = text.replace(joinedEmoji, '');
  return withoutHidden(rest) !== rest;
}

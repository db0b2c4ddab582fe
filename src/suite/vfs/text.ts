import { formatNumber, quoteText, startOf } from '../../internal/index.ts';

/** Characters of a path or pattern that a message repeats; a longer one is cut. */
const MAX_QUOTED_CHARACTERS = 200;

/** A path or pattern in quotes, cut to a length that cannot flood a message, with what breaks lines or is not seen escaped. */
export function quote(value: string): string {
  return quoteText(cutText(value, MAX_QUOTED_CHARACTERS).text);
}

/**
 * At most `maxCharacters` UTF-16 units of a text, never ending within a surrogate pair, with a note of how many were left
 * out when it was cut.
 */
export function cutText(
  text: string,
  maxCharacters: number,
): { readonly text: string; readonly cut: boolean } {
  if (text.length <= maxCharacters) return { text, cut: false };
  const kept = startOf(text, maxCharacters);
  return { text: `${kept}… [${formatNumber(text.length - kept.length)} more characters]`, cut: true };
}

import { quoteText } from '../../internal/index.ts';

/** Characters of a path or pattern that a message repeats; a longer one is cut. */
const MAX_QUOTED_CHARACTERS = 200;

/** A path or pattern in quotes, cut to a length that cannot flood a message, with what breaks lines or is not seen escaped. */
export function quote(value: string): string {
  return quoteText(cutText(value, MAX_QUOTED_CHARACTERS).text);
}

/** `1 file`, `2 files`, `1,024 files`: a count with its noun. */
export function count(amount: number, singular: string, plural: string = `${singular}s`): string {
  return `${formatNumber(amount)} ${amount === 1 ? singular : plural}`;
}

/** A whole number with commas between its thousands, the same on every machine. */
export function formatNumber(amount: number): string {
  return String(amount).replace(/\B(?=(\d{3})+$)/g, ',');
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
  const last = text.charCodeAt(maxCharacters - 1);
  const isHighSurrogate = last >= 0xd800 && last <= 0xdbff;
  const end = isHighSurrogate ? maxCharacters - 1 : maxCharacters;
  return { text: `${text.slice(0, end)}… [${formatNumber(text.length - end)} more characters]`, cut: true };
}

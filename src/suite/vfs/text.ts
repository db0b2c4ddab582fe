import { cutText, type TextWindowOptions } from '../../core/filesystem/index.ts';
import { formatNumber, quoteText } from '../../core/internal/index.ts';

/** Characters of a path or pattern that a message repeats; a longer one is cut. */
const maxQuotedCharacters = 200;

/** A path or pattern in quotes, cut to a length that cannot flood a message, with line breaks and invisible characters escaped. */
export function quote(value: string): string {
  return quoteText(cutText(value, maxQuotedCharacters).text);
}

/** How many entries were left out because of `.gitignore` files; undefined when none were. */
export function ignoredNote(ignored: number | undefined): string | undefined {
  return ignored === undefined || ignored === 0
    ? undefined
    : `${formatNumber(ignored)} ignored by .gitignore`;
}

/** For a file that is read to be changed: the model sees nothing of it, so nothing of it counts as read. */
export const notShown: TextWindowOptions = Object.freeze({ '~shown': () => [] });

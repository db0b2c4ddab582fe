import { formatNumber } from '../../core/internal/index.ts';
import { didYouMean } from '../options/make-option.ts';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';

/** Length of the shortest beginning that names something. */
const minBeginningLength = 4;

/** How many names a message lists. */
const maxListed = 5;

/** Something with a name. */
interface Named {
  readonly name: string;
}

/**
 * What a word names among these: the one of this name, or the only one whose name begins with it.
 *
 * @param missing what is said when there is none, a sentence; the name that is most like the word follows it.
 * @throws {UsageError} for none, for several, and for a beginning that is too short.
 */
export function chooseNamed<Item extends Named>(word: string, items: readonly Item[], missing: string): Item {
  const exact = items.find(({ name }) => name === word);
  if (exact !== undefined) return exact;
  const found = word === '' ? [] : items.filter(({ name }) => name.startsWith(word));
  const [only, ...others] = found;
  if (only === undefined) {
    throw new UsageError(
      `${missing}${didYouMean(
        word,
        items.map(({ name }) => name),
      )}`,
    );
  }
  if (word.length < minBeginningLength) {
    throw new UsageError(
      `"${printable(word)}" is too short for the beginning of a name, which has ${minBeginningLength} characters at least; names that begin so: ${listOf(found)}.`,
    );
  }
  if (others.length === 0) return only;
  throw new UsageError(`"${printable(word)}" is the beginning of several names: ${listOf(found)}.`);
}

function listOf(items: readonly Named[]): string {
  const names = items.slice(0, maxListed).map(({ name }) => printable(name));
  const rest = items.length - names.length;
  return rest === 0 ? names.join(', ') : `${names.join(', ')} and ${formatNumber(rest)} more`;
}

import { quoteText, startOf } from '../../core/internal/index.ts';
import { GitRefusal } from './git-error.ts';

/** An object id of SHA-1 or SHA-256. */
const objectId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

const maxRefName = 1024;
const maxRevision = 250;

/** Characters that git does not allow in the name of a ref, and all other space. */
const forbiddenInRefs = /[\s\p{Cc}~^:?*[\\]/u;

export function isObjectId(text: string): boolean {
  return objectId.test(text);
}

/** Whether a name is a valid name of a ref below `refs/`, by the rules of `git check-ref-format`, and names no option. */
export function isRefName(name: string): boolean {
  if (!name.startsWith('refs/') || name.length > maxRefName || forbiddenInRefs.test(name)) return false;
  if (name.includes('..') || name.includes('@{') || name.endsWith('.') || name.includes('\ufffd'))
    return false;
  return name
    .split('/')
    .every(
      (part) => part !== '' && !part.startsWith('.') && !part.startsWith('-') && !part.endsWith('.lock'),
    );
}

/** What may follow the name in a revision: ancestors by `~` and `^` with numbers. */
const ancestorSuffix = /(?:[~^][0-9]{0,9}){0,50}$/;

/**
 * Checks a revision: the name of a ref, `HEAD` or an abbreviated object id, followed by any number of `~2` and `^2`.
 * What searches the history, reads the reflog, names a file or is a range is refused.
 * @throws {GitRefusal}
 */
export function assertRevision(revision: string): string {
  const name = revision.replace(ancestorSuffix, '');
  const isValid =
    revision.length <= maxRevision && (name === '@' || name === 'HEAD' || isRefName(`refs/heads/${name}`));
  if (isValid) return revision;
  throw new GitRefusal(
    `${quoteText(startOf(revision, 100))} is not a revision that can be used here. Use the name of a branch or tag, "HEAD" or a commit id, ` +
      'with "~2" or "^2" after it for an ancestor. For a range, pass two revisions.',
  );
}

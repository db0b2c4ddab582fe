import { describeError, RecordError } from '../../core/error/index.ts';
import { printable } from './plain-text.ts';

/** A request that cannot be run: the command exits with 2. `message` is one line and ends with a full stop. */
export class UsageError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'UsageError';
  }
}

/**
 * Returns what `work` yields. What it throws is the mistake of the caller of the command: a `UsageError` that `wordsOf` words. With `kinds`, only errors of these classes; others are passed on.
 *
 * @throws {UsageError}
 */
export function orUsageError<T, E = unknown>(
  work: () => T,
  wordsOf: (error: E) => string,
  ...kinds: readonly { isInstance(error: unknown): error is E }[]
): T {
  const refuse = (error: unknown): never => {
    if (kinds.length > 0 && !kinds.some((kind) => kind.isInstance(error))) throw error;
    // One of the kinds; without kinds `E` is unknown.
    throw new UsageError(wordsOf(error as E), { cause: error });
  };
  try {
    const made = work();
    // A promise stays one of the same value.
    return made instanceof Promise ? (made.catch(refuse) as T) : made;
  } catch (error) {
    return refuse(error);
  }
}

/** Whether rows are whole and this version cannot read them: what comes before the row that it does not know may not be so any more. */
export function isOfLaterVersion(error: unknown): error is RecordError {
  return (
    RecordError.isInstance(error) &&
    (error.code === 'record-version-unsupported' || error.code === 'record-row-unsupported')
  );
}

/** What an error says, as the end of a sentence: printable, without a full stop. */
export function reasonOf(error: unknown): string {
  return missingModule(error) ?? printable(describeError(error)).replace(/\.$/, '');
}

/** Modules of Node that not every supported version has, with the first one. */
const firstVersions: Readonly<Record<string, string>> = { 'node:sqlite': 'Node 22.13 or later' };

/** What to do about a module of Node that this version does not have, as the end of a sentence; undefined for another error. */
export function missingModule(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_UNKNOWN_BUILTIN_MODULE')
    return undefined;
  const [name = 'a module'] = /node:[\w/-]+/.exec(error.message) ?? [];
  const needed = firstVersions[name] ?? 'a later version';
  return `it needs "${name}", which Node ${process.versions.node} does not have: use ${needed}`;
}

/** A description of an error of the operating system, without a path. */
export function errorMessage(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  switch (code) {
    case 'ENOENT':
      return 'no such file or directory';
    case 'EACCES':
    case 'EPERM':
      return 'access is denied';
    case 'EEXIST':
      return 'it exists already';
    case 'EISDIR':
      return 'it is a directory';
    case 'ENOTDIR':
      return 'a part of its path is not a directory';
    case 'ENOSPC':
      return 'no space is left on the device';
    case 'EROFS':
      return 'the disk is read-only';
    default:
      return `the operating system says ${code}`;
  }
}

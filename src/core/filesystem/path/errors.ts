import {
  type ErrorDetails,
  FilesystemError,
  type FilesystemErrorCode,
  type RefuseArgument,
  TransactionClosedError,
} from '../../error/index.ts';
import { quoteText } from '../../internal/index.ts';

/** Refuses an option or an argument. */
export const refuseArgument: RefuseArgument = (message, details) =>
  new FilesystemError('argument-invalid', message, details);

/** An error about a path, which its message begins with. */
export function pathError(
  code: FilesystemErrorCode,
  path: string,
  problem: string,
  { details, ...more }: { readonly cause?: unknown; readonly details?: ErrorDetails } = {},
): FilesystemError {
  return new FilesystemError(code, `${quoteText(path)} ${problem}`, {
    ...more,
    details: { path, ...details },
  });
}

/** The error for a missing file or directory. */
export function notFoundError(
  path: string,
  wanted: 'file' | 'directory' | 'file or directory',
): FilesystemError {
  return new FilesystemError(
    'path-not-found',
    `There is no ${wanted} ${quoteText(path)}. List a directory or use a glob to see what exists.`,
    { details: { path } },
  );
}

/** The error for a directory where a file is required. */
export function isDirectoryError(path: string): FilesystemError {
  return pathError('path-is-directory', path, 'is a directory, not a file. Name a file below it.');
}

/** The error for a file where a directory is required. */
export function notDirectoryError(path: string): FilesystemError {
  return pathError('path-not-directory', path, 'is a file, not a directory. Name a directory.');
}

/** The error for a target that must not exist. */
export function alreadyExistsError(
  path: string,
  kind: 'file' | 'directory',
  advice: string,
): FilesystemError {
  return new FilesystemError('path-taken', `A ${kind} ${quoteText(path)} exists already. ${advice}`, {
    details: { path },
  });
}

/** The error for an operation that the root does not support. */
export function rootError(verb: string): FilesystemError {
  return new FilesystemError('argument-invalid', `The root cannot be ${verb}. Name a path below it.`, {
    details: { path: '.' },
  });
}

/** The error for a file that is not UTF-8 text. */
export function notTextError(path: string, bytes: number): FilesystemError {
  return pathError(
    'file-not-text',
    path,
    `is binary (${bytes} bytes), not UTF-8 text. Read its bytes instead.`,
    { details: { bytes } },
  );
}

/** The error for a file over the limit of one file. */
export function tooLargeError(path: string, bytes: number, maxBytes: number): FilesystemError {
  return pathError(
    'file-too-large',
    path,
    `would have ${bytes} bytes; one file may have ${maxBytes}. Split it into several files.`,
    { details: { bytes, maxBytes } },
  );
}

/**
 * Refuses an option that is not a whole number of at least `minimum`. Undefined is allowed.
 * @throws {FilesystemError} `argument-invalid`.
 */
export function assertIntegerOption(name: string, value: number | undefined, minimum: number): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= minimum)) return;
  throw new FilesystemError(
    'argument-invalid',
    `${name} must be a whole number of at least ${minimum}; received ${String(value)}.`,
    { details: { option: name } },
  );
}

/** The error for an access after the call has ended. */
export function closedError(): TransactionClosedError {
  return new TransactionClosedError(
    'The call that this file system belongs to has ended. Nothing was read or changed.',
  );
}

import {
  describeError,
  FilesystemError,
  type FilesystemErrorCode,
  WinkError,
} from '../../../core/error/index.ts';
import { pathError } from '../../../core/filesystem/index.ts';
import { quoteText } from '../../../core/internal/index.ts';
import { causedBy, errorCode } from '../../disk/system-error.ts';
import { changedOnDiskError, NoDirectoryError } from '../../host-filesystem/jail/disk-error.ts';

/** The error for content that exceeds a limit on totals, when staging or collecting. */
export function tooManyError(what: string, limit: string, path: string): FilesystemError {
  return new FilesystemError(
    'filesystem-quota-exceeded',
    `There are more than ${what} up to ${quoteText(path)}. Exclude what is not needed, or raise ${limit}.`,
    { details: { path } },
  );
}

/** The error for a file over the limit of one file. */
export function oversizeError(path: string, bytes: number, maxFileBytes: number): FilesystemError {
  return pathError(
    'file-too-large',
    path,
    `has ${bytes} bytes; one file may have ${maxFileBytes}. Exclude it, or raise maxFileBytes.`,
    { details: { bytes, maxBytes: maxFileBytes } },
  );
}

/** The error for a staged folder that can no longer be used. */
export function goneError(why: string): FilesystemError {
  return new FilesystemError('path-not-found', `The staged folder ${why}. Nothing was collected from it.`);
}

/**
 * The error that staging or collecting rejects with: an error of this library unchanged, the reason of the signal, and otherwise an
 * error of this library with the original error as its cause.
 * @param done the operation that failed.
 */
export function stagingError(
  done: 'staged' | 'collected',
  error: unknown,
  signal: AbortSignal | undefined,
): unknown {
  if (WinkError.isInstance(error)) return error;
  const isAbort = error instanceof Error && error.name === 'AbortError';
  if (signal?.aborted === true && (isAbort || error === signal.reason)) return signal.reason;
  if (error instanceof NoDirectoryError) return changedOnDiskError('.', error);
  return new FilesystemError(
    'filesystem-storage-failed',
    `The files could not be ${done} (${errorCode(error) ?? describeError(error)}). Nothing was ${done}; you can try again.`,
    causedBy(error),
  );
}

/**
 * The error for an error of the operating system while `path` was written to the folder, and for a folder that
 * another process removed. The original error is the cause, without its message, which contains host paths.
 */
export function writingError(path: string, error: unknown): unknown {
  const code = errorCode(error);
  if (error instanceof NoDirectoryError) return changedOnDiskError(path, error);
  if (code === undefined || WinkError.isInstance(error)) return error;
  const refuse = (kind: FilesystemErrorCode, problem: string): FilesystemError =>
    pathError(kind, path, `cannot be written to the staged folder${problem}`, causedBy(error));
  switch (code) {
    case 'EEXIST':
      return refuse(
        'path-taken',
        ': the disk treats its name as equal to that of another file. ' +
          'Use two names that differ in more than letter case or accents.',
      );
    case 'EINVAL':
    case 'EILSEQ':
    case 'ENAMETOOLONG':
      return refuse('path-invalid', `: the disk does not accept its name (${code}). Rename it.`);
    case 'EACCES':
    case 'EPERM':
      return refuse('path-forbidden', ': access is denied. Choose another tempRoot.');
    default:
      return refuse('filesystem-storage-failed', ` (${code}). Check the disk, or choose another tempRoot.`);
  }
}

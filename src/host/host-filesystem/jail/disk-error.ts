import { FilesystemError } from '../../../core/error/index.ts';
import { present, quoteText } from '../../../core/internal/index.ts';
import { errorCode, withoutPaths } from '../../disk/system-error.ts';

/** A parent of a path is not a directory, or is a link: nothing is accessed through it. */
export class NoDirectoryError extends Error {
  constructor() {
    super('a parent of the path is not a regular directory');
    this.name = 'NoDirectoryError';
  }
}

/** The error for a file that another process changed and that must not be overwritten or read as unchanged. */
export function changedOnDiskError(path: string, cause?: unknown): FilesystemError {
  return new FilesystemError(
    'file-changed-on-disk',
    `${quoteText(path)} was changed on disk by another process in the meantime. Nothing was overwritten. Read it again and repeat the change.`,
    { cause, details: { path } },
  );
}

/** The error for an error of the operating system, which becomes the cause, without its message, as that contains host paths. */
export function diskError(path: string, error: unknown): FilesystemError {
  if (FilesystemError.isInstance(error)) return error;
  if (error instanceof NoDirectoryError) return changedOnDiskError(path, error);
  const code = errorCode(error);
  const cause = withoutPaths(error);
  const details = { path, ...present({ systemCode: code }) };
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return new FilesystemError(
        'path-forbidden',
        `${quoteText(path)} cannot be accessed: the operating system denies it. Check its permissions.`,
        { cause, details },
      );
    case 'EEXIST':
    case 'ENOENT':
    case 'ENOTDIR':
    case 'EISDIR':
    case 'ELOOP':
      return changedOnDiskError(path, cause);
    case 'ENOSPC':
    case 'EDQUOT':
      return new FilesystemError(
        'filesystem-storage-failed',
        `${quoteText(path)} cannot be written: no space is left.`,
        {
          cause,
          details,
        },
      );
    case 'EROFS':
      return new FilesystemError(
        'filesystem-storage-failed',
        `${quoteText(path)} cannot be written: the disk is read-only.`,
        {
          cause,
          details,
        },
      );
    case undefined:
      // Not an error of the operating system but a programming error: rethrown unchanged.
      throw error;
    default:
      return new FilesystemError(
        'filesystem-storage-failed',
        `${quoteText(path)}: the operating system reports ${code}.`,
        {
          cause,
          details,
        },
      );
  }
}

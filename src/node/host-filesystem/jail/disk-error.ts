import { FilesystemError } from '../../../error/index.ts';
import { quoteText } from '../../../internal/index.ts';
import { errorCode, withoutPaths } from '../../disk/system-error.ts';

/** Something on the way to a path is no directory, or is a link: nothing that is reached through it is touched. */
export class NoDirectoryError extends Error {
  constructor() {
    super('a parent of the path is no ordinary directory');
    this.name = 'NoDirectoryError';
  }
}

/** The error for a file that somebody else changed, at a moment when that cannot be overlooked. */
export function changedOnDiskError(path: string, cause?: unknown): FilesystemError {
  return new FilesystemError(
    'file-changed-on-disk',
    `${quoteText(path)} was changed on disk by somebody else meanwhile. Nothing was overwritten. Read it again and repeat the change.`,
    { cause, details: { path } },
  );
}

/** The error that stands for one of the operating system. That is the cause, without its message, which holds host paths. */
export function diskError(path: string, error: unknown): FilesystemError {
  if (FilesystemError.isInstance(error)) return error;
  if (error instanceof NoDirectoryError) return changedOnDiskError(path, error);
  const code = errorCode(error);
  const cause = withoutPaths(error);
  const details = { path, ...(code === undefined ? {} : { systemCode: code }) };
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
      // No error of the operating system: a mistake of the program, to be seen as it is.
      throw error;
    default:
      return new FilesystemError(
        'filesystem-storage-failed',
        `${quoteText(path)}: the operating system says ${code}.`,
        {
          cause,
          details,
        },
      );
  }
}

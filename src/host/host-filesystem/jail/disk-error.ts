import { FilesystemError, type FilesystemErrorCode } from '../../../core/error/index.ts';
import { pathError } from '../../../core/filesystem/index.ts';
import { quoteText } from '../../../core/internal/index.ts';
import { causedBy, errorCode } from '../../disk/system-error.ts';

/** A parent of a path is not a directory, or is a link: nothing is accessed through it. */
export class NoDirectoryError extends Error {
  constructor() {
    super('a parent of the path is not a regular directory');
    this.name = 'NoDirectoryError';
  }
}

/** The error for a file that another process changed and that must not be overwritten or read as unchanged. */
export function changedOnDiskError(path: string, cause?: unknown): FilesystemError {
  return pathError(
    'file-changed-on-disk',
    path,
    'was changed on disk by another process in the meantime. Nothing was overwritten. Read it again and repeat the change.',
    { cause },
  );
}

/** The error for a file that its permissions protect from being written, also where the process has the right to do it all the same. */
export function writeProtectedError(path: string, mode = 0o444): FilesystemError {
  const bits = (mode & 0o777).toString(8);
  return pathError(
    'path-forbidden',
    path,
    `is write-protected (mode ${bits}), so its content is not changed. Leave it as it is, or write to another path.`,
    { details: { mode: bits } },
  );
}

/** The error for an error of the operating system, which becomes the cause, without its message, as that contains host paths. */
export function diskError(path: string, error: unknown): FilesystemError {
  if (FilesystemError.isInstance(error)) return error;
  if (error instanceof NoDirectoryError) return changedOnDiskError(path, error);
  const code = errorCode(error);
  const options = causedBy(error);
  const refuse = (kind: FilesystemErrorCode, problem: string): FilesystemError =>
    pathError(kind, path, problem, options);
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return refuse(
        'path-forbidden',
        'cannot be accessed: the operating system denies it. Check its permissions.',
      );
    case 'EEXIST':
    case 'ENOENT':
    case 'ENOTDIR':
    case 'EISDIR':
    case 'ELOOP':
      return changedOnDiskError(path, options.cause);
    case 'ENOSPC':
    case 'EDQUOT':
      return refuse('filesystem-storage-failed', 'cannot be written: no space is left.');
    case 'EROFS':
      return refuse('filesystem-storage-failed', 'cannot be written: the disk is read-only.');
    case undefined:
      // Not an error of the operating system but a programming error: rethrown unchanged.
      throw error;
    default:
      return new FilesystemError(
        'filesystem-storage-failed',
        `${quoteText(path)}: the operating system reports ${code}.`,
        { ...options, details: { path, ...options.details } },
      );
  }
}

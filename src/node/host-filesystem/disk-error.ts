import { FilesystemError } from '../../error/index.ts';
import { errorCode } from '../host-mount/host-error.ts';
import { NoDirectoryError } from './jail.ts';

/** The error for a file that somebody else changed, at a moment when that cannot be overlooked. */
export function changedOnDiskError(path: string): FilesystemError {
  return new FilesystemError(
    'changed-on-disk',
    `"${path}" was changed on disk by somebody else meanwhile. Nothing was overwritten. Read it again and repeat the change.`,
    { details: { path } },
  );
}

/** The error that stands for one of the operating system. Its own message, which holds host paths, is left out. */
export function diskError(path: string, error: unknown): FilesystemError {
  if (FilesystemError.isInstance(error)) return error;
  if (error instanceof NoDirectoryError) return changedOnDiskError(path);
  const code = errorCode(error);
  const details = { path, ...(code === undefined ? {} : { systemCode: code }) };
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return new FilesystemError(
        'permission-denied',
        `"${path}" cannot be accessed: the operating system denies it. Check its permissions.`,
        { details },
      );
    case 'EEXIST':
    case 'ENOENT':
    case 'ENOTDIR':
    case 'EISDIR':
    case 'ELOOP':
      return changedOnDiskError(path);
    case 'ENOSPC':
    case 'EDQUOT':
      return new FilesystemError('storage-failed', `"${path}" cannot be written: no space is left.`, {
        details,
      });
    case 'EROFS':
      return new FilesystemError('storage-failed', `"${path}" cannot be written: the disk is read-only.`, {
        details,
      });
    case undefined:
      // No error of the operating system: a mistake of the program, to be seen as it is.
      throw error;
    default:
      return new FilesystemError('storage-failed', `"${path}": the operating system says ${code}.`, {
        details,
      });
  }
}

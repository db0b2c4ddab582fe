import { FilesystemError } from '../../error/index.ts';
import { errorCode } from '../host-mount/host-error.ts';

/** Which limit the content breaks, in the folder or on the way to it. */
export function tooManyError(what: string, limit: string, path: string): FilesystemError {
  return new FilesystemError(
    'quota-exceeded',
    `There are more than ${what} up to "${path}". Exclude what is not needed, or raise ${limit}.`,
    { details: { path } },
  );
}

/** A file over the limit of one file. */
export function oversizeError(path: string, bytes: number, maxFileBytes: number): FilesystemError {
  return new FilesystemError(
    'too-large',
    `"${path}" has ${bytes} bytes; one file may have ${maxFileBytes}. Exclude it, or raise maxFileBytes.`,
    { details: { path, bytes, maxBytes: maxFileBytes } },
  );
}

/** The folder cannot be used any more. */
export function goneError(why: string): FilesystemError {
  return new FilesystemError('not-found', `The staged folder ${why}. Nothing was collected from it.`);
}

/**
 * The error that stands for one of the operating system while `path` was written to the folder. Its own message, which
 * holds host paths, is left out.
 */
export function writingError(path: string, error: unknown): unknown {
  const code = errorCode(error);
  if (code === undefined || FilesystemError.isInstance(error)) return error;
  const details = { path, systemCode: code };
  switch (code) {
    case 'EEXIST':
      return new FilesystemError(
        'already-exists',
        `"${path}" cannot be written to the staged folder: there its name is the same as that of another file. ` +
          'Give the two names that differ in more than letter case or accents.',
        { details },
      );
    case 'EINVAL':
    case 'EILSEQ':
    case 'ENAMETOOLONG':
      return new FilesystemError(
        'invalid-path',
        `"${path}" cannot be written to the staged folder: the disk does not take its name (${code}). Rename it.`,
        { details },
      );
    case 'EACCES':
    case 'EPERM':
      return new FilesystemError(
        'permission-denied',
        `"${path}" cannot be written to the staged folder: access is denied. Choose another tempRoot.`,
        { details },
      );
    default:
      return new FilesystemError(
        'storage-failed',
        `"${path}" cannot be written to the staged folder (${code}). Check the disk, or choose another tempRoot.`,
        { details },
      );
  }
}

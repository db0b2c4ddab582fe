import { FilesystemError, type FilesystemErrorCode } from '../../../core/error/index.ts';

/** An error that a command sees, with the code of the system call first. */
export class ShellFileError extends Error {
  constructor(problem: keyof typeof meanings, call: string, path: string) {
    super(`${problem}: ${meanings[problem]}, ${call} '${path}'`);
    this.name = 'ShellFileError';
  }
}

const meanings = {
  EACCES: 'permission denied',
  EBUSY: 'resource busy or locked',
  EEXIST: 'file already exists',
  EFBIG: 'file too large',
  EINVAL: 'invalid argument',
  EIO: 'i/o error',
  EISDIR: 'illegal operation on a directory',
  ENOENT: 'no such file or directory',
  ENOSPC: 'no space left on device',
  ENOTDIR: 'not a directory',
  ENOTEMPTY: 'directory not empty',
  EROFS: 'read-only file system',
} as const;

const problems: Readonly<Record<FilesystemErrorCode, keyof typeof meanings>> = {
  'path-not-found': 'ENOENT',
  'path-taken': 'EEXIST',
  'path-is-directory': 'EISDIR',
  'path-not-directory': 'ENOTDIR',
  'directory-not-empty': 'ENOTEMPTY',
  'path-invalid': 'EINVAL',
  'path-outside-root': 'ENOENT',
  'filesystem-read-only': 'EROFS',
  'filesystem-quota-exceeded': 'ENOSPC',
  'file-not-text': 'EINVAL',
  'file-too-large': 'EFBIG',
  'pattern-invalid': 'EINVAL',
  'edit-not-found': 'EINVAL',
  'edit-ambiguous': 'EINVAL',
  'argument-invalid': 'EINVAL',
  'path-forbidden': 'EACCES',
  'path-excluded': 'EACCES',
  'file-changed-on-disk': 'EIO',
  'root-replaced': 'EIO',
  'filesystem-locked': 'EIO',
  'filesystem-busy': 'EIO',
  'filesystem-storage-failed': 'EIO',
};

/** What a command sees of an error; undefined when the command did not cause it, such as a call that has ended. */
export function shellFileError(error: unknown, call: string, path: string): ShellFileError | undefined {
  if (error instanceof ShellFileError) return error;
  return FilesystemError.isInstance(error) ? new ShellFileError(problems[error.code], call, path) : undefined;
}

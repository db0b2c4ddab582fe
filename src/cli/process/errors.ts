/** A request that cannot be run: the command exits with 2. `message` is one line and ends with a full stop. */
export class UsageError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'UsageError';
  }
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

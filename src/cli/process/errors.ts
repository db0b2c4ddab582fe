/** What a person asked for cannot be run: the command ends with 2. `message` is one line, with a full stop. */
export class UsageError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'UsageError';
  }
}

/** What the operating system said, in words and without a path. */
export function errorMessage(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  switch (code) {
    case 'ENOENT':
      return 'there is no such file or folder';
    case 'EACCES':
    case 'EPERM':
      return 'access is denied';
    case 'EISDIR':
      return 'it is a folder';
    case 'ENOTDIR':
      return 'a part of its path is no folder';
    case 'ENOSPC':
      return 'no space is left';
    case 'EROFS':
      return 'the disk is read-only';
    default:
      return `the operating system says ${code}`;
  }
}

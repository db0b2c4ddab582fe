/** The code of an error of the operating system, such as `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** An error to be kept as a cause: one of the operating system without its message, which holds host paths. */
export function withoutPaths(error: unknown): unknown {
  const code = errorCode(error);
  if (code === undefined || !(error instanceof Error && 'syscall' in error)) return error;
  const { syscall } = error;
  return Object.assign(new Error(`${code}, ${String(syscall)}`), { code, syscall });
}

/** Why something that was listed a moment ago could not be opened or read. */
export function skipReason(error: unknown): 'changed-while-reading' | 'unreadable' {
  switch (errorCode(error)) {
    // It was listed as something else: removed, or replaced by a link or by a file, in the meantime.
    case 'ENOENT':
    case 'ELOOP':
    case 'ENOTDIR':
      return 'changed-while-reading';
    default:
      return 'unreadable';
  }
}

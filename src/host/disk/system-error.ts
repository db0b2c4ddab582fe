import { present } from '../../core/internal/index.ts';

/** The code of an error of the operating system, such as `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** An error to attach as a cause: an operating system error is stripped of its message, which contains host paths. */
export function withoutPaths(error: unknown): unknown {
  const code = errorCode(error);
  if (code === undefined || !(error instanceof Error && 'syscall' in error)) return error;
  const { syscall } = error;
  return Object.assign(new Error(`${code}, ${String(syscall)}`), { code, syscall });
}

/** The cause and details of an error that is because of another one, which may be one of the operating system. */
export function causedBy(error: unknown): {
  readonly cause: unknown;
  readonly details?: { readonly systemCode: string };
} {
  const systemCode = errorCode(error);
  return {
    cause: withoutPaths(error),
    ...present({ details: systemCode === undefined ? undefined : { systemCode } }),
  };
}

/** Why an entry that was just listed could not be opened or read. */
export function skipReason(error: unknown): 'changed-while-reading' | 'unreadable' {
  switch (errorCode(error)) {
    // Removed, or replaced by a link or by a file, since it was listed.
    case 'ENOENT':
    case 'ELOOP':
    case 'ENOTDIR':
      return 'changed-while-reading';
    default:
      return 'unreadable';
  }
}

import { describeError, WinkError } from '../../error/index.ts';

/** An error as it is recorded: JSON-safe, without stack. */
export interface RecordedError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
}

/** An error as the record of a call keeps it. Never throws: errors are made by code of others, and their fields may be anything. */
export function recordError(error: unknown): RecordedError {
  const message = describeError(error);
  try {
    if (!(error instanceof Error)) return { name: typeof error, message };
    const { name: given }: { readonly name: unknown } = error;
    const name = typeof given === 'string' ? given : 'Error';
    return WinkError.isInstance(error) && typeof error.code === 'string'
      ? { name, message, code: error.code }
      : { name, message };
  } catch {
    return { name: 'Error', message };
  }
}

import { describeError, WinkError } from '../error/index.ts';

/** An error as it is recorded: JSON-safe, without stack. */
export interface RecordedError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
}

/** An error as the record of a call keeps it. Never throws. */
export function recordError(error: unknown): RecordedError {
  const message = describeError(error);
  if (!(error instanceof Error)) return { name: typeof error, message };
  return WinkError.isInstance(error)
    ? { name: error.name, message, code: error.code }
    : { name: error.name, message };
}

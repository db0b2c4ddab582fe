import { describeError, WinkError } from '../error/index.ts';
import type { RecordedError } from './tool-invoked.ts';

/** An error as the record of a call keeps it. Never throws. */
export function recordError(error: unknown): RecordedError {
  const message = describeError(error);
  if (!(error instanceof Error)) return { name: typeof error, message };
  return WinkError.isInstance(error)
    ? { name: error.name, message, code: error.code }
    : { name: error.name, message };
}

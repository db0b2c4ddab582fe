import { describeError, JournalError, WinkError } from '../../../core/error/index.ts';

/** What a journal rejects with when the database failed: an error of this library as it is, any other as the cause of one. */
export function journalFailure(error: unknown): WinkError {
  if (WinkError.isInstance(error)) return error;
  return new JournalError(
    'journal-failed',
    `The database of the journal failed, and nothing was written: ${describeError(error)}. The journal can be used again when the reason is gone.`,
    { cause: error },
  );
}

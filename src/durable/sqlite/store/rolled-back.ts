import { TransactionClosedError } from '../../../core/error/index.ts';

/** The error for a call whose transaction SQLite has ended after a failure, as with a full disk. */
export function rolledBack(cause: unknown): TransactionClosedError {
  return new TransactionClosedError(
    'SQLite has rolled back the transaction of this tool call after a failure, so the database can no longer be used through it.',
    { cause },
  );
}

import type { JournalBackend, LedgerBackend } from '../../journal/index.ts';

/** What a backend is asked for, its ledger included. */
type BackendOperations = Omit<JournalBackend, 'close' | 'isDamage' | 'ledger' | 'onLoss'> & LedgerBackend;

/** Name of an operation on the tables. */
export type JournalMethod = keyof BackendOperations;

/** The operations of a backend where the database is open: done before they return. */
export type JournalOperations = {
  [Method in JournalMethod]: (
    ...parameters: Parameters<BackendOperations[Method]>
  ) => Awaited<ReturnType<BackendOperations[Method]>>;
};

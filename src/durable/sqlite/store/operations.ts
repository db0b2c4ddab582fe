import type { JournalBackend } from '../../journal/index.ts';

/** Name of an operation on the tables. */
export type JournalMethod = Exclude<keyof JournalBackend, 'close' | 'isDamage' | 'onLoss'>;

/** The operations of a backend where the database is open: done before they return. */
export type JournalOperations = {
  [Method in JournalMethod]: (
    ...parameters: Parameters<JournalBackend[Method]>
  ) => Awaited<ReturnType<JournalBackend[Method]>>;
};

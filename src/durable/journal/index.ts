export { type FormatStep, type Formats, migrated, migrationsFrom } from './formats.ts';
export type {
  AcquiredLease,
  JournalBackend,
  LeaseKey,
  LeaseMoment,
  LedgerBackend,
} from './journal-backend.ts';
export { busy, fenced } from './lease-errors.ts';
export {
  journalFailure,
  type LeasedJournalOptions,
  type LeasedRunJournal,
  leasedJournal,
} from './leased-journal.ts';
export { memoryJournal } from './memory-journal.ts';
export { leaseHasEnded, placeOf, RefusedRows } from './refused-rows.ts';

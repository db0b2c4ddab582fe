export {
  type AcquiredLease,
  type JournalBackend,
  type LeasedJournalOptions,
  type LeasedRunJournal,
  type LeaseKey,
  type LeaseMoment,
  leasedJournal,
} from '../durable/journal/index.ts';

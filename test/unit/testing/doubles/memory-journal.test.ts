import { describe } from 'vitest';
import { memoryJournal } from 'weakincentives/testing';
import { journalLedgerContract } from '../../../contract/journal-ledger.ts';
import { runJournalContract } from '../../../contract/run-journal.ts';

describe('memoryJournal', () => {
  runJournalContract(memoryJournal);
  journalLedgerContract(memoryJournal);
});

import { describe } from 'vitest';
import { memoryJournal } from 'weakincentives/testing';
import { runJournalContract } from '../../../contract/run-journal.ts';

describe('memoryJournal', () => runJournalContract(memoryJournal));

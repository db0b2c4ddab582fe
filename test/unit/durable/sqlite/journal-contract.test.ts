import { join } from 'node:path';
import { describe } from 'vitest';
import type { RunJournal } from 'weakincentives';
import { directoryBlobs } from 'weakincentives/node';
import { journalLedgerContract } from '../../../contract/journal-ledger.ts';
import { runJournalContract } from '../../../contract/run-journal.ts';
import { drivers, noSqlite, openJournal, sqliteSuite } from '../../../support/sqlite.ts';
import { tempFolder } from '../../host/temp-folder.ts';

const isSkipped = noSqlite !== undefined;

function contract(open: () => RunJournal): void {
  runJournalContract(open);
  journalLedgerContract(open);
}

describe.skipIf(isSkipped).each(drivers)(sqliteSuite('sqliteJournal on a database of %s'), (_, open) => {
  describe('in memory', () => contract(() => openJournal({ database: open() })));
  describe('in a file', () => contract(() => openJournal({ database: open(join(tempFolder(), 'runs.db')) })));
});

describe.skipIf(isSkipped)(sqliteSuite('sqliteJournal in a thread'), () => {
  contract(() => openJournal({ file: join(tempFolder(), 'journal', 'runs.db') }));
});

describe.skipIf(isSkipped)(sqliteSuite('sqliteJournal with its rows in a folder'), () => {
  contract(() => {
    const folder = tempFolder();
    const store = directoryBlobs({ folder: join(folder, 'contents') });
    return openJournal({ file: join(folder, 'runs.db'), blobs: { store, maxRowCharacters: 0 } });
  });
});

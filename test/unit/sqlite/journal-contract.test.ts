import { join } from 'node:path';
import { describe } from 'vitest';
import { runJournalContract } from '../../contract/run-journal.ts';
import { noSqlite, openDatabase, openJournal, sqliteSuite } from '../../support/sqlite.ts';
import { tempFolder } from '../node/temp-folder.ts';

const isSkipped = noSqlite !== undefined;

describe.skipIf(isSkipped)(sqliteSuite('sqliteJournal on a database of the caller'), () => {
  runJournalContract(() => openJournal({ database: openDatabase() }));
});

describe.skipIf(isSkipped)(sqliteSuite('sqliteJournal on a file of a caller'), () => {
  runJournalContract(() => openJournal({ database: openDatabase(join(tempFolder(), 'runs.db')) }));
});

describe.skipIf(isSkipped)(sqliteSuite('sqliteJournal in a thread'), () => {
  runJournalContract(() => openJournal({ file: join(tempFolder(), 'journal', 'runs.db') }));
});

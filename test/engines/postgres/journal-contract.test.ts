import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import type { RunJournal } from 'weakincentives';
import { directoryBlobs } from 'weakincentives/node';
import { journalLedgerContract } from '../../contract/journal-ledger.ts';
import { runJournalContract } from '../../contract/run-journal.ts';
import { tempFolder } from '../../unit/host/temp-folder.ts';
import {
  noPostgres,
  openPool,
  type PostgresServer,
  postgresSuite,
  startPostgres,
} from '../support/postgres.ts';
import { migratedSchema, openJournal } from './support/journals.ts';

function contract(open: () => RunJournal): void {
  runJournalContract(open);
  journalLedgerContract(open);
}

describe.skipIf(noPostgres !== undefined)(postgresSuite('a journal in PostgreSQL'), () => {
  let server: PostgresServer;
  let schema: string;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server[Symbol.asyncDispose]());
  beforeEach(async () => {
    schema = await migratedSchema(server);
  });

  describe('by the clock of the database', () => {
    contract(() => openJournal({ pool: openPool(server), schema }));
  });

  describe('on a pool of one connection', () => {
    contract(() => openJournal({ pool: openPool(server, { max: 1 }), schema }));
  });

  describe('with its rows in a folder', () => {
    runJournalContract(() => {
      const blobs = { store: directoryBlobs({ folder: tempFolder() }), maxRowCharacters: 0 };
      return openJournal({ pool: openPool(server), schema, blobs });
    });
  });
});

import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import { migrate } from 'weakincentives/postgres';
import { runJournalContract } from '../../contract/run-journal.ts';
import { noPgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { noPostgres, openPool, type PostgresServer, startPostgres } from '../support/postgres.ts';
import { openJournal } from './support/journals.ts';

const problem = noPostgres ?? noPgBouncer;
const title = 'a journal in PostgreSQL, through a pooler of transactions';

describe.skipIf(problem !== undefined)(
  problem === undefined ? title : `${title} (skipped: ${problem})`,
  () => {
    let server: PostgresServer;
    let url: string;
    let schema: string;
    beforeAll(async () => {
      server = await startPostgres();
    });
    afterAll(() => server[Symbol.asyncDispose]());
    beforeEach(async () => {
      url = await startPgBouncer(server);
      schema = server.freshSchema();
      await migrate({ pool: openPool({ url }), schema });
    });

    runJournalContract(() => openJournal({ pool: openPool({ url }, { max: 8 }), schema }));
  },
);

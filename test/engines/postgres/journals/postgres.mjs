import { createHash } from 'node:crypto';
import pg from 'pg';
import { migrate, postgresJournal } from 'weakincentives/postgres';

/**
 * A journal in a schema of its own for each case, in the database that the arguments name.
 * @param {import('../../../../src/testing/durable/options.ts').JournalPlace} place
 */
export async function openJournal({ folder, parameters, clock, leaseTimeoutMs }) {
  // The test passes a text.
  const { url } = /** @type {{ url: string }} */ (parameters);
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  const schema = `case_${createHash('sha256').update(folder).digest('hex').slice(0, 40)}`;
  await migrate({ pool, schema });
  const journal = postgresJournal({ pool, schema, clock, leaseTimeoutMs });
  const dispose = journal[Symbol.asyncDispose].bind(journal);
  return Object.assign(journal, {
    [Symbol.asyncDispose]: async () => {
      await dispose();
      await pool.end();
    },
  });
}

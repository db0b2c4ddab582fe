import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JournalError } from 'weakincentives';
import { migrate, type PostgresPool, postgresJournal } from 'weakincentives/postgres';
import { PostgresDatabase } from '../../../src/durable/postgres/database/index.ts';
import { migrateTo } from '../../../src/durable/postgres/store/migrate.ts';
import { type PostgresSchema, postgresSchema } from '../../../src/durable/postgres/store/schema.ts';
import { rowsOf, summaryOf } from '../../contract/run-journal.ts';
import {
  noPostgres,
  openPool,
  type PostgresServer,
  postgresSuite,
  startPostgres,
} from '../support/postgres.ts';
import { migratedSchema, openJournal } from './support/journals.ts';

/** What the version after this one may have. */
const nextSchema: PostgresSchema = {
  ...postgresSchema,
  format: postgresSchema.format + 1,
  migrations: [
    {
      from: postgresSchema.format,
      upgrade: (schema) => [`alter table ${schema}.wink_runs rename column summary to told`],
    },
  ],
};

const migrateNext = (pool: PostgresPool, schema: string, next = nextSchema): Promise<void> =>
  migrateTo(next, new PostgresDatabase(pool, 60_000), schema);

describe.skipIf(noPostgres !== undefined)(postgresSuite('the tables of a journal in PostgreSQL'), () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it('are created once by four who begin at the same time, twenty times', async () => {
    const pools = Array.from({ length: 4 }, () => openPool(server));
    for (let round = 0; round < 20; round += 1) {
      const schema = server.freshSchema();
      await Promise.all(pools.map((pool) => migrate({ pool, schema })));
      const journals = pools.map((pool) => openJournal({ pool, schema }));
      const leases = await Promise.all(journals.map((journal, at) => journal.acquire(`s${at}`)));
      expect(new Set(leases.map(({ epoch }) => epoch)).size).toBe(4);
    }
  });

  it('are in the schema "wink" unless another one is named, and nowhere else', async () => {
    const pool = openPool(server);
    await migrate({ pool });
    await migrate({ pool });
    await (await openJournal({ pool }).acquire('s')).release();
    const { rows } = await pool.query("select tablename from pg_tables where schemaname = 'public'");
    expect(rows).toEqual([]);
  });

  it('are missed by name, with what makes them', async () => {
    const schema = server.freshSchema();
    const journal = openJournal({ pool: openPool(server), schema });
    const missing = {
      code: 'journal-version-unsupported',
      details: { version: 0 },
      message: expect.stringMatching(/has no journal\. Run "wink journal migrate", or call migrate\(\)/),
    };
    const message = { id: 'm', kind: 'cancel', atMs: 1 } as const;
    for (const use of [
      () => journal.acquire('s'),
      () => journal.read('r'),
      () => journal.runs(),
      () => journal.runs({ ready: true }),
      () => journal.send('r', message),
      () => journal.messages('r'),
      () => journal.remove('r'),
      () => journal.revoke('s'),
    ])
      await expect(use()).rejects.toMatchObject(missing);
  });

  it('become those of a later version while this one uses them, which it then refuses to', async () => {
    const schema = await migratedSchema(server);
    const pool = openPool(server);
    const journal = openJournal({ pool, schema });
    const lease = await journal.acquire('s');
    await journal.append({ runId: 'r', rows: rowsOf(0, 1), summary: summaryOf() }, lease);
    await Promise.all([migrateNext(pool, schema), migrateNext(pool, schema)]);
    const later = { code: 'journal-version-unsupported', details: { version: nextSchema.format } };
    const batch = { runId: 'r', rows: rowsOf(1, 1), summary: summaryOf() };
    for (const use of [
      () => journal.append(batch, lease),
      () => journal.acquire('t'),
      () => journal.read('r'),
      () => journal.runs(),
      () => journal.remove('r', lease),
      () => migrate({ pool, schema }),
    ])
      await expect(use()).rejects.toMatchObject(later);
    const { rows } = await pool.query(`select count(*)::int as count from ${schema}.wink_rows`);
    expect(rows).toEqual([{ count: 1 }]);
  });

  it('of an earlier version are named, and left as they are until they are migrated', async () => {
    const schema = await migratedSchema(server);
    const pool = openPool(server);
    await pool.query(`update ${schema}.wink_journal set format = 0`);
    await expect(openJournal({ pool, schema }).acquire('s')).rejects.toMatchObject({
      code: 'journal-version-unsupported',
      message: expect.stringContaining('Run "wink journal migrate"'),
    });
    // No version had it.
    await expect(migrate({ pool, schema })).rejects.toMatchObject({ code: 'journal-version-unsupported' });
  });

  it('are as they were when a migration fails', async () => {
    const schema = await migratedSchema(server);
    const pool = openPool(server);
    const broken: PostgresSchema = {
      ...nextSchema,
      migrations: [
        {
          from: postgresSchema.format,
          upgrade: (name) => [`drop table ${name}.wink_rows`, 'select nothing'],
        },
      ],
    };
    await expect(migrateNext(pool, schema, broken)).rejects.toMatchObject({ code: 'journal-failed' });
    const journal = openJournal({ pool, schema });
    const lease = await journal.acquire('s');
    await journal.append({ runId: 'r', rows: rowsOf(0, 1), summary: summaryOf() }, lease);
    expect(await journal.read('r')).toEqual(rowsOf(0, 1));
  });

  it('are used by a role that may not make any', async () => {
    const schema = await migratedSchema(server);
    const owner = openPool(server);
    await owner.query(`create role worker login password 'worker'`);
    await owner.query(`grant usage on schema ${schema} to worker`);
    await owner.query(`grant select, insert, update, delete on all tables in schema ${schema} to worker`);
    await owner.query(`grant usage on all sequences in schema ${schema} to worker`);
    const pool = openPool(server, { ...server.socket, user: 'worker', connectionString: undefined });
    await migrate({ pool, schema });
    const journal = openJournal({ pool, schema });
    const lease = await journal.acquire('s');
    await journal.append({ runId: 'r', rows: rowsOf(0, 2), summary: summaryOf() }, lease);
    expect(await journal.runs()).toHaveLength(1);
    await journal.remove('r', lease);
    await expect(migrate({ pool, schema: server.freshSchema() })).rejects.toMatchObject({
      code: 'journal-failed',
      message: expect.stringContaining('permission denied'),
    });
  });

  it.each([
    ['', 'it is ""'],
    ['Wink', 'lower-case'],
    ['pg_wink', 'pg_'],
    ['a"; drop schema public; --', 'lower-case'],
    ['a'.repeat(64), '1 to 63'],
  ])('are refused in a schema with the name %j', async (schema, words) => {
    const pool = openPool(server);
    const refused = { code: 'journal-invalid', message: expect.stringContaining(words) };
    await expect(migrate({ pool, schema })).rejects.toMatchObject(refused);
    expect(() => postgresJournal({ pool, schema })).toThrow(JournalError);
  });
});

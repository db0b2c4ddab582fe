import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rowsOf, summaryOf } from '../../contract/run-journal.ts';
import {
  noPostgres,
  openPool,
  type PostgresServer,
  postgresSuite,
  startPostgres,
} from '../support/postgres.ts';
import { migratedSchema, openJournal } from './support/journals.ts';

const megabyte = 1 << 20;

describe.skipIf(noPostgres !== undefined)(postgresSuite('rows in PostgreSQL'), () => {
  let server: PostgresServer;
  let schema: string;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server[Symbol.asyncDispose]());
  const open = async () => {
    schema = await migratedSchema(server);
    return openJournal({ pool: openPool(server, { max: 1 }), schema });
  };

  it.each([
    ['U+0000', 'a\0b'],
    ['half of a surrogate pair', 'a\ud800b\udc00'],
    ['a line separator, quotes and backslashes', '\u2028"\\"\\\\{}\'\'$1\n\t'],
    ['a character beyond the basic plane', '🧭\u{10ffff}'],
    ['no character', ''],
  ])('come back byte for byte with %s in them, and so does what a run is listed with', async (_, text) => {
    const journal = await open();
    const lease = await journal.acquire('s');
    const rows = [0, 1].map((seq) => ({ seq, type: 'note', line: JSON.stringify({ seq, text }) }));
    const summary = summaryOf({ workspace: `/w/${text}`, agent: text, info: { text } });
    const runId = 'r\'"\\';
    await journal.append({ runId, rows, summary }, lease);
    expect(await journal.read(runId)).toEqual(rows);
    expect(await journal.runs({ workspace: `/w/${text}`, runId })).toMatchObject([summary]);
    const message = { id: `m ${text}`, kind: 'cancel', atMs: 1, reason: text } as const;
    await journal.send(runId, message);
    expect(await journal.messages(runId)).toEqual([message]);
    const batch = { runId, rows: rowsOf(2, 1), summary, takes: [message.id] };
    expect(await journal.append(batch, lease)).toEqual({ waiting: 0, isCancelled: false });
  });

  it.each([
    ['U+0000', '{"a":"\0"}'],
    ['half of a surrogate pair', '{"a":"\ud800"}'],
  ])(
    'with %s as a character, which JSON never has, are refused by name, and none is written',
    async (_, line) => {
      const journal = await open();
      const lease = await journal.acquire('s');
      const rows = [...rowsOf(0, 1), { seq: 1, type: 'note', line }];
      await expect(journal.append({ runId: 'r', rows, summary: summaryOf() }, lease)).rejects.toMatchObject({
        code: 'journal-invalid',
        message: expect.stringMatching(/^Row 1 of the run "r" has U\+0000 or half of a surrogate pair/),
      });
      expect(await journal.runs()).toEqual([]);
    },
  );

  it('may have 50 megabytes', async () => {
    const journal = await open();
    const lease = await journal.acquire('s');
    const line = JSON.stringify({ text: '"ä\\'.repeat(10 * megabyte) });
    expect(Buffer.byteLength(line)).toBeGreaterThan(50 * megabyte);
    const rows = [{ seq: 0, type: 'note', line }];
    await journal.append({ runId: 'r', rows, summary: summaryOf() }, lease);
    const [row] = await journal.read('r');
    expect(row?.line === line).toBe(true);
  });

  it('are gone when their run is removed, with its messages', async () => {
    const journal = await open();
    const lease = await journal.acquire('s');
    await journal.append({ runId: 'r', rows: rowsOf(0, 3), summary: summaryOf() }, lease);
    await journal.append({ runId: 'kept', rows: rowsOf(0, 2), summary: summaryOf() }, lease);
    await journal.send('r', { id: 'm', kind: 'cancel', atMs: 1 });
    await journal.remove('r', lease);
    const pool = openPool(server);
    const counts = await Promise.all(
      ['wink_rows', 'wink_runs', 'wink_inbox', 'wink_leases'].map(async (table) => {
        const { rows } = await pool.query(`select count(*)::int as count from ${schema}.${table}`);
        return rows[0].count;
      }),
    );
    expect(counts).toEqual([2, 1, 0, 1]);
  });

  it('are not left without their run by an append that is under way when it is removed', async () => {
    const journal = await open();
    const pool = openPool(server);
    for (let round = 0; round < 20; round += 1) {
      const lease = await journal.acquire('s');
      const other = openJournal({ pool, schema });
      await journal.append({ runId: 'r', rows: rowsOf(0, 1), summary: summaryOf() }, lease);
      const append = journal.append({ runId: 'r', rows: rowsOf(1, 2), summary: summaryOf() }, lease);
      await Promise.allSettled([append, other.remove('r', lease)]);
      await lease.release();
      const { rows } = await pool.query(
        `select count(*)::int as count from ${schema}.wink_rows where run not in (select id from ${schema}.wink_runs)`,
      );
      expect(rows).toEqual([{ count: 0 }]);
    }
  });
});

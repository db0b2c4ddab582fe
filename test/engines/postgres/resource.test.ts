import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  binding,
  JournalFencedError,
  promptTemplate,
  type RunLease,
  resourceToken,
  section,
  type ToolContext,
  ToolResult,
  TransactionClosedError,
  tool,
} from 'weakincentives';
import { migrate, type PostgresConnection, postgresJournal, postgresResource } from 'weakincentives/postgres';
import { memoryJournal } from 'weakincentives/testing';
import { z } from 'zod';
import { rowsOf, summaryOf } from '../../contract/run-journal.ts';
import { gate } from '../../support/gate.ts';
import { runCalls } from '../../support/run-calls.ts';
import {
  expectAllBack,
  noPostgres,
  openPool,
  type PostgresServer,
  postgresSuite,
  startPostgres,
} from '../support/postgres.ts';

let server: PostgresServer;

beforeAll(async () => {
  if (noPostgres === undefined) server = await startPostgres();
});
afterAll(() => server?.[Symbol.asyncDispose]());

/** A table, and what another connection sees of it. */
async function openNotes() {
  const schema = server.freshSchema();
  const pool = openPool(server);
  await migrate({ pool, schema });
  await pool.query(`create table ${schema}.notes (text text unique deferrable initially immediate)`);
  const journal = postgresJournal({ pool, schema, leaseTimeoutMs: 60_000 });
  const { transactional, instance } = postgresResource({ pool, journal });
  const begin = async (within: PostgresConnection = instance, readOnly = false) => {
    const transaction = await transactional.begin(within, { readOnly });
    const commitWith = ({ owner }: RunLease, seq: number, runId = 'r'): void =>
      transaction['~commitWith']?.({ runId, owner, seq });
    return { ...transaction, commitWith };
  };
  const add = (view: PostgresConnection, text: string) =>
    view.query(`insert into ${schema}.notes values ($1)`, [text]);
  const seen = async () => {
    const texts = await pool.query(`select text from ${schema}.notes order by text`);
    const rows = await pool.query(`select count(*)::int as count from ${schema}.wink_rows`);
    return {
      notes: texts.rows.map(({ text }) => text as string).join(''),
      rows: rows.rows[0]?.count as number,
    };
  };
  const append = (lease: RunLease, from: number, runId = 'r') =>
    journal.append({ runId, rows: rowsOf(from, 1), summary: summaryOf() }, lease);
  return { schema, pool, journal, transactional, instance, begin, add, seen, append };
}

describe.skipIf(noPostgres !== undefined)(postgresSuite('a resource in PostgreSQL'), () => {
  it('commits what a call wrote together with its row, and no other one', async () => {
    const { journal, begin, add, seen, append } = await openNotes();
    const [lease, other] = [await journal.acquire('s'), await journal.acquire('another')];
    const { view, commitWith, revoke } = await begin();
    await add(view, 'a');
    revoke?.();
    commitWith(lease, 1);
    await append(other, 0, 'another');
    await append(lease, 0);
    expect(await seen()).toEqual({ notes: '', rows: 2 });
    await append(lease, 1);
    expect(await seen()).toEqual({ notes: 'a', rows: 3 });
  });

  it('drops what a call wrote whose row is refused, and gives the connection back', async () => {
    const { journal, pool, begin, add, seen, append } = await openNotes();
    const lease = await journal.acquire('s');
    const { view, commitWith } = await begin();
    await add(view, 'a');
    commitWith(lease, 5);
    await expect(append(lease, 5)).rejects.toThrow(JournalFencedError);
    expect(await seen()).toEqual({ notes: '', rows: 0 });
    await append(lease, 0);
    expect(pool.idleCount).toBe(pool.totalCount);
  });

  it.each([
    ['released', async (_journal, lease) => lease.release()],
    ['taken by another process', async (journal, lease) => journal.revoke(lease.sessionId)],
  ] satisfies [string, (journal: ReturnType<typeof postgresJournal>, lease: RunLease) => Promise<void>][])(
    'drops what a call wrote whose lease is %s before its row comes',
    async (_, end) => {
      const { journal, pool, begin, add, seen, append } = await openNotes();
      const lease = await journal.acquire('s');
      const { view, commitWith } = await begin();
      await add(view, 'a');
      commitWith(lease, 0);
      await end(journal, lease);
      await expect(append(lease, 0)).rejects.toThrow(JournalFencedError);
      expect(await seen()).toEqual({ notes: '', rows: 0 });
      await expectAllBack(pool);
      // Its own transaction cannot begin to wait for a row any more.
      const late = await begin();
      await add(late.view, 'b');
      expect(() => late.commitWith(lease, 0)).toThrow(TransactionClosedError);
      await late.rollback();
      expect(await seen()).toEqual({ notes: '', rows: 0 });
    },
  );

  it('rolls back, commits without a journal, and closes the view', async () => {
    const { pool, add, schema } = await openNotes();
    const { transactional, instance } = postgresResource({ pool });
    expect(transactional['~sharesTransactionWith']).toBeUndefined();
    const first = await transactional.begin(instance, { readOnly: false });
    await add(first.view, 'a');
    first.revoke?.();
    expect(() => add(first.view, 'late')).toThrow(TransactionClosedError);
    await first.rollback();
    const second = await transactional.begin(instance, { readOnly: false });
    await add(second.view, 'b');
    await second.commit();
    await second.rollback();
    expect((await instance.query(`select text from ${schema}.notes`)).rows).toEqual([{ text: 'b' }]);
  });

  it('is at READ COMMITTED, whatever the database is set up to', async () => {
    const { begin, pool } = await openNotes();
    await pool.query("alter role wink set default_transaction_isolation to 'serializable'");
    await pool.query('alter role wink set default_transaction_read_only to on');
    try {
      const fresh = openPool(server);
      const { transactional, instance } = postgresResource({ pool: fresh });
      const call = await transactional.begin(instance, { readOnly: false });
      const read = async (name: string) => (await call.view.query(`show ${name}`)).rows[0];
      expect(await read('transaction_isolation')).toEqual({ transaction_isolation: 'read committed' });
      expect(await read('transaction_read_only')).toEqual({ transaction_read_only: 'off' });
      await call.rollback();
    } finally {
      await openPool(server, { options: '-c default_transaction_read_only=off' }).query(
        'alter role wink reset all',
      );
    }
    await (await begin()).rollback();
  });

  it('lets a call that only reads write nothing', async () => {
    const { begin, add } = await openNotes();
    const call = await begin(undefined, true);
    await expect(add(call.view, 'a')).rejects.toThrow(/read-only transaction/);
    await call.rollback();
  });

  it('takes one statement at a time, and none that ends the transaction', async () => {
    const { begin, seen, schema } = await openNotes();
    const { view, rollback } = await begin();
    await expect(view.query(`insert into ${schema}.notes values ('a'); commit`)).rejects.toThrow(
      /multiple commands/,
    );
    await rollback();
    const next = await begin();
    await expect(next.view.query('commit')).rejects.toMatchObject({ code: 'resource-statement-refused' });
    await next.rollback();
    expect(await seen()).toEqual({ notes: '', rows: 0 });
  });

  it('refuses to commit after a statement that has failed', async () => {
    const { journal, begin, add, seen } = await openNotes();
    const lease = await journal.acquire('s');
    const { view, commitWith, commit, rollback } = await begin();
    await add(view, 'a');
    await expect(add(view, 'a')).rejects.toThrow(/duplicate key/);
    expect(() => commitWith(lease, 0)).toThrow(/A statement of this tool call has failed/);
    await expect(commit()).rejects.toThrow(TransactionClosedError);
    await rollback();
    expect(await seen()).toEqual({ notes: '', rows: 0 });
  });

  it('gives calls within a call a part of it, one after the other', async () => {
    const { journal, begin, add, seen, append } = await openNotes();
    const lease = await journal.acquire('s');
    const outer = await begin();
    await add(outer.view, 'a');
    const first = await begin(outer.view);
    const waiting = begin(outer.view);
    const within = await begin(first.view);
    await add(within.view, 'b');
    await within.commit();
    await add(first.view, 'c');
    await first.commit();
    const second = await waiting;
    await add(second.view, 'd');
    await expect(add(second.view, 'd')).rejects.toThrow(/duplicate key/);
    await second.rollback();
    const reading = await begin(outer.view, true);
    await expect(add(reading.view, 'e')).rejects.toThrow(/read-only/);
    await reading.rollback();
    await add(outer.view, 'f');
    outer.commitWith(lease, 0);
    await append(lease, 0);
    expect(await seen()).toEqual({ notes: 'abcf', rows: 1 });
  });

  it('does not wait for a statement of a call that is rolled back', async () => {
    const { begin, pool } = await openNotes();
    const { view, rollback } = await begin();
    const sleeping = view.query('select pg_sleep(600)').catch((error: unknown) => error);
    await rollback();
    expect(await sleeping).toBeInstanceOf(Error);
    expect(pool.totalCount).toBe(0);
  });

  it('waits for a statement of a call within, unless the call around it has ended', async () => {
    const { begin, add, seen, pool } = await openNotes();
    const outer = await begin();
    await add(outer.view, 'a');
    const first = await begin(outer.view);
    const blocking = await pool.connect();
    await blocking.query('select pg_advisory_lock(1)');
    const waiting = first.view.query('select pg_advisory_xact_lock(1)');
    const rollingBack = first.rollback();
    await blocking.query('select pg_advisory_unlock(1)');
    blocking.release();
    await Promise.all([waiting, rollingBack]);
    await add(outer.view, 'b');
    await outer.commit();
    expect((await seen()).notes).toBe('ab');

    const ended = await begin();
    const second = await begin(ended.view);
    const sleeping = second.view.query('select pg_sleep(600)').catch((error: unknown) => error);
    const rolledBack = second.rollback();
    ended.revoke?.();
    await rolledBack;
    await expect(ended.commit()).rejects.toThrow(TransactionClosedError);
    await ended.rollback();
    expect(await sleeping).toBeInstanceOf(Error);
    expect(pool.waitingCount).toBe(0);
  });

  it('loses its changes, and nothing else, when the connection breaks', async () => {
    const { journal, begin, add, seen, append, pool } = await openNotes();
    const lease = await journal.acquire('s');
    const { view, commitWith } = await begin();
    await add(view, 'a');
    const { rows } = await view.query<{ pid: number }>('select pg_backend_pid() as pid');
    await pool.query('select pg_terminate_backend($1, 600000)', [rows[0]?.pid]);
    commitWith(lease, 0);
    await expect(append(lease, 0)).rejects.toThrow(/./);
    // The row is not appended without what the call wrote.
    await expect(append(lease, 0)).rejects.toThrow(JournalFencedError);
    expect(await seen()).toEqual({ notes: '', rows: 0 });
  });

  it('is refused with a journal that is elsewhere, and with options that are unknown', async () => {
    const { pool } = await openNotes();
    expect(() => postgresResource({ pool, journal: memoryJournal() as never })).toThrow(
      /one of postgresJournal\(\)/,
    );
    expect(() => postgresResource({ pool, schema: 'x' } as never)).toThrow(/schema/);
    expect(() => postgresResource({} as never)).toThrow(/pool/);
  });

  it.each([
    { what: 'has what the handler wrote, and nothing', isAtWork: false, left: ['lead', 'next'] },
    // Nothing can be separated from a statement that is at work.
    { what: 'has nothing of a call that leaves a statement at work, nor', isAtWork: true, left: ['next'] },
  ])('$what of an evaluation that it does not await', async ({ isAtWork, left }) => {
    const { pool, schema, add } = await openNotes();
    const Notes = resourceToken<PostgresConnection>('notes');
    const notes = binding(Notes, postgresResource({ pool }));
    const inside = gate();
    const writing = (
      name: string,
      work: (context: ToolContext, view: PostgresConnection) => Promise<unknown>,
    ) =>
      tool({
        name,
        description: 'Adds notes.',
        effects: 'state',
        execute: async (_params, context) => {
          await work(context, await context.resources.get(Notes));
          return ToolResult.ok(null);
        },
      });
    const stuck = writing('stuck', async (_context, view) => {
      await add(view, 'inside');
      const sleeping = isAtWork ? view.query('select pg_sleep(600)') : undefined;
      // It ends with its connection, before the handler looks at it.
      sleeping?.catch(() => undefined);
      await inside.pass();
      await sleeping;
    });
    const inner = promptTemplate({
      ns: 'test',
      key: 'inner',
      resources: [notes],
      sections: [section({ title: 'Inside', key: 'inside', template: 'Inside.', tools: [stuck] })],
    });
    const refused: unknown[] = [];
    const lead = writing('lead', async ({ adapter }, view) => {
      await add(view, 'lead');
      void adapter.evaluate(inner.bind());
      await inside.reached;
      try {
        await add(view, 'meanwhile');
      } catch (error) {
        refused.push(error);
      }
    });
    const next = writing('next', (_context, view) => add(view, 'next'));
    await runCalls({
      tools: [lead, next],
      turns: [[{ name: 'lead' }], [{ name: 'stuck' }], [{ name: 'next' }]],
      resources: [notes],
    });
    expect(refused).toMatchObject([{ code: 'resource-busy' }]);
    const { rows } = await pool.query(`select text from ${schema}.notes order by text`);
    expect(rows).toEqual(left.map((text) => ({ text })));
  });

  it('takes part in the calls of a prompt', async () => {
    const { pool, schema, add } = await openNotes();
    const Notes = resourceToken<PostgresConnection>('notes');
    const note = tool({
      name: 'note',
      description: 'Adds notes.',
      effects: 'state',
      inputSchema: z.object({ text: z.string(), fails: z.boolean() }),
      execute: async ({ text, fails }, { resources }) => {
        await add(await resources.get(Notes), text);
        return fails ? ToolResult.error('refused') : ToolResult.ok(null);
      },
    });
    const { invocations } = await runCalls({
      tools: [note],
      calls: ['a', 'b', 'c', 'a'].map((text, at) => ({
        name: 'note',
        arguments: { text, fails: at === 1 },
      })),
      resources: [binding(Notes, postgresResource({ pool }))],
    });
    expect(invocations.map(({ success }) => success)).toEqual([true, false, true, false]);
    const { rows } = await pool.query(`select text from ${schema}.notes order by text`);
    expect(rows).toEqual([{ text: 'a' }, { text: 'c' }]);
  });
});

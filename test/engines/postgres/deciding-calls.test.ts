import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JournalFencedError, TransactionClosedError } from 'weakincentives';
import { rowsOf, summaryOf } from '../../contract/run-journal.ts';
import {
  expectAllBack,
  noPostgres,
  openPool,
  type PostgresServer,
  postgresSuite,
  startPostgres,
} from '../support/postgres.ts';
import { migratedSchema, openJournal } from './support/journals.ts';

describe.skipIf(noPostgres !== undefined)(
  postgresSuite('a row in PostgreSQL that decides about a call'),
  () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await startPostgres();
    });
    afterAll(() => server[Symbol.asyncDispose]());

    const open = async () => {
      const schema = await migratedSchema(server);
      const pool = openPool(server, { max: 5 });
      await pool.query(`create table ${schema}.notes (text text unique deferrable initially deferred)`);
      const journal = openJournal({ pool, schema });
      const lease = await journal.acquire('s');
      /** A call that has written and is committed with a row of the run "r", unless another one is named. */
      const call = async (text: string, seq: number, runId = 'r') => {
        const client = await journal['~database'].hold();
        await client.query('begin isolation level read committed');
        await client.query(`insert into ${schema}.notes values ($1)`, [text]);
        try {
          journal['~calls'].decideWith({ runId, owner: lease.owner, seq }, client);
        } catch (error) {
          await client.query('rollback');
          client.release();
          throw error;
        }
        return client;
      };
      const append = (from: number, count = 1, runId = 'r') =>
        journal.append({ runId, rows: rowsOf(from, count), summary: summaryOf() }, lease);
      // What another process would see: only what is durable.
      const seen = async () => {
        const { rows } = await pool.query(`select text from ${schema}.notes order by text`);
        return { notes: rows.map(({ text }) => text), rows: (await journal.read('r')).length };
      };
      /** All connections are back. */
      const idle = () => expectAllBack(pool);
      return { schema, pool, journal, lease, call, append, seen, idle };
    };

    it('commits what the call wrote together with itself, and no other row does', async () => {
      const { call, append, seen, idle, journal, lease } = await open();
      await call('a', 1);
      expect(await seen()).toEqual({ notes: [], rows: 0 });
      await append(0);
      await append(0, 1, 'other');
      expect(await seen()).toEqual({ notes: [], rows: 1 });
      await journal.append({ runId: 'r', rows: rowsOf(1, 2), summary: summaryOf(), takes: ['m'] }, lease);
      expect(await seen()).toEqual({ notes: ['a'], rows: 3 });
      await idle();
    });

    it('of several in one batch commits each call, in order', async () => {
      const { call, append, seen, idle } = await open();
      await call('b', 3);
      await call('a', 1);
      await call('later', 9);
      await append(0, 6);
      expect(await seen()).toEqual({ notes: ['a', 'b'], rows: 6 });
      await append(6, 4);
      expect(await seen()).toEqual({ notes: ['a', 'b', 'later'], rows: 10 });
      await idle();
    });

    it('that is refused rolls the call back, and so does the end of the lease', async () => {
      const { call, append, seen, idle, lease } = await open();
      await append(0);
      await call('a', 2);
      await expect(append(2)).rejects.toSatisfy(JournalFencedError.isInstance);
      // The lease is not to blame.
      expect(lease.isHeld()).toBe(true);
      await call('b', 1);
      await lease.release();
      await idle();
      expect(await seen()).toEqual({ notes: [], rows: 1 });
      await expect(call('c', 1)).rejects.toSatisfy(TransactionClosedError.isInstance);
      await idle();
    });

    it.each([
      ['is taken by another owner', 'takes'],
      ['is revoked', 'revokes'],
      ['is found lost by a beat', 'beats'],
      ['goes with its journal', 'disposes'],
    ])(
      'never comes when the lease %s: the call is rolled back and its connection is free',
      async (_, how) => {
        const { call, append, seen, idle, journal, lease, pool, schema } = await open();
        await append(0);
        await call('a', 1);
        const other = openJournal({ pool, schema });
        if (how === 'takes') {
          await other.acquire('s', { owner: lease.owner, epoch: lease.epoch });
          await expect(append(1)).rejects.toMatchObject({ details: { epoch: lease.epoch } });
        } else if (how === 'revokes') await journal.revoke('s');
        else if (how === 'disposes') await journal[Symbol.asyncDispose]();
        else {
          await pool.query(`delete from ${schema}.wink_leases`);
          journal['~calls'].letGo(lease.owner);
        }
        await idle();
        const { rows } = await pool.query(`select count(*)::int as count from ${schema}.notes`);
        expect(rows).toEqual([{ count: 0 }]);
        expect(await other.read('r')).toHaveLength(1);
        if (how === 'takes') expect((await seen()).rows).toBe(1);
      },
    );

    it('whose transaction fails is not appended without what the call wrote, however often it is tried', async () => {
      const { call, append, seen, idle } = await open();
      await append(0);
      await call('a', 1);
      await append(1);
      // The same text is refused at the commit.
      await call('a', 2);
      await expect(append(2)).rejects.toMatchObject({ code: 'journal-failed' });
      for (let tries = 0; tries < 2; tries += 1)
        await expect(append(2)).rejects.toMatchObject({
          code: 'journal-fenced',
          message: expect.stringContaining('The transaction of row 2 of the run "r" has failed'),
        });
      expect(await seen()).toEqual({ notes: ['a'], rows: 2 });
      await idle();
    });

    it('whose connection breaks is refused until the run is resumed, and the process continues', async () => {
      const { call, append, seen, idle, pool, lease, journal } = await open();
      await append(0);
      const client = await call('a', 1);
      const [row] = await client.query<'pid'>('select pg_backend_pid() as pid');
      await pool.query('select pg_terminate_backend($1)', [row?.pid]);
      await expect(append(1)).rejects.toMatchObject({ code: 'journal-failed' });
      await expect(append(1)).rejects.toMatchObject({ code: 'journal-fenced' });
      expect(await seen()).toEqual({ notes: [], rows: 1 });
      await lease.release();
      const next = await journal.acquire('s');
      await journal.append({ runId: 'r', rows: rowsOf(1, 1), summary: summaryOf() }, next);
      await idle();
    });
  },
);

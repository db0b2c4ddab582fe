import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SessionBusyError } from 'weakincentives';
import { createManualClock } from 'weakincentives/testing';
import { presentProcess } from '../../../src/host/lock/index.ts';
import { rowsOf, summaryOf } from '../../contract/run-journal.ts';
import {
  noPostgres,
  openPool,
  type PostgresServer,
  postgresSuite,
  startPostgres,
} from '../support/postgres.ts';
import { migratedSchema, openJournal } from './support/journals.ts';

/** A process that has ended. */
async function endedProcess() {
  const child = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' });
  await once(child, 'exit');
  return { ...presentProcess(), pid: child.pid ?? 0 };
}

describe.skipIf(noPostgres !== undefined)(postgresSuite('leases in PostgreSQL'), () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server[Symbol.asyncDispose]());
  const open = async () => {
    const schema = await migratedSchema(server);
    const pool = openPool(server);
    const setHolder = (holder: object) =>
      pool.query(`update ${schema}.wink_leases set holder = $1`, [JSON.stringify(holder)]);
    return { pool, schema, setHolder, journal: openJournal({ pool, schema }) };
  };

  it('of a process that has ended are given to the next one at once, and its runs can continue', async () => {
    const { pool, schema, setHolder, journal } = await open();
    const lease = await journal.acquire('s');
    await journal.append({ runId: 'r', rows: rowsOf(0, 1), summary: summaryOf() }, lease);
    const next = openJournal({ pool, schema });
    expect(await next.runs({ status: 'running' })).toMatchObject([{ runId: 'r' }]);
    await setHolder(await endedProcess());
    expect(await next.runs()).toMatchObject([{ status: 'interrupted', isReady: true }]);
    expect(await next.runs({ status: 'running' })).toEqual([]);
    expect(await next.runs({ status: 'interrupted', limit: 1 })).toMatchObject([{ runId: 'r' }]);
    expect(await next.runs({ ready: true, runId: 'r' })).toMatchObject([{ runId: 'r' }]);
    const taken = await next.acquire('s');
    expect([taken.formerOwner, taken.epoch > lease.epoch]).toEqual([lease.owner, true]);
    await expect(journal.acquire('s')).rejects.toSatisfy(SessionBusyError.isInstance);
  });

  it('of a process that has ended do not keep its runs from being removed', async () => {
    const { setHolder, journal, pool, schema } = await open();
    const lease = await journal.acquire('s');
    await journal.append({ runId: 'r', rows: rowsOf(0, 1), summary: summaryOf() }, lease);
    const other = openJournal({ pool, schema });
    await expect(other.remove('r')).rejects.toSatisfy(SessionBusyError.isInstance);
    await setHolder(await endedProcess());
    await other.remove('r');
    expect(await other.runs()).toEqual([]);
    await other.acquire('s');
  });

  it.each([
    ['another machine', (holder: object) => ({ ...holder, host: 'elsewhere' })],
    ['another container', (holder: object) => ({ ...holder, space: 'another' })],
    ['an author who names it otherwise', () => ({ worker: 7 })],
  ])('of a process of %s are kept until their time is up', async (_, change) => {
    const { setHolder, journal } = await open();
    await journal.acquire('s');
    await setHolder(change(await endedProcess()));
    await expect(journal.acquire('s')).rejects.toSatisfy(SessionBusyError.isInstance);
  });

  it('last by the clock of the database, so that nobody whose own clock is ahead takes one early', async () => {
    const { schema, pool, journal } = await open();
    const lease = await journal.acquire('s');
    const real = Date.now;
    Date.now = () => real() + 5 * 60_000;
    try {
      const ahead = openJournal({ pool, schema });
      await expect(ahead.acquire('s')).rejects.toSatisfy(SessionBusyError.isInstance);
      const own = await ahead.acquire('t');
      expect(own.isHeld()).toBe(true);
      await expect(journal.acquire('t')).rejects.toSatisfy(SessionBusyError.isInstance);
    } finally {
      Date.now = real;
    }
    await journal.append({ runId: 'r', rows: rowsOf(0, 1), summary: summaryOf() }, lease);
    const { rows } = await pool.query(
      `select bool_and(until_ms between extract(epoch from now()) * 1000 and extract(epoch from now()) * 1000 + 30000) as ok from ${schema}.wink_leases`,
    );
    expect(rows).toEqual([{ ok: true }]);
  });

  it('last by the clock that was given, where one was', async () => {
    const { schema, pool } = await open();
    const clock = createManualClock(1_000.5);
    const [journal, next] = [openJournal({ pool, schema, clock }), openJournal({ pool, schema, clock })];
    const lease = await journal.acquire('s');
    await journal.append({ runId: 'r', rows: rowsOf(0, 1), summary: summaryOf() }, lease);
    // Its beats are those of the clock; this owner gives none.
    const hung = createManualClock(1_000.5);
    const hanging = openJournal({ pool, schema, clock: hung });
    await hanging.acquire('t');
    clock.advance(29_999);
    await expect(next.acquire('t')).rejects.toSatisfy(SessionBusyError.isInstance);
    clock.advance(1);
    await next.acquire('t');
    await expect(next.acquire('s')).rejects.toSatisfy(SessionBusyError.isInstance);
    expect(lease.isHeld()).toBe(true);
  });

  it('that were renewed in a future which the clock does not have are over', async () => {
    const { schema, pool } = await open();
    const ahead = openJournal({ pool, schema, clock: createManualClock(1e12) });
    const { owner } = await ahead.acquire('s');
    const journal = openJournal({ pool, schema, clock: createManualClock(1e12 - 3_600_000) });
    expect((await journal.acquire('s')).formerOwner).toBe(owner);
  });

  it('have epochs that grow for each session, whoever takes them in turn', async () => {
    const { schema, pool } = await open();
    const journals = Array.from({ length: 4 }, () => openJournal({ pool, schema }));
    const epochs: number[] = [];
    await Promise.all(
      journals.map(async (journal) => {
        for (let left = 25; left > 0; ) {
          const lease = await journal.acquire('s').catch((error: unknown) => {
            if (!SessionBusyError.isInstance(error)) throw error;
          });
          if (lease === undefined) continue;
          epochs.push(lease.epoch);
          left -= 1;
          await lease.release();
        }
      }),
    );
    expect(epochs).toEqual([...epochs].sort((left, right) => left - right));
    expect(new Set(epochs).size).toBe(100);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunJournal, RunLostError, SessionBusyError } from 'weakincentives';
import { journalOperations } from '../../../src/core/runtime/index.ts';
import { gate } from '../../support/gate.ts';
import {
  noPostgres,
  openPool,
  type PostgresServer,
  postgresSuite,
  startPostgres,
} from '../support/postgres.ts';
import { startProxy } from '../support/tcp-proxy.ts';
import { type Job, jobOf } from './support/jobs.ts';
import { migratedSchema, openJournal } from './support/journals.ts';

/** A journal that counts the appends that have failed. */
function countingJournal(journal: RunJournal) {
  let failures = 0;
  const counting: RunJournal = {
    ...journalOperations(journal),
    append: (batch, lease) =>
      journal.append(batch, lease).catch((error: unknown) => {
        failures += 1;
        throw error;
      }),
  };
  return { counting, failures: () => failures };
}

/**
 * A job of a journal whose time is short, within its effect, which waits until it is opened. On a busy machine that time may be over before; then another job is begun.
 */
async function jobWithin(journal: RunJournal) {
  let failure: unknown;
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const within = gate();
    const runId = `r${attempt}`;
    const job = jobOf(runId, () => within.pass());
    const ended = job.deliver(journal).catch((error: unknown) => error);
    const isWithin = await Promise.race([within.reached.then(() => true), ended.then(() => false)]);
    if (isWithin) return { job, runId, ended, open: within.open };
    failure = await ended;
  }
  throw new Error('No job reached its effect.', { cause: failure });
}

/** Delivers a job until no other owner holds its session. */
async function deliverAgain({ deliver }: Job, journal: RunJournal) {
  for (;;) {
    try {
      return await deliver(journal);
    } catch (error) {
      if (!SessionBusyError.isInstance(error)) throw error;
    }
  }
}

/** Jobs whose effects wait until all of them have arrived and the gate is opened. */
function waitingJobs(count: number) {
  const arrived = Array.from({ length: count }, gate);
  const jobs = arrived.map((each, at) => jobOf(`job-${at}`, () => each.pass()));
  return {
    jobs,
    reached: () => Promise.all(arrived.map(({ reached }) => reached)),
    open: () => {
      for (const each of arrived) each.open();
    },
  };
}

describe.skipIf(noPostgres !== undefined)(postgresSuite('runs whose database'), () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it('crashes and is back before the lease ends continue as if nothing had been', async () => {
    const schema = await migratedSchema(server);
    // As long as a slow machine may take to start the server.
    const journal = openJournal({ pool: openPool(server), schema, leaseTimeoutMs: 600_000 });
    const { counting, failures } = countingJournal(journal);
    const { jobs, reached, open } = waitingJobs(12);
    const outcomes = Promise.all(jobs.map(({ deliver }) => deliver(counting)));
    await reached();
    await server.crash();
    open();
    await expect.poll(failures).toBeGreaterThan(0);
    await server.start();
    expect(await outcomes).toEqual(jobs.map(() => 'done'));
    expect(jobs.map(({ sent }) => sent())).toEqual(jobs.map(() => 1));
    expect(await journal.runs({ status: 'finished' })).toHaveLength(12);
  });

  it('is gone for longer than the lease are lost, and continue afterwards, each effect once', async () => {
    const schema = await migratedSchema(server);
    const pool = openPool(server);
    const { jobs, reached, open } = waitingJobs(6);
    const journal = openJournal({ pool, schema, leaseTimeoutMs: 6_000 });
    const outcomes = Promise.allSettled(jobs.map(({ deliver }) => deliver(journal)));
    await reached();
    await server.crash();
    open();
    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(RunLostError) });
    await server.start();
    const next = openJournal({ pool, schema });
    const again = await Promise.all(jobs.map((job) => deliverAgain(job, next)));
    expect(again).toEqual(jobs.map(() => 'done'));
    expect(jobs.map(({ sent }) => sent())).toEqual(jobs.map(() => 1));
    // The effect may or may not have happened, as far as rows say.
    for (const at of jobs.keys()) {
      const rows = await next.read(`job-${at}`);
      expect(rows.map(({ seq }) => seq)).toEqual([...rows.keys()]);
      expect(rows.filter(({ line }) => line.includes('"in-doubt"'))).toHaveLength(1);
    }
  });

  it('loses the answer to an append find their rows written, and write them once', async () => {
    const schema = await migratedSchema(server);
    const proxy = await startProxy(server.port);
    const url = server.url.replace(`:${server.port}/`, `:${proxy.port}/`);
    const { counting, failures } = countingJournal(openJournal({ pool: openPool({ url }), schema }));
    const job = jobOf('r', async () => proxy.loseAnswerTo(`insert into "${schema}".wink_rows`));
    expect(await job.deliver(counting)).toBe('done');
    expect([failures(), job.sent()]).toEqual([1, 1]);
    const rows = await counting.read('r');
    expect(rows.map(({ seq }) => seq)).toEqual([...rows.keys()]);
    expect(await counting.runs()).toMatchObject([{ status: 'finished', rows: rows.length }]);
  });

  it('cannot be reached end within their lease, another owner continues, and nothing of the first one lands', async () => {
    const schema = await migratedSchema(server);
    const proxy = await startProxy(server.port);
    const url = server.url.replace(`:${server.port}/`, `:${proxy.port}/`);
    const cutOff = openJournal({
      // Without the limit, a connection that is being opened keeps its place in the pool for good.
      pool: openPool({ url }, { connectionTimeoutMillis: 500 }),
      schema,
      leaseTimeoutMs: 6_000,
      queryTimeoutMs: 500,
    });
    const { job, runId, ended, open } = await jobWithin(cutOff);
    proxy.cut();
    open();
    expect(await ended).toBeInstanceOf(RunLostError);
    const journal = openJournal({ pool: openPool(server), schema });
    expect(await deliverAgain(job, journal)).toBe('done');
    const rows = await journal.read(runId);
    proxy.mend();
    await expect.poll(() => cutOff.runs({ runId }).catch(() => [])).toHaveLength(1);
    expect(await journal.read(runId)).toEqual(rows);
    expect(job.sent()).toBe(1);
  });
});

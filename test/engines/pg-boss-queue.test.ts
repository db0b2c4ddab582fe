import { EventEmitter } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { pgBossQueue, type RunJob, type RunQueue, submitRun } from 'weakincentives/durable';
import { jobOf, runQueueContract } from '../contract/run-queue.ts';
import { noPgBoss, pgBossSuite, startBoss, type TestBoss } from './support/boss.ts';
import { openPool, type PostgresServer, startPostgres } from './support/postgres.ts';

describe.skipIf(noPgBoss !== undefined)(pgBossSuite('pgBossQueue'), () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** A queue on a schema of its own. */
  async function open(): Promise<{ readonly boss: TestBoss; readonly queue: RunQueue }> {
    const boss = await startBoss(server, server.freshSchema());
    return { boss, queue: pgBossQueue({ boss, pollMs: 20, retryDelaySeconds: 1 }) };
  }

  describe('as a queue of runs', () => {
    runQueueContract(async () => (await open()).queue);
  });

  it('sends in the transaction of the caller', async () => {
    const { boss, queue } = await open();
    const client = await openPool(server).connect();
    onTestFinished(() => client.release());
    const job = jobOf('r');
    const waiting = async (): Promise<number> => (await boss.findJobs('wink-runs', { queued: true })).length;
    for (const [end, count] of [
      ['rollback', 0],
      ['commit', 1],
    ] as const) {
      await client.query('begin');
      await submitRun({ queue, job, transaction: client });
      expect(await waiting()).toBe(0);
      await client.query(end);
      expect(await waiting()).toBe(count);
    }
    await expect(submitRun({ queue, job, transaction: {} })).rejects.toThrow('a client of pg');
  });

  it('keeps why a job was put aside, and an operator can resume it', async () => {
    const { boss, queue } = await open();
    await queue.send(jobOf('r', { input: 'half of it\0' }));
    const jobs: RunJob[] = [];
    await using _consumer = await queue.work(
      async (job) => {
        jobs.push(job);
        return jobs.length === 1
          ? { kind: 'aside', error: Object.assign(new Error('Wrong.'), { code: 'wrong' }) }
          : { kind: 'done' };
      },
      { concurrency: 1, onError: (error) => expect.fail(String(error)) },
    );
    const find = () => boss.findJobs('wink-runs', { key: 'r' });
    await expect.poll(async () => (await find()).map(({ state }) => state)).toEqual(['cancelled']);
    const [aside] = await find();
    expect(aside?.output).toEqual({ code: 'wrong', message: expect.stringContaining('Wrong.') });
    await boss.resume('wink-runs', aside?.id ?? '');
    await expect.poll(() => jobs).toHaveLength(2);
    expect(jobs[1]).toEqual(jobs[0]);
  });

  it('names the run of a job of a schedule by the job', async () => {
    const { boss, queue } = await open();
    // Makes the queue.
    await queue.send(jobOf('first'));
    const id = await boss.send('wink-runs', { agent: 'greeter' }, { singletonKey: 'nightly' });
    const runs: string[] = [];
    await using _consumer = await queue.work(
      async ({ runId }) => {
        runs.push(runId);
        return runs.length === 2 ? { kind: 'again', afterMs: 0 } : { kind: 'done' };
      },
      { concurrency: 1, onError: (error) => expect.fail(String(error)) },
    );
    await expect.poll(() => runs).toEqual(['first', id, id]);
  });

  it('does nothing for a delivery that someone else has by now', async () => {
    const { boss, queue } = await open();
    await queue.send(jobOf('r'));
    const settle: (() => void)[] = [];
    const errors: unknown[] = [];
    const handle = () =>
      new Promise<{ readonly kind: 'done' }>((resolve) => settle.push(() => resolve({ kind: 'done' })));
    await using _consumer = await queue.work(handle, {
      concurrency: 2,
      onError: (error) => errors.push(error),
    });
    await expect.poll(() => settle).toHaveLength(1);
    const [job] = await boss.findJobs('wink-runs', { key: 'r' });
    await boss.fail('wink-runs', job?.id ?? '', {});
    await expect.poll(() => settle).toHaveLength(2);
    settle[0]?.();
    // The first one is settled when the next job is taken.
    await queue.send(jobOf('next'));
    await expect.poll(() => settle).toHaveLength(3);
    expect(await boss.findJobs('wink-runs', { key: 'r' })).toMatchObject([
      { state: 'active', retryCount: 1 },
    ]);
    for (const end of settle) end();
    expect(errors).toEqual([]);
  });

  it('reports what goes wrong and continues, also when the database was away', async () => {
    const { queue } = await open();
    const errors: unknown[] = [];
    const runs: string[] = [];
    await using _consumer = await queue.work(
      async ({ runId }) => {
        runs.push(runId);
        return { kind: 'done' };
      },
      { concurrency: 1, onError: (error) => errors.push(error) },
    );
    await queue.send(jobOf('r1'));
    await expect.poll(() => runs).toEqual(['r1']);
    await server.crash();
    await expect.poll(() => errors.length).toBeGreaterThan(0);
    await server.start();
    await expect
      .poll(() =>
        queue.send(jobOf('r2')).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    await expect.poll(() => runs).toContain('r2');
  });

  it('refuses a queue that was made in another way', async () => {
    const boss = await startBoss(server, server.freshSchema());
    await boss.createQueue('own', {});
    const queue = pgBossQueue({ boss, name: 'own' });
    await expect(queue.send(jobOf('r'))).rejects.toThrow('needs the queue "own" with the policy "short"');
  });

  it('has a listener for errors of the instance', async () => {
    const { boss } = await open();
    expect(boss).toBeInstanceOf(EventEmitter);
    expect((boss as unknown as EventEmitter).listenerCount('error')).toBe(2);
  });
});

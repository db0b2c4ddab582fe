import { describe, expect, it } from 'vitest';
import { PromptValidationError } from 'weakincentives';
import { type PgBossQueueOptions, pgBossQueue, type RunJob } from 'weakincentives/durable';
import { createManualClock } from 'weakincentives/testing';
import { jobOf } from '../../../contract/run-queue.ts';

const nothing = async (): Promise<null> => null;

/** What pg-boss 10 has. */
const tenth = { on: () => undefined, send: nothing, fetch: async () => [], complete: nothing, fail: nothing };

/** A stand-in for an instance of pg-boss 12, which keeps what it was asked. */
function fakeBoss(changes: object = {}) {
  const calls: unknown[][] = [];
  const errors: ((error: Error) => void)[] = [];
  const keep =
    (name: string, answer: unknown = null) =>
    async (...args: unknown[]): Promise<never> => {
      calls.push([name, ...args]);
      // Each has the type of its method.
      return answer as never;
    };
  const boss: PgBossQueueOptions['boss'] = {
    on: (_, listener) => errors.push(listener),
    createQueue: keep('createQueue'),
    getQueue: async () => ({ policy: 'short', heartbeatSeconds: 10 }),
    send: keep('send', 'id'),
    fetch: async () => [],
    touch: keep('touch'),
    complete: keep('complete'),
    fail: keep('fail'),
    cancel: keep('cancel'),
    findJobs: async () => [],
    ...changes,
  };
  return { boss, calls, errors };
}

describe('pgBossQueue', () => {
  it.each([
    [tenth, 'needs pg-boss 12.13 or later'],
    [tenth, 'npm install pg-boss@12'],
    [{}, 'takes boss: new PgBoss'],
  ])('refuses an instance of another version', (boss, message) => {
    // What untyped code passes.
    expect(() => pgBossQueue({ boss: boss as never })).toThrow(message);
    expect(() => pgBossQueue({ boss: boss as never })).toThrow(PromptValidationError);
  });

  it.each([
    [{ name: 'a b' }, 'name'],
    [{ pollMs: 1 }, 'pollMs'],
    [{ retryLimit: -1 }, 'retryLimit'],
    [{ queue: 'x' }, 'queue'],
  ])('refuses %j', (options, what) => {
    const { boss } = fakeBoss();
    expect(() => pgBossQueue({ boss, ...options })).toThrow(what);
  });

  it('makes the queue once, and again after it has failed', async () => {
    let isDown = true;
    let made = 0;
    const { boss } = fakeBoss({
      createQueue: async () => {
        made += 1;
        if (isDown) throw new Error('down');
      },
    });
    const queue = pgBossQueue({ boss });
    await expect(queue.send(jobOf('r'))).rejects.toThrow('down');
    isDown = false;
    await queue.send(jobOf('r'));
    await queue.send(jobOf('r'));
    expect(made).toBe(2);
  });

  it('says that its worker lives, of each job in hand, by what the version knows of it', async () => {
    const clock = createManualClock();
    const jobs = [
      { id: 'a', data: jobOf('r1'), retryCount: 3 },
      { id: 'b', data: jobOf('r2'), retryCount: 0 },
    ];
    let fetched: readonly object[] = jobs;
    const { boss, calls } = fakeBoss({
      fetch: async () => {
        const found = fetched;
        fetched = [];
        return found;
      },
    });
    const queue = pgBossQueue({ boss, clock });
    const taken: RunJob[] = [];
    const handle = (job: RunJob): Promise<never> => {
      taken.push(job);
      return new Promise(() => undefined);
    };
    await queue.work(handle, { concurrency: 5, onError: () => undefined });
    await expect.poll(() => taken).toHaveLength(2);
    clock.advance(3_334);
    expect(calls.filter(([name]) => name === 'touch')).toEqual([
      ['touch', 'wink-runs', jobs.map(({ id, retryCount }) => ({ id, retryCount }))],
    ]);
    fetched = [{ id: 'c', data: jobOf('r3') }];
    const next = (): unknown => {
      clock.advance(500);
      return calls.at(-1);
    };
    await expect.poll(next).toEqual(['touch', 'wink-runs', ['a', 'b', 'c']]);
  });

  it('gives errors of the instance to its listener, or to those who work', async () => {
    const error = new Error('The connection was lost.');
    const own: unknown[] = [];
    const first = fakeBoss();
    pgBossQueue({ boss: first.boss, onError: (each) => own.push(each) });
    for (const listener of first.errors) listener(error);
    expect(own).toEqual([error]);
    const second = fakeBoss();
    const theirs: unknown[] = [];
    const queue = pgBossQueue({ boss: second.boss });
    const onError = (each: unknown): void => void theirs.push(each);
    const consumer = await queue.work(async () => ({ kind: 'done' }), { concurrency: 1, onError });
    for (const listener of second.errors) listener(error);
    await consumer[Symbol.asyncDispose]();
    for (const listener of second.errors) listener(error);
    expect(theirs).toEqual([error]);
  });

  it('keeps a job whose outcome could not be kept in the hands of the queue', async () => {
    const errors: unknown[] = [];
    let fetched: readonly object[] = [{ id: 'a', data: jobOf('r') }];
    const { boss } = fakeBoss({
      fetch: async () => {
        const found = fetched;
        fetched = [];
        return found;
      },
      complete: async () => {
        throw new Error('down');
      },
    });
    const queue = pgBossQueue({ boss });
    const onError = (error: unknown): void => void errors.push(error);
    const consumer = await queue.work(async () => ({ kind: 'done' }), { concurrency: 1, onError });
    await expect.poll(() => errors).toEqual([new Error('down')]);
    await consumer[Symbol.asyncDispose]();
  });
});

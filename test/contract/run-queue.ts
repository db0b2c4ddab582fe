import { describe, expect, it, onTestFinished } from 'vitest';
import type { RunJob, RunJobOutcome, RunQueue } from 'weakincentives/durable';

/** A job of the run with a name. */
export const jobOf = (runId: string, members: Partial<RunJob> = {}): RunJob => ({
  agent: 'greeter',
  runId,
  ...members,
});

const done = { kind: 'done' } as const;

/** What a consumer of the tests got, and how it answers. */
interface Consumed extends AsyncDisposable {
  readonly jobs: readonly RunJob[];
}

/** Takes jobs from a queue until the end of the test. */
async function consume(
  queue: RunQueue,
  answer: (job: RunJob, delivery: number) => RunJobOutcome | Promise<RunJobOutcome> = () => done,
  concurrency = 10,
): Promise<Consumed> {
  const jobs: RunJob[] = [];
  const consumer = await queue.work(
    async (job) => {
      jobs.push(job);
      return answer(job, jobs.filter(({ runId }) => runId === job.runId).length);
    },
    { concurrency, onError: (error) => expect.fail(String(error)) },
  );
  const dispose = (): PromiseLike<void> => consumer[Symbol.asyncDispose]();
  onTestFinished(async () => dispose());
  return { jobs, [Symbol.asyncDispose]: dispose };
}

/** An outcome that a test decides later. */
function outcomeLater(): { readonly promise: Promise<RunJobOutcome>; resolve(outcome: RunJobOutcome): void } {
  let resolve: (outcome: RunJobOutcome) => void = () => undefined;
  const promise = new Promise<RunJobOutcome>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: (outcome) => resolve(outcome) };
}

const names = (jobs: readonly RunJob[]): readonly string[] => jobs.map(({ runId }) => runId);

/**
 * The contract of {@link RunQueue}.
 *
 * @param open makes a queue that no other test uses, which delivers a job that failed at least once more.
 */
export function runQueueContract(open: () => Promise<RunQueue>): void {
  it('delivers what was sent, before and after someone works', async () => {
    const queue = await open();
    const job = jobOf('r1', {
      sessionId: 's',
      input: [{ type: 'text', text: 'Hé\n\0"\u2028' }],
      params: { count: 7, list: ['a', null], nested: { yes: true } },
      version: '3',
      priority: -2,
    });
    await queue.send(job);
    const { jobs } = await consume(queue);
    // Two that are taken at a time come in any order.
    await expect.poll(() => names(jobs)).toEqual(['r1']);
    await queue.send(jobOf('r2'));
    await expect.poll(() => names(jobs)).toEqual(['r1', 'r2']);
    expect(jobs).toEqual([job, jobOf('r2')]);
  });

  it('delivers a job of one run once where another one waits', async () => {
    const queue = await open();
    await queue.send(jobOf('r'));
    await queue.send(jobOf('r'));
    await queue.send(jobOf('last'));
    const { jobs } = await consume(queue, undefined, 1);
    await expect.poll(() => names(jobs)).toContain('last');
    expect(names(jobs)).toEqual(['r', 'last']);
  });

  it('keeps a job that is sent while the run has one in hand', async () => {
    const queue = await open();
    const first = outcomeLater();
    const { jobs } = await consume(queue, (_, delivery) => (delivery === 1 ? first.promise : done));
    await queue.send(jobOf('r'));
    await expect.poll(() => jobs).toHaveLength(1);
    await queue.send(jobOf('r'));
    first.resolve(done);
    await expect.poll(() => jobs).toHaveLength(2);
  });

  it('delivers the largest priority first', async () => {
    const queue = await open();
    for (const [index, priority] of [0, 5, -1, 5].entries())
      await queue.send(jobOf(`r${index}`, { priority }));
    await queue.send(jobOf('r4'));
    const { jobs } = await consume(queue, undefined, 1);
    await expect.poll(() => names(jobs)).toEqual(['r1', 'r3', 'r0', 'r4', 'r2']);
  });

  it('delivers a job not before its time', async () => {
    const queue = await open();
    await queue.send(jobOf('late', { startAfter: '2999-01-01T00:00:00Z' }));
    await queue.send(jobOf('past', { startAfter: '2020-01-01T00:00:00.5+02:00' }));
    await queue.send(jobOf('now'));
    const { jobs } = await consume(queue);
    await expect.poll(() => names(jobs).toSorted()).toEqual(['now', 'past']);
  });

  it('has as many jobs in hand as it may, and a slow one does not hold the others', async () => {
    const queue = await open();
    const slow = outcomeLater();
    const { jobs } = await consume(queue, ({ runId }) => (runId === 'slow' ? slow.promise : done), 2);
    await queue.send(jobOf('slow'));
    await expect.poll(() => names(jobs)).toEqual(['slow']);
    for (let index = 0; index < 5; index += 1) await queue.send(jobOf(`r${index}`));
    await expect.poll(() => jobs).toHaveLength(6);
    slow.resolve(done);
  });

  it('never has more jobs in hand than it may', async () => {
    const queue = await open();
    for (let index = 0; index < 5; index += 1) await queue.send(jobOf(`r${index}`));
    let inHand = 0;
    let most = 0;
    const { jobs } = await consume(
      queue,
      async () => {
        inHand += 1;
        most = Math.max(most, inHand);
        await new Promise((resolve) => setImmediate(resolve));
        inHand -= 1;
        return done;
      },
      2,
    );
    await expect.poll(() => jobs).toHaveLength(5);
    expect(most).toBe(2);
  });

  describe('a job', () => {
    it('that is given back is delivered again, with all that it has', async () => {
      const queue = await open();
      const job = jobOf('r', { priority: 3, input: 'Hi.', startAfter: '2020-01-01T00:00:00Z' });
      await queue.send(job);
      const { jobs } = await consume(queue, (_, delivery) =>
        delivery < 4 ? { kind: 'again', afterMs: 0 } : done,
      );
      await expect.poll(() => jobs).toHaveLength(4);
      expect(jobs).toEqual([job, job, job, job]);
    });

    it('that is given back for later lets others go first, and comes once its time is there', async () => {
      const queue = await open();
      const laterMs = new Map([
        ['late', 86_400_000],
        ['soon', 1_000],
      ]);
      await queue.send(jobOf('late'));
      const { jobs } = await consume(
        queue,
        ({ runId }, delivery) => {
          const afterMs = laterMs.get(runId);
          return delivery === 1 && afterMs !== undefined ? { kind: 'again', afterMs } : done;
        },
        1,
      );
      await expect.poll(() => names(jobs)).toEqual(['late']);
      await queue.send(jobOf('other'));
      await expect.poll(() => names(jobs)).toEqual(['late', 'other']);
      await queue.send(jobOf('soon'));
      await expect.poll(() => names(jobs)).toEqual(['late', 'other', 'soon', 'soon']);
    });

    it('that failed is delivered again by the policy of the queue', async () => {
      const queue = await open();
      await queue.send(jobOf('r'));
      const { jobs } = await consume(queue, (_, delivery) =>
        delivery === 1 ? { kind: 'failed', error: new Error('no') } : done,
      );
      await expect.poll(() => jobs).toHaveLength(2);
    });

    it('that was put aside is not delivered again, and the next one of its run is', async () => {
      const queue = await open();
      await queue.send(jobOf('r'));
      // One at a time: a queue may let a job fail before it puts it aside, and a busy machine takes longer for both than the job waits.
      const { jobs } = await consume(
        queue,
        (_, delivery) => (delivery === 1 ? { kind: 'aside', error: new Error('no') } : done),
        1,
      );
      await expect.poll(() => names(jobs)).toEqual(['r']);
      await queue.send(jobOf('other'));
      await expect.poll(() => names(jobs)).toEqual(['r', 'other']);
      await queue.send(jobOf('r'));
      await expect.poll(() => names(jobs)).toEqual(['r', 'other', 'r']);
    });

    it('that was removed while it waits is not delivered', async () => {
      const queue = await open();
      await queue.send(jobOf('r'));
      await queue.send(jobOf('other'));
      await queue.remove?.('r');
      await queue.remove?.('unknown');
      const { jobs } = await consume(queue, undefined, 1);
      await expect.poll(() => names(jobs)).toEqual(['other']);
    });
  });

  it('is disposed of once each job in hand has its outcome, and takes no more', async () => {
    const queue = await open();
    const outcome = outcomeLater();
    const first = await consume(queue, () => outcome.promise, 1);
    await queue.send(jobOf('r'));
    await expect.poll(() => first.jobs).toHaveLength(1);
    let isDisposed = false;
    const disposed = Promise.resolve(first[Symbol.asyncDispose]()).then(() => {
      isDisposed = true;
    });
    await queue.send(jobOf('next'));
    const second = await consume(queue);
    await expect.poll(() => names(second.jobs)).toEqual(['next']);
    expect(isDisposed).toBe(false);
    outcome.resolve({ kind: 'again', afterMs: 0 });
    await disposed;
    await expect.poll(() => names(second.jobs)).toEqual(['next', 'r']);
    expect(first.jobs).toHaveLength(1);
  });
}

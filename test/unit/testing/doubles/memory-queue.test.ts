import { describe, expect, it } from 'vitest';
import { createManualClock, memoryQueue } from 'weakincentives/testing';
import { jobOf, runQueueContract } from '../../../contract/run-queue.ts';

describe('memoryQueue', () => {
  runQueueContract(async () => memoryQueue());

  it('waits by its clock', async () => {
    const clock = createManualClock(Date.parse('2026-12-01T06:00:00Z'));
    const queue = memoryQueue({ clock });
    await queue.send(jobOf('r', { startAfter: '2026-12-01T07:00:00+01:00' }));
    await queue.send(jobOf('late', { startAfter: '2026-12-01T06:00:01Z' }));
    const jobs: string[] = [];
    const onError = (): void => undefined;
    await using _consumer = await queue.work(
      async ({ runId }) => {
        jobs.push(runId);
        return { kind: 'done' };
      },
      { concurrency: 1, onError },
    );
    await Promise.resolve();
    expect(jobs).toEqual(['r']);
    clock.advance(999);
    expect(queue.waiting.map(({ runId }) => runId)).toEqual(['late']);
    clock.advance(1);
    await expect.poll(() => jobs).toEqual(['r', 'late']);
  });

  it('shows what is not delivered again', async () => {
    const queue = memoryQueue({ retryLimit: 1 });
    const error = new Error('no');
    await queue.send(jobOf('failed'));
    await queue.send(jobOf('aside'));
    await using _consumer = await queue.work(
      async ({ runId }) => ({ kind: runId === 'failed' ? 'failed' : 'aside', error }),
      { concurrency: 1, onError: () => undefined },
    );
    await expect.poll(() => queue.ended).toHaveLength(2);
    expect(queue.ended.map(({ job, outcome }) => [job.runId, outcome.kind])).toEqual([
      ['aside', 'aside'],
      ['failed', 'failed'],
    ]);
  });

  it('refuses a transaction', async () => {
    await expect(memoryQueue().send(jobOf('r'), { transaction: {} })).rejects.toThrow('no transactions');
  });
});

import { assertMembers, assertOptions } from '../../core/error/index.ts';
import { present } from '../../core/internal/index.ts';
import { randomIds } from '../../core/session/index.ts';
import { checkedJob, type RunJob } from './run-job.ts';
import type { RunQueue, RunQueueSendOptions } from './run-queue.ts';

/** Options of {@link submitRun}. */
export interface SubmitRunOptions extends RunQueueSendOptions {
  /** Takes the job. */
  readonly queue: RunQueue;
  /** Without a `runId` it is a new run. */
  readonly job: Omit<RunJob, 'runId'> & Partial<Pick<RunJob, 'runId'>>;
  /** Names runs. Default: random ids. */
  readonly ids?: () => string;
}

/**
 * Sends the job of a run to a queue, from which a worker takes it ({@link RunQueue}). With the `transaction` of the caller it is sent when that is committed, and never when it is rolled back.
 *
 * A `runId` that comes from what the run is for, such as the number of an order, makes submitting it twice one run.
 *
 * ```ts
 * import { submitRun } from 'weakincentives/durable';
 * import { memoryQueue } from 'weakincentives/testing';
 *
 * const queue = memoryQueue();
 * const runId = await submitRun({ queue, job: { agent: 'greeter', runId: 'order-7', input: 'Hi.', priority: 5 } });
 * console.log(runId, queue.waiting.length); // order-7 1
 * ```
 *
 * @returns the name of the run.
 * @throws {PromptValidationError} with `details.option`, for a job with a member that is unknown or not what it must be.
 * @throws what the queue throws.
 * @see docs/spec/durable-runs.md §16
 */
export async function submitRun(options: SubmitRunOptions): Promise<string> {
  assertOptions('submitRun()', options, {
    queue: 'object!',
    job: 'object!',
    transaction: 'object',
    ids: 'function',
  });
  const { queue, job: given, transaction, ids = randomIds } = options;
  assertQueue('submitRun()', queue);
  const job = checkedJob('submitRun()', { ...given, runId: given.runId ?? ids() });
  await queue.send(job, present({ transaction }));
  return job.runId;
}

/** Refuses what is not a queue, such as an instance of pg-boss. */
export function assertQueue(of: string, queue: RunQueue): void {
  assertMembers(`${of}: queue`, queue, { send: 'function!', work: 'function!', remove: 'function' });
}

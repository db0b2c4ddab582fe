import type { RunJob } from './run-job.ts';

/**
 * What became of a job that was delivered.
 *
 * - `done`: nothing is left to do, so it is not delivered again.
 * - `again`: it is delivered again once `afterMs` have passed, to any worker. That is not counted: the job did not fail.
 * - `failed`: the policy of the queue decides whether it is delivered again, and when.
 * - `aside`: it is not delivered again until a person sends it, because it would fail in the same way.
 */
export type RunJobOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'again'; readonly afterMs: number }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'aside'; readonly error: unknown };

/** How jobs are taken from a {@link RunQueue}. */
export interface RunQueueWorkOptions {
  /** How many jobs are in hand at most; 1 or more. */
  readonly concurrency: number;
  /** Gets what went wrong in the queue itself, which continues. Must not throw. */
  readonly onError: (error: unknown) => void;
}

/** How a job is sent. */
export interface RunQueueSendOptions {
  /** What the caller writes in the same transaction with, such as a client of `pg`: the job is there when that is committed. Default: none. */
  readonly transaction?: object;
}

/**
 * Brings jobs to workers. It has to deliver a job at least once, to one worker or another, until that has answered with an outcome: lease and rows of the journal make one run of it,
 * however often it comes. A job whose worker has ended without an answer is delivered again.
 *
 * @see docs/spec/durable-runs.md §16
 */
export interface RunQueue {
  /**
   * Sends a job; resolves when it is kept. While another job of the same run waits, that one is enough.
   *
   * @throws whatever keeps the job from being kept.
   */
  send(job: RunJob, options?: RunQueueSendOptions): Promise<void>;
  /**
   * Takes jobs from now on, the ones with the largest priority first, and calls `handle` with each, which never rejects. A slow one does not hold the others. The queue continues when it
   * fails, and reports that to `onError`.
   *
   * @returns disposing of it takes no more jobs, from that moment on, and resolves when each that is in hand has its outcome.
   */
  work(
    handle: (job: RunJob) => Promise<RunJobOutcome>,
    options: RunQueueWorkOptions,
  ): Promise<AsyncDisposable>;
  /** Removes what waits of a run. Default: it is delivered, and does nothing where `cancelRun` has ended the run. */
  remove?(runId: string): Promise<void>;
}

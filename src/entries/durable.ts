/**
 * Runs on more than one machine: queues, workers, blobs, the journal over tables of your own, engines of others.
 *
 * Runs in any runtime.
 *
 * @module weakincentives/durable
 */

export {
  type RunWorker,
  type RunWorkerOptions,
  runWorker,
  type WorkedAgent,
  type WorkedRunOptions,
} from '../agent/worker/index.ts';
export type { BlobStore } from '../core/runtime/index.ts';
export type { SharedBudgetPort as SharedBudget } from '../core/tool/index.ts';
export {
  type JournalBlobs,
  type S3BlobClient,
  type S3BlobsOptions,
  s3Blobs,
} from '../durable/blobs/index.ts';
export { type SharedBudgetOptions, sharedBudget } from '../durable/budget/index.ts';
export {
  type AcquiredLease,
  type JournalBackend,
  type LeasedJournalOptions,
  type LeasedRunJournal,
  type LeaseKey,
  type LeaseMoment,
  type LedgerBackend,
  leasedJournal,
} from '../durable/journal/index.ts';
export {
  type PgBossQueueOptions,
  pgBossQueue,
  type RunJob,
  type RunJobOutcome,
  type RunQueue,
  type RunQueueSendOptions,
  type RunQueueWorkOptions,
  type SubmitRunOptions,
  submitRun,
} from '../durable/queue/index.ts';
export { type RunOnStepsOptions, type RunOnStepsStart, runOnSteps } from '../durable/steps/index.ts';

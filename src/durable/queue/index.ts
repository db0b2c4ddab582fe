export { isSetAside, journalWithJob, keptJob, type SetAside, setAside } from './kept-job.ts';
export { type PgBossQueueOptions, pgBossQueue } from './pg-boss-queue.ts';
export { checkedJob, dueAtMs, type RunJob } from './run-job.ts';
export type {
  RunJobOutcome,
  RunQueue,
  RunQueueSendOptions,
  RunQueueWorkOptions,
} from './run-queue.ts';
export { assertQueue, type SubmitRunOptions, submitRun } from './submit-run.ts';

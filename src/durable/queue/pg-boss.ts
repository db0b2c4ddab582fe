import { PromptValidationError } from '../../core/error/index.ts';

/** What {@link pgBossQueue} uses of an instance of `PgBoss`, which has more. */
export interface PgBossLike {
  on(event: 'error', listener: (error: Error) => void): unknown;
  createQueue(name: string, options: object): Promise<unknown>;
  getQueue(name: string): Promise<PgBossQueueLike | null>;
  send(name: string, data: object, options: object): Promise<string | null>;
  fetch(name: string, options: object): Promise<readonly PgBossJobLike[]>;
  touch(name: string, jobs: string[] | PgBossAttempt[]): Promise<unknown>;
  complete(name: string, job: string | PgBossAttempt): Promise<unknown>;
  fail(name: string, job: string | PgBossAttempt, reason: object): Promise<unknown>;
  cancel(name: string, jobs: string | string[]): Promise<unknown>;
  findJobs(name: string, options: object): Promise<readonly Pick<PgBossJobLike, 'id'>[]>;
}

/** What is used of a job. */
export interface PgBossJobLike {
  readonly id: string;
  readonly data: unknown;
  /** Which delivery it is: from 12.35 on. */
  readonly retryCount?: number;
}

/** A delivery of a job: what is said of it does nothing once the job was delivered again. */
export interface PgBossAttempt {
  readonly id: string;
  readonly retryCount: number;
}

/** What is used of a queue. */
interface PgBossQueueLike {
  readonly policy?: string;
  readonly heartbeatSeconds?: number | null;
}

/** A delivery, named as exactly as its version of pg-boss can. */
export function attemptOf({ id, retryCount }: PgBossJobLike): string | PgBossAttempt {
  return retryCount === undefined ? id : { id, retryCount };
}

/** {@link attemptOf} of several jobs, all in the same way. */
export function attemptsOf(jobs: readonly PgBossJobLike[]): string[] | PgBossAttempt[] {
  const attempts = jobs.flatMap(({ id, retryCount }) =>
    retryCount === undefined ? [] : [{ id, retryCount }],
  );
  return attempts.length === jobs.length ? attempts : jobs.map(({ id }) => id);
}

/** Refuses what is not an instance of a version that has heartbeats. @throws {PromptValidationError} */
export function assertPgBoss(boss: PgBossLike): void {
  const lacks = (name: string): boolean => typeof Reflect.get(Object(boss), name) !== 'function';
  if (['on', 'send', 'fetch', 'complete'].some(lacks)) {
    throw refuse('takes boss: new PgBoss(…) of pg-boss 12, which was started.');
  }
  if (['touch', 'createQueue', 'getQueue', 'fail', 'cancel', 'findJobs'].some(lacks)) {
    throw refuse(
      'needs pg-boss 12.13 or later, and this instance is of an older one: it has no heartbeats (touch()), so that it would notice a worker that was killed after hours only. For Node 20, npm installs pg-boss 10 without a warning: use Node 22.12 or later and run "npm install pg-boss@12".',
    );
  }
}

/** Refuses a queue that was made in another way. @throws {PromptValidationError} */
export function assertPgBossQueue(name: string, queue: PgBossQueueLike | null): void {
  if (queue?.policy === 'short' && (queue.heartbeatSeconds ?? 0) > 0) return;
  throw refuse(
    `needs the queue "${name}" with the policy "short" and heartbeats, and it was made in another way: leave it to pgBossQueue() to make it, or name another one.`,
  );
}

function refuse(why: string): PromptValidationError {
  return new PromptValidationError(`pgBossQueue() ${why}`, { details: { option: 'boss' } });
}

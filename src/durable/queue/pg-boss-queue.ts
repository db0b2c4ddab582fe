import {
  assertOptions,
  describeError,
  integer,
  matching,
  type OptionsOf,
  PromptValidationError,
  withDefaults,
} from '../../core/error/index.ts';
import { isRecord, readJson, startOf } from '../../core/internal/index.ts';
import { type Clock, systemClock } from '../../core/session/index.ts';
import {
  assertPgBoss,
  assertPgBossQueue,
  attemptOf,
  attemptsOf,
  type PgBossJobLike,
  type PgBossLike,
} from './pg-boss.ts';
import { PgBossConsumer } from './pg-boss-consumer.ts';
import type { RunJob } from './run-job.ts';
import type { RunJobOutcome, RunQueue, RunQueueSendOptions, RunQueueWorkOptions } from './run-queue.ts';

/** Options of {@link pgBossQueue}. */
export interface PgBossQueueOptions {
  /**
   * An instance of `PgBoss`, of pg-boss 12.13 or later, which the caller starts and stops. With `monitorIntervalSeconds` and `superviseIntervalSeconds` of 5 it notices a killed worker after
   * its heartbeat of 10 seconds; their default is a minute.
   */
  readonly boss: PgBossLike;
  /** Name of the queue, which is made when it is used first. Default: `wink-runs`. */
  readonly name?: string;
  /** How often a worker with a free place asks for jobs, in milliseconds. Default: 500. */
  readonly pollMs?: number;
  /** How often a job that fails is delivered again. Default: 10. */
  readonly retryLimit?: number;
  /** How long the first of these deliveries waits, in seconds; the next ones twice as long each, up to 5 minutes. Default: 5. */
  readonly retryDelaySeconds?: number;
  /** Gets the errors of the instance, which would end the process without a listener. Must not throw. Default: those who work get them. */
  readonly onError?: (error: unknown) => void;
  /** Default: the clock of the machine. */
  readonly clock?: Pick<Clock, 'schedule'>;
}

const checks = {
  boss: 'object!',
  name: matching(/^[\w.\-/]{1,100}$/, 'a text of 1 to 100 letters, digits and _ . - /'),
  pollMs: integer({ min: 10, max: 60_000, default: 500 }),
  retryLimit: integer({ min: 0, max: 1_000, default: 10 }),
  retryDelaySeconds: integer({ min: 1, max: 86_400, default: 5 }),
  onError: 'function',
  clock: 'object',
} satisfies OptionsOf<PgBossQueueOptions>;

/**
 * A {@link RunQueue} in the PostgreSQL that a team has, by pg-boss, which is not imported. A worker takes as many jobs as it has free places, settles each by itself, and says for all of them
 * that it is alive.
 *
 * `transaction` of `submitRun()` is the client of `pg` whose transaction is open. Runs at certain times are `schedule()` of pg-boss, on a queue of their own whose worker calls `submitRun()` with the
 * id of the job as `runId`.
 *
 * ```ts no-run
 * import { PgBoss } from 'pg-boss';
 * import { pgBossQueue } from 'weakincentives/durable';
 *
 * const connectionString = process.env['DATABASE_URL'] ?? '';
 * const boss = new PgBoss({ connectionString, monitorIntervalSeconds: 5, superviseIntervalSeconds: 5 });
 * await boss.start();
 * export const queue = pgBossQueue({ boss });
 * ```
 *
 * @throws {PromptValidationError} for an instance of an older pg-boss, and for an option that is unknown or out of its range. Using it rejects so for a queue of this name that was made in
 *   another way.
 * @see docs/spec/durable-runs.md §16
 */
export function pgBossQueue(options: PgBossQueueOptions): RunQueue {
  assertOptions('pgBossQueue()', options, checks);
  assertPgBoss(options.boss);
  return new PgBossQueue(options);
}

class PgBossQueue implements RunQueue {
  readonly #boss: PgBossLike;
  readonly #name: string;
  readonly #clock: Pick<Clock, 'schedule'>;
  readonly #numbers: Readonly<Record<'pollMs' | 'retryLimit' | 'retryDelaySeconds', number>>;
  readonly #consumers = new Set<PgBossConsumer>();
  /** Makes the queue, once. */
  #made: Promise<void> | undefined;

  constructor(options: PgBossQueueOptions) {
    const { boss, name = 'wink-runs', onError, clock = systemClock } = options;
    this.#boss = boss;
    this.#name = name;
    this.#clock = clock;
    const { pollMs, retryLimit, retryDelaySeconds } = withDefaults(checks, options);
    this.#numbers = { pollMs, retryLimit, retryDelaySeconds };
    boss.on('error', (error) => {
      if (onError !== undefined) onError(error);
      else for (const consumer of this.#consumers) consumer.report(error);
    });
  }

  async send(job: RunJob, { transaction }: RunQueueSendOptions = {}): Promise<void> {
    await this.#ready();
    await this.#send(job, job.startAfter, transaction);
  }

  async work(
    handle: (job: RunJob) => Promise<RunJobOutcome>,
    { concurrency, onError }: RunQueueWorkOptions,
  ): Promise<AsyncDisposable> {
    await this.#ready();
    const consumer = new PgBossConsumer({
      handle: (job) => handle(jobOf(job)),
      fetch: (count) => this.#boss.fetch(this.#name, { batchSize: count }),
      touch: async (jobs) => void (await this.#boss.touch(this.#name, attemptsOf(jobs))),
      settle: (job, outcome) => this.#settle(job, outcome),
      concurrency,
      pollMs: this.#numbers.pollMs,
      heartbeatMs: (heartbeatSeconds * 1_000) / 3,
      onError,
      clock: this.#clock,
    });
    this.#consumers.add(consumer);
    consumer.start();
    return {
      [Symbol.asyncDispose]: async () => {
        await consumer.stop();
        this.#consumers.delete(consumer);
      },
    };
  }

  async remove(runId: string): Promise<void> {
    await this.#ready();
    const waiting = await this.#boss.findJobs(this.#name, { key: runId, queued: true });
    if (waiting.length > 0)
      await this.#boss.cancel(
        this.#name,
        waiting.map(({ id }) => id),
      );
  }

  async #send(job: RunJob, startAfter: string | number | undefined, transaction?: object): Promise<void> {
    const { runId, priority = 0 } = job;
    // While a job with this key waits, the policy of the queue leaves out another one.
    const options = { singletonKey: runId, priority, startAfter, db: databaseOf(transaction) };
    await this.#boss.send(this.#name, dataOf(job), options);
    if (transaction === undefined) for (const consumer of this.#consumers) consumer.wake();
  }

  async #settle(job: PgBossJobLike, outcome: RunJobOutcome): Promise<void> {
    const attempt = attemptOf(job);
    switch (outcome.kind) {
      case 'done':
        await this.#boss.complete(this.#name, attempt);
        break;
      case 'again':
        // The new one first: a process that ends in between leaves two.
        await this.#send(jobOf(job), Math.ceil(outcome.afterMs / 1_000));
        await this.#boss.complete(this.#name, attempt);
        break;
      case 'failed':
        await this.#boss.fail(this.#name, attempt, reasonOf(outcome.error));
        break;
      case 'aside':
        // Who reads the job finds the reason, and can resume it.
        await this.#boss.fail(this.#name, attempt, reasonOf(outcome.error));
        await this.#boss.cancel(this.#name, job.id);
        break;
    }
  }

  /** Makes the queue where there is none. One that failed is tried again. */
  async #ready(): Promise<void> {
    this.#made ??= this.#make();
    try {
      await this.#made;
    } catch (error) {
      this.#made = undefined;
      throw error;
    }
  }

  async #make(): Promise<void> {
    const { retryLimit, retryDelaySeconds } = this.#numbers;
    // Does nothing for a queue that there is.
    await this.#boss.createQueue(this.#name, {
      policy: 'short',
      heartbeatSeconds,
      expireInSeconds,
      retryLimit,
      retryDelay: retryDelaySeconds,
      retryBackoff: true,
      retryDelayMax: 300,
    });
    assertPgBossQueue(this.#name, await this.#boss.getQueue(this.#name));
  }
}

/** A worker that says nothing for so long has ended. The shortest that pg-boss has. */
const heartbeatSeconds = 10;
/** A run may take long: heartbeats say that its worker lives. The longest that pg-boss has is a day. */
const expireInSeconds = 86_400;

/** Postgres has no U+0000 in JSON: a job with one is kept as text. */
function dataOf(job: RunJob): object {
  const json = JSON.stringify(job);
  return json.includes('\\u0000') ? { json } : { ...job };
}

/** What was sent, or what another program has sent, which the worker checks. */
function jobOf({ id, data }: PgBossJobLike): RunJob {
  const sent = isRecord(data) && typeof data['json'] === 'string' ? readJson(data['json']) : data;
  // One of a schedule names no run: it is a new one, the same with each delivery.
  return (isRecord(sent) ? { runId: id, ...sent } : sent) as RunJob;
}

/** What is kept of an error with a job. */
function reasonOf(error: unknown): object {
  const code: unknown = Object(error).code;
  return { code: typeof code === 'string' ? code : undefined, message: startOf(describeError(error), 2_000) };
}

/** The client of the caller as pg-boss wants it. */
function databaseOf(transaction: object | undefined): object | undefined {
  if (transaction === undefined) return undefined;
  const query: unknown = Reflect.get(transaction, 'query');
  if (typeof query !== 'function') {
    throw new PromptValidationError(
      'pgBossQueue(): transaction must be a client of pg, which has query(), with an open transaction.',
      { details: { option: 'transaction' } },
    );
  }
  return { executeSql: (text: string, values: unknown): unknown => query.call(transaction, text, values) };
}

import type { Clock } from '../../core/session/index.ts';
import type { PgBossJobLike } from './pg-boss.ts';
import type { RunJobOutcome } from './run-queue.ts';

/** What a {@link PgBossConsumer} works with. */
interface PgBossConsumerOptions {
  /** Never rejects. */
  readonly handle: (job: PgBossJobLike) => Promise<RunJobOutcome>;
  /** Takes so many jobs at most. */
  readonly fetch: (count: number) => Promise<readonly PgBossJobLike[]>;
  /** Says that the worker of the jobs lives. */
  readonly touch: (jobs: readonly PgBossJobLike[]) => Promise<void>;
  readonly settle: (job: PgBossJobLike, outcome: RunJobOutcome) => Promise<void>;
  readonly concurrency: number;
  readonly pollMs: number;
  readonly heartbeatMs: number;
  readonly onError: (error: unknown) => void;
  readonly clock: Pick<Clock, 'schedule'>;
}

/** Fetches jobs into its free places, and settles each by itself: a batch of pg-boss's own workers would wait for its slowest job. */
export class PgBossConsumer {
  readonly #options: PgBossConsumerOptions;
  /** Those in hand, until they are settled. */
  readonly #working = new Map<PgBossJobLike, Promise<void>>();
  #isStopped = false;
  #fetching: Promise<void> | undefined;
  /** Something has changed since the last fetch began. */
  #isDue = false;
  #cancelPoll: (() => void) | undefined;
  #cancelBeat: (() => void) | undefined;

  constructor(options: PgBossConsumerOptions) {
    this.#options = options;
  }

  readonly report = (error: unknown): void => this.#options.onError(error);

  start(): void {
    this.wake();
    this.#beat();
  }

  /** There may be jobs, or free places. */
  wake(): void {
    this.#isDue = true;
    if (this.#isStopped || this.#fetching !== undefined) return;
    this.#cancelPoll?.();
    this.#fetching = this.#fetchAll().finally(() => {
      this.#fetching = undefined;
      this.#cancelPoll = this.#options.clock.schedule(this.#options.pollMs, () => this.wake());
      if (this.#isStopped) this.#cancelPoll();
    });
  }

  /** Takes no more jobs. Resolves when all are settled. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelPoll?.();
    await this.#fetching;
    await Promise.all(this.#working.values());
    this.#cancelBeat?.();
  }

  #free(): number {
    return this.#options.concurrency - this.#working.size;
  }

  async #fetchAll(): Promise<void> {
    try {
      for (let count = this.#free(); this.#isDue && count > 0 && !this.#isStopped; count = this.#free()) {
        this.#isDue = false;
        const jobs = await this.#options.fetch(count);
        for (const job of jobs) this.#working.set(job, this.#work(job));
        if (jobs.length === count) this.#isDue = true;
      }
    } catch (error) {
      this.report(error);
    }
  }

  async #work(job: PgBossJobLike): Promise<void> {
    try {
      const outcome = await this.#options.handle(job);
      await this.#options.settle(job, outcome);
    } catch (error) {
      // The job comes again when its heartbeat is over.
      this.report(error);
    }
    this.#working.delete(job);
    this.wake();
  }

  #beat(): void {
    const { clock, heartbeatMs, touch } = this.#options;
    this.#cancelBeat = clock.schedule(heartbeatMs, () => {
      const jobs = [...this.#working.keys()];
      const touched = jobs.length === 0 ? Promise.resolve() : touch(jobs);
      void touched.catch(this.report).finally(() => {
        if (!this.#isStopped || this.#working.size > 0) this.#beat();
      });
    });
  }
}

import { assertOptions, PromptValidationError } from '../../core/error/index.ts';
import { type Clock, systemClock } from '../../core/session/index.ts';
import {
  dueAtMs,
  type RunJob,
  type RunJobOutcome,
  type RunQueue,
  type RunQueueSendOptions,
  type RunQueueWorkOptions,
} from '../../durable/queue/index.ts';

/** Options of {@link memoryQueue}. */
export interface MemoryQueueOptions {
  /** How often a job that fails is delivered again, each time at once. Default: 2. */
  readonly retryLimit?: number;
  /** Default: the clock of the machine. */
  readonly clock?: Pick<Clock, 'now' | 'schedule'>;
}

/** A {@link RunQueue} that shows what it has. */
export interface MemoryQueue extends RunQueue {
  /** Jobs that wait, in the order in which they were sent. */
  readonly waiting: readonly RunJob[];
  /** Jobs that are not delivered again: those that a worker has put aside, and those that have failed too often. */
  readonly ended: readonly EndedRunJob[];
}

/** A job that is not delivered again, and why. */
export interface EndedRunJob {
  readonly job: RunJob;
  readonly outcome: Extract<RunJobOutcome, { readonly kind: 'failed' | 'aside' }>;
}

/**
 * A queue in memory, for tests: jobs do not outlive the process, and do not leave it. It has no transactions.
 *
 * @throws {PromptValidationError} for an option of the wrong kind.
 * @see docs/spec/durable-runs.md §16
 */
export function memoryQueue(options: MemoryQueueOptions = {}): MemoryQueue {
  assertOptions('memoryQueue()', options, { retryLimit: 'number', clock: 'object' });
  return new JobsInMemory(options);
}

interface WaitingJob {
  readonly job: RunJob;
  readonly dueMs: number;
  /** How often it has failed. */
  readonly failures: number;
}

class JobsInMemory implements MemoryQueue {
  readonly #retryLimit: number;
  readonly #clock: Pick<Clock, 'now' | 'schedule'>;
  readonly #consumers = new Set<Consumer>();
  readonly #ended: EndedRunJob[] = [];
  #waiting: readonly WaitingJob[] = [];
  #cancelTimer: (() => void) | undefined;

  constructor({ retryLimit = 2, clock = systemClock }: MemoryQueueOptions) {
    this.#retryLimit = retryLimit;
    this.#clock = clock;
  }

  get waiting(): readonly RunJob[] {
    return this.#waiting.map(({ job }) => job);
  }

  get ended(): readonly EndedRunJob[] {
    return [...this.#ended];
  }

  async send(job: RunJob, { transaction }: RunQueueSendOptions = {}): Promise<void> {
    if (transaction !== undefined) {
      throw new PromptValidationError('memoryQueue() has no transactions: leave out transaction.', {
        details: { option: 'transaction' },
      });
    }
    this.#add({ job, dueMs: dueAtMs(job) ?? this.#clock.now(), failures: 0 });
  }

  async work(
    handle: (job: RunJob) => Promise<RunJobOutcome>,
    { concurrency }: RunQueueWorkOptions,
  ): Promise<AsyncDisposable> {
    const consumer: Consumer = { handle, free: concurrency, working: new Set() };
    this.#consumers.add(consumer);
    this.#deliver();
    return {
      [Symbol.asyncDispose]: async () => {
        this.#consumers.delete(consumer);
        this.#deliver();
        await Promise.all(consumer.working);
      },
    };
  }

  async remove(runId: string): Promise<void> {
    this.#waiting = this.#waiting.filter(({ job }) => job.runId !== runId);
  }

  #add(added: WaitingJob): void {
    if (this.#waiting.some(({ job }) => job.runId === added.job.runId)) return;
    this.#waiting = [...this.#waiting, added];
    this.#deliver();
  }

  /** Gives what is due to those with a free place, and sets the timer for the rest. */
  #deliver(): void {
    for (const consumer of this.#consumers) {
      while (consumer.free > 0) {
        const next = this.#take();
        if (next === undefined) break;
        this.#begin(consumer, next);
      }
    }
    this.#cancelTimer?.();
    const dueMs = Math.min(...this.#waiting.map((waiting) => waiting.dueMs));
    const waitMs = dueMs - this.#clock.now();
    const hasToWait = this.#consumers.size > 0 && Number.isFinite(dueMs) && waitMs > 0;
    this.#cancelTimer = hasToWait ? this.#clock.schedule(waitMs, () => this.#deliver()) : undefined;
  }

  #take(): WaitingJob | undefined {
    const nowMs = this.#clock.now();
    const due = this.#waiting.filter(({ dueMs }) => dueMs <= nowMs);
    const priority = Math.max(...due.map(({ job }) => job.priority ?? 0));
    const next = due.find(({ job }) => (job.priority ?? 0) === priority);
    this.#waiting = this.#waiting.filter((waiting) => waiting !== next);
    return next;
  }

  #begin(consumer: Consumer, taken: WaitingJob): void {
    consumer.free -= 1;
    // As another process would read it.
    const job = JSON.parse(JSON.stringify(taken.job)) as RunJob;
    const work = consumer.handle(job).then((outcome) => {
      consumer.working.delete(work);
      consumer.free += 1;
      this.#settle(taken, outcome);
      this.#deliver();
    });
    consumer.working.add(work);
  }

  #settle({ job, failures }: WaitingJob, outcome: RunJobOutcome): void {
    const nowMs = this.#clock.now();
    if (outcome.kind === 'again') this.#add({ job, dueMs: nowMs + outcome.afterMs, failures });
    else if (outcome.kind === 'failed' && failures < this.#retryLimit)
      this.#add({ job, dueMs: nowMs, failures: failures + 1 });
    else if (outcome.kind !== 'done') this.#ended.push({ job, outcome });
  }
}

interface Consumer {
  readonly handle: (job: RunJob) => Promise<RunJobOutcome>;
  readonly working: Set<Promise<void>>;
  free: number;
}

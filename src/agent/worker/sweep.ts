import type { JournaledRun, RunJournal } from '../../core/runtime/index.ts';
import type { Clock } from '../../core/session/index.ts';
import { isSetAside, keptJob, type RunJob, type RunQueue } from '../../durable/queue/index.ts';

/** What a {@link RunSweep} works with. */
interface RunSweepOptions {
  readonly journal: Pick<RunJournal, 'runs'>;
  readonly queue: Pick<RunQueue, 'send'>;
  /** Whether a worker here takes the job. */
  readonly takes: (job: RunJob) => boolean;
  /** How often. */
  readonly everyMs: number;
  readonly clock: Pick<Clock, 'now' | 'schedule'>;
  /** Must not throw. */
  readonly onError: (error: unknown) => void;
}

/**
 * Sends the jobs of runs again that could continue and that no process has: an answer that was given without the queue, a process that was killed between an answer and its job, a queue that was
 * restored from a backup. Several workers send one job, since the queue has one that waits for each run.
 */
export class RunSweep {
  readonly #options: RunSweepOptions;
  /** The next sweep lists what was updated before; undefined: it begins with the newest. */
  #beforeMs: number | undefined;
  #cancel: () => void;
  #isEnded = false;

  constructor(options: RunSweepOptions) {
    this.#options = options;
    this.#cancel = this.#later();
  }

  end(): void {
    this.#isEnded = true;
    this.#cancel();
  }

  #later(): () => void {
    const { clock, everyMs, onError } = this.#options;
    return clock.schedule(everyMs, () => {
      void this.#sweep()
        .catch(onError)
        .finally(() => {
          if (!this.#isEnded) this.#cancel = this.#later();
        });
    });
  }

  /** Sends what one page of the list has: one sweep costs the same however many runs are not for it. */
  async #sweep(): Promise<void> {
    const { clock, everyMs, journal, queue, takes } = this.#options;
    // What is younger has its job, most likely.
    const newestMs = clock.now() - everyMs;
    const updatedBeforeMs = Math.min(newestMs, this.#beforeMs ?? newestMs);
    const runs = await journal.runs({ ready: true, limit: pageSize, updatedBeforeMs });
    this.#beforeMs = runs.length < pageSize ? undefined : nextPage(runs, updatedBeforeMs);
    for (const run of runs) {
      const job = isSetAside(run) ? undefined : keptJob(run);
      if (this.#isEnded) return;
      if (job !== undefined && takes(job)) await queue.send(job);
    }
  }
}

/** How many runs a sweep lists. */
const pageSize = 200;

/** Those of the same millisecond as the last one are listed again, unless the page has no others. */
function nextPage(runs: readonly JournaledRun[], beforeMs: number): number {
  const lastMs = runs.at(-1)?.updatedAtMs ?? beforeMs;
  return lastMs + 1 < beforeMs ? lastMs + 1 : lastMs;
}

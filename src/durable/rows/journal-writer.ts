import { describeError, RunLostError } from '../../core/error/index.ts';
import type { JournalRow, RunJournal, RunLease, RunSummary } from '../../core/runtime/index.ts';

/** What a {@link JournalWriter} writes to. */
export interface JournalWriterOptions {
  readonly journal: RunJournal;
  readonly lease: RunLease;
  readonly runId: string;
  /** Rows that the run has. */
  readonly rows: number;
  readonly summary: () => RunSummary;
  /** Called once when rows could not be written. Must not throw. */
  readonly onLost: (error: RunLostError) => void;
}

/** The queue of rows of one run: rows wait until they are flushed, all that wait together. */
export class JournalWriter {
  readonly #options: JournalWriterOptions;
  #waiting: JournalRow[] = [];
  #seq: number;
  /** The last flush that has begun, or waits for the one before it. */
  #last: Promise<void> = Promise.resolve();
  /** A flush that has not begun: what is added now is part of it. */
  #next: Promise<void> | undefined;
  #lost: RunLostError | undefined;

  constructor(options: JournalWriterOptions) {
    this.#options = options;
    this.#seq = options.rows;
  }

  /** Number of the last row that waits; undefined when none does, as when rows cannot be written any more. */
  get lastWaiting(): number | undefined {
    return this.#waiting.at(-1)?.seq;
  }

  /** Adds a row to the queue. */
  add(line: string, type: string): void {
    if (this.#lost !== undefined) return;
    this.#waiting.push({ seq: this.#seq, type, line });
    this.#seq += 1;
  }

  /**
   * Resolves when all rows so far are durable.
   *
   * @throws {RunLostError} when they could not be written.
   */
  flush(): Promise<void> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    if (this.#waiting.length === 0) return this.#last;
    if (this.#next === undefined) {
      this.#next = this.#last.then(() => this.#append());
      this.#last = this.#next;
      // A caller that needs the rows awaits it; a flush that no caller awaits is reported by `onLost`.
      this.#next.catch(() => undefined);
    }
    return this.#next;
  }

  /** Nothing more is written: someone else may write. */
  lose(error: RunLostError): void {
    if (this.#lost !== undefined) return;
    this.#lost = error;
    this.#waiting = [];
    this.#options.onLost(error);
  }

  async #append(): Promise<void> {
    const { journal, lease, runId, summary } = this.#options;
    this.#next = undefined;
    const rows = this.#waiting;
    this.#waiting = [];
    if (this.#lost !== undefined) throw this.#lost;
    try {
      await journal.append({ runId, rows, summary: summary() }, lease);
    } catch (cause) {
      const lost = new RunLostError(
        `Rows of the run "${runId}" could not be written to its journal: ${describeError(cause)}`,
        { cause, details: { runId } },
      );
      this.lose(lost);
      throw lost;
    }
  }
}

import { describeError, JournalError, JournalFencedError, RunLostError } from '../../core/error/index.ts';
import { none, present } from '../../core/internal/index.ts';
import type {
  BudgetSpends,
  JournalBatch,
  JournalRow,
  OnceChange,
  RunInbox,
  RunJournal,
  RunLease,
} from '../../core/runtime/index.ts';
import { type Clock, systemClock } from '../../core/session/index.ts';
import { Recorder } from '../../record/index.ts';
import type { RunRows } from './run-rows.ts';
import type { RunSummaryKeeper } from './run-summary.ts';

/** What a {@link JournalWriter} writes to. */
export interface JournalWriterOptions {
  readonly journal: RunJournal;
  readonly lease: RunLease;
  readonly runId: string;
  /** Rows that the run has. */
  readonly rows: number;
  /** What the journal lists of the run from then on. */
  readonly summary: Pick<RunSummaryKeeper, 'current'>;
  /** Without `schedule` the timers of the machine are used. */
  readonly clock: Pick<Clock, 'now'> & Partial<Pick<Clock, 'schedule'>>;
  /** Once it is aborted, rows that could not be written are not tried again. Default: they are. */
  readonly signal?: AbortSignal | undefined;
  /** Called once when rows could not be written. Must not throw. Default: those who flush get the error. */
  readonly onLost?: ((error: RunLostError) => void) | undefined;
  /** What the run has spent of budgets that it shares, and the journal does not have yet. Default: it shares none. */
  readonly spending?: SpendingRows | undefined;
  /** Gets what waits for the run after each append. Must not throw. Default: nothing does. */
  readonly onInbox?: ((inbox: RunInbox) => void) | undefined;
}

/** What a run spends, for its rows. */
export interface SpendingRows {
  /** Must not throw. */
  unwritten(): readonly BudgetSpends[];
  /** These are in the journal now. Must not throw. */
  written(spends: readonly BudgetSpends[]): void;
}

/** The queue of rows of one run: rows wait until they are flushed, all that wait together. */
export class JournalWriter {
  readonly #options: JournalWriterOptions;
  /** What becomes of keys of the ledger with the rows that wait. */
  #once: OnceChange[] = [];
  #waiting: JournalRow[] = [];
  /** Ids of messages that are taken with the rows that wait. */
  #takes: string[] = [];
  #seq: number;
  /** The last flush that has begun, or waits for the one before it. */
  #last: Promise<void> = Promise.resolve();
  /** A flush that has not begun: what is added now is part of it. */
  #next: Promise<void> | undefined;
  #lost: RunLostError | undefined;
  /** Cancels the timer of {@link flushSoon}. */
  #cancelSoon: (() => void) | undefined;
  #isAbandoned = false;

  constructor(options: JournalWriterOptions) {
    this.#options = options;
    this.#seq = options.rows;
  }

  /** Number of the last row that waits; undefined when none does, as when rows cannot be written any more. */
  get lastWaiting(): number | undefined {
    return this.#waiting.at(-1)?.seq;
  }

  /** Adds a row to the queue. */
  readonly add = (line: string, type: string): void => {
    if (this.#lost !== undefined || this.#isAbandoned) return;
    this.#waiting.push({ seq: this.#seq, type, line });
    this.#seq += 1;
  };

  /** The run is refused before its first row: nothing is written of it. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#waiting = [];
  }

  /** The rows that wait take a message from the inbox of the run. */
  take(messageId: string): void {
    this.#takes.push(messageId);
  }

  /** The rows that wait say what becomes of a key of the ledger. */
  changeOnce(change: OnceChange): void {
    this.#once.push(change);
  }

  /**
   * Resolves when all rows so far are durable.
   *
   * @throws {RunLostError} when they could not be written.
   */
  flush(): Promise<void> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    this.#endWait();
    if (this.#waiting.length === 0) return this.#last;
    if (this.#next === undefined) {
      this.#next = this.#last.then(() => this.#append());
      this.#last = this.#next;
      // A caller that needs the rows awaits it; a flush that no caller awaits is reported by `onLost`.
      this.#next.catch(() => undefined);
    }
    return this.#next;
  }

  /** Rows so far are flushed {@link togetherMs} from now at the latest: with what comes meanwhile, when that is flushed before. */
  flushSoon(): void {
    if (this.#lost !== undefined || this.#cancelSoon !== undefined) return;
    this.#cancelSoon = this.#schedule(togetherMs, () => void this.flush().catch(() => undefined));
  }

  /** Nothing more is written: someone else may write. */
  lose(error: RunLostError): void {
    if (this.#lost !== undefined) return;
    this.#endWait();
    this.#lost = error;
    this.#waiting = [];
    this.#options.onLost?.(error);
  }

  /** {@link flushSoon} has nothing to wait for any more. */
  #endWait(): void {
    this.#cancelSoon?.();
    this.#cancelSoon = undefined;
  }

  async #append(): Promise<void> {
    const { runId, summary, spending } = this.#options;
    this.#next = undefined;
    const rows = this.#waiting;
    this.#waiting = [];
    const takes = this.#takes;
    if (takes.length > 0) this.#takes = [];
    const once = this.#once;
    if (once.length > 0) this.#once = [];
    if (this.#lost !== undefined) throw this.#lost;
    const batch = { runId, rows, summary: summary.current() };
    const spends = spending?.unwritten() ?? none;
    const more = present({
      takes: takes.length === 0 ? undefined : takes,
      once: once.length === 0 ? undefined : once,
      spends: spends.length === 0 ? undefined : spends,
    });
    const isPlain = takes.length + once.length + spends.length === 0;
    try {
      await this.#appendUntilWritten(isPlain ? batch : { ...batch, ...more });
      spending?.written(spends);
    } catch (cause) {
      const lost = new RunLostError(
        `Rows of the run "${runId}" could not be written to its journal: ${describeError(cause)}`,
        { cause, details: { runId } },
      );
      this.lose(lost);
      throw lost;
    }
  }

  /**
   * Appends a batch, again while its journal fails: for half a minute at most, while the lease is held. Nothing was written then, or all of it and the answer was lost.
   *
   * @throws what the journal rejects with.
   */
  async #appendUntilWritten(batch: JournalBatch): Promise<void> {
    const { journal, lease, onInbox } = this.#options;
    let isAgain = false;
    await this.untilDone(async () => {
      if (isAgain && (await this.#isWritten(batch))) return;
      const isFirst = !isAgain;
      isAgain = true;
      try {
        const inbox = await journal.append(batch, lease);
        onInbox?.(inbox);
      } catch (error) {
        // An attempt before may have arrived late, so that the rows of this one do not follow.
        if (isFirst || !JournalFencedError.isInstance(error) || !(await this.#isWritten(batch))) throw error;
      }
    });
  }

  /**
   * Does what the journal is asked for, again while it fails: for half a minute at most, while the lease is held.
   *
   * @param work does no more when it is done twice.
   * @throws what the journal rejects with.
   */
  async untilDone<T>(work: () => Promise<T>): Promise<T> {
    const { clock } = this.#options;
    const beganAtMs = clock.now();
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, maxWaitMs)) {
      try {
        return await work();
      } catch (error) {
        const isOver = clock.now() - beganAtMs >= maxTryingMs;
        if (!isPassing(error) || isOver || !(await this.#mayTryAgain(waitMs))) throw error;
      }
    }
  }

  /** Waits. @returns false when nothing more is to be written: by then, or before. */
  async #mayTryAgain(waitMs: number): Promise<boolean> {
    const { lease, signal } = this.#options;
    const ends = signal === undefined ? [lease.signal] : [lease.signal, signal];
    const hasEnded = (): boolean => ends.some(({ aborted }) => aborted);
    if (hasEnded()) return false;
    await new Promise<void>((resolve) => {
      const goOn = (): void => {
        cancel();
        for (const end of ends) end.removeEventListener('abort', goOn);
        resolve();
      };
      const cancel = this.#schedule(waitMs, goOn);
      for (const end of ends) end.addEventListener('abort', goOn);
    });
    return !hasEnded() && lease.isHeld();
  }

  #schedule(delayMs: number, callback: () => void): () => void {
    const { clock } = this.#options;
    return clock.schedule?.(delayMs, callback) ?? systemClock.schedule(delayMs, callback);
  }

  /** Whether the journal has the rows of a batch, which is false while it cannot be read. */
  async #isWritten({ runId, rows }: JournalBatch): Promise<boolean> {
    const [first] = rows;
    if (first === undefined) return false;
    try {
      const written = await this.#options.journal.read(runId, first.seq);
      return rows.length === written.length && rows.every(({ line }, at) => written[at]?.line === line);
    } catch {
      return false;
    }
  }
}

/** For how long an answer waits for the calls of its turn, in milliseconds, so that one append has both. */
const togetherMs = 10;

/** How long is waited before an append is tried again, in milliseconds: twice as long each time. */
const firstWaitMs = 100;
const maxWaitMs = 5_000;
/** For how long it is tried, in milliseconds. */
const maxTryingMs = 30_000;

/** Whether the reason why nothing was written may be gone soon. */
function isPassing(error: unknown): boolean {
  return JournalError.isInstance(error) && error.code === 'journal-failed';
}

/** What rows of a run are made and written with. */
export interface RunAppendOptions extends Omit<JournalWriterOptions, 'rows'> {
  /** The rows that the run has; undefined: it is new. */
  readonly rows: RunRows | undefined;
}

/** Makes and writes rows of a run. A row that cannot be made ends the run. */
export function runAppender({ rows, ...options }: RunAppendOptions): {
  readonly writer: JournalWriter;
  readonly recorder: Recorder;
} {
  const { journal, runId, clock } = options;
  const writer = new JournalWriter({ ...options, rows: rows?.count ?? 0 });
  const recorder = new Recorder(
    {
      write: writer.add,
      runId,
      clock,
      maxContentBytes: Infinity,
      marksDeliveries: true,
      onFailure: (error) => writer.lose(lostBy(runId, 'A row could not be made', error)),
    },
    journal['~sha256'],
  );
  if (rows !== undefined) recorder.continueAfter(rows);
  return { writer, recorder };
}

/** Appends rows to a run that does not continue here. @throws {RunLostError} */
export async function appendRows(
  options: RunAppendOptions,
  make: (recorder: Recorder, writer: JournalWriter) => void,
): Promise<void> {
  const { writer, recorder } = runAppender(options);
  make(recorder, writer);
  await writer.flush();
}

/** Holds the lease of a session while `work` continues. @throws {SessionBusyError} while another owner has it. */
export async function withLease<T>(
  journal: Pick<RunJournal, 'acquire'>,
  sessionId: string,
  work: (lease: RunLease) => Promise<T>,
): Promise<T> {
  const lease = await journal.acquire(sessionId);
  try {
    return await work(lease);
  } finally {
    await lease.release();
  }
}

/** The error for a run that has ended because its journal cannot have its rows. */
export function lostBy(runId: string, what: string, cause: unknown): RunLostError {
  return new RunLostError(`${what}, so the run "${runId}" ended: ${describeError(cause)}`, {
    cause,
    details: { runId },
  });
}

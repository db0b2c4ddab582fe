import { JournalError, JournalFencedError } from '../../core/error/index.ts';
import { journalOperations, type RunJournal } from '../../core/runtime/index.ts';
import { memoryJournal } from '../journal/index.ts';
import type { StepEntry } from './step-text.ts';

/** Rows of a run that an engine has kept. */
export type KeptRows = Extract<StepEntry, { readonly kind: 'rows' }>;

/** What a run has to say next; `settle` is called with nothing when the engine has kept it, and with an error when it will not. */
interface Offer {
  readonly entry: () => StepEntry;
  readonly settle: (error?: Error) => void;
}

/**
 * A run that continues from rows of an engine, in this process: each batch that it appends is offered, and the run continues when that is acknowledged. What an engine did not acknowledge was
 * not written.
 */
export class LiveRun {
  readonly #runId: string;
  readonly #journal: RunJournal = memoryJournal();
  readonly #sessions = new Set<string>();
  readonly #offers: Offer[] = [];
  /** Waits for the next offer. */
  #waiting: ((offer: Offer) => void) | undefined;
  /** What was taken last, until it is acknowledged. */
  #taken: Offer | undefined;
  #end: Error | undefined;

  private constructor(runId: string) {
    this.#runId = runId;
  }

  /**
   * @param start begins the run on a journal, or continues it. When it rejects, so does {@link next}.
   */
  static async begin(
    runId: string,
    kept: readonly KeptRows[],
    start: (journal: RunJournal) => Promise<StepEntry>,
  ): Promise<LiveRun> {
    const run = new LiveRun(runId);
    await run.#load(kept);
    start(run.#journalOfSteps()).then(
      (entry) => run.#offer({ entry: () => entry, settle: () => undefined }),
      (error: unknown) =>
        run.#offer({
          entry: () => {
            throw error;
          },
          settle: () => undefined,
        }),
    );
    return run;
  }

  /** What the run has to say next; the same again until that is acknowledged, since an engine may try a step again. */
  async next(): Promise<StepEntry> {
    this.#taken ??=
      this.#offers.shift() ??
      (await new Promise<Offer>((resolve) => {
        this.#waiting = resolve;
      }));
    return this.#taken.entry();
  }

  /** The engine has kept what {@link next} has returned. */
  acknowledge(): void {
    this.#taken?.settle();
    this.#taken = undefined;
  }

  /** Nothing is kept any more: the run is lost here, and continues elsewhere or later. */
  async end(why: string): Promise<void> {
    const error = new JournalFencedError(why);
    this.#end ??= error;
    for (const offer of [this.#taken, ...this.#offers.splice(0)]) offer?.settle(error);
    this.#offer({
      entry: () => {
        throw error;
      },
      settle: () => undefined,
    });
    for (const sessionId of this.#sessions) await this.#journal.revoke(sessionId);
  }

  async #load(kept: readonly KeptRows[]): Promise<void> {
    for (const { sessionId, batch } of kept) {
      const lease = await this.#journal.acquire(sessionId);
      await this.#journal.append(batch, lease);
      await lease.release();
    }
  }

  #journalOfSteps(): RunJournal {
    const journal = this.#journal;
    // What is done once over all runs is not what an engine keeps of one.
    const { ledger: _ledger, ...operations } = journalOperations(journal);
    return {
      ...operations,
      acquire: async (sessionId, ended) => {
        if (this.#end !== undefined) throw this.#end;
        this.#sessions.add(sessionId);
        return journal.acquire(sessionId, ended);
      },
      append: async (batch, lease) => {
        if (batch.runId !== this.#runId) throw otherRun(batch.runId, this.#runId);
        const inbox = await journal.append(batch, lease);
        await new Promise<void>((resolve, reject) => {
          this.#offer({
            entry: () => ({ kind: 'rows', sessionId: lease.sessionId, batch }),
            settle: (error) => {
              if (error === undefined) resolve();
              else reject(error);
            },
          });
        });
        return inbox;
      },
      remove: async () => {
        throw new JournalError(
          'journal-read-only',
          `The engine has the rows of the run "${this.#runId}": remove it there.`,
        );
      },
    };
  }

  #offer(offer: Offer): void {
    if (this.#end !== undefined && this.#waiting === undefined) offer.settle(this.#end);
    const take = this.#waiting;
    this.#waiting = undefined;
    if (take === undefined) this.#offers.push(offer);
    else take(offer);
  }
}

function otherRun(runId: string, of: string): JournalError {
  return new JournalError(
    'journal-invalid',
    `The journal of the steps of the run "${of}" cannot keep rows of "${runId}". Give each run steps of its own.`,
    { details: { runId } },
  );
}

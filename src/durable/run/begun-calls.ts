import type { Writable } from '../../core/internal/index.ts';
import type { DecidingRow } from '../../core/resource/index.ts';
import type { AttemptName, BeginningAttempt, RunJournal, RunLease } from '../../core/runtime/index.ts';
import type { BeginRow, Recorder } from '../../record/index.ts';
import type { ResumedRun } from '../resume/resumed-run.ts';
import type { JournalWriter } from '../rows/journal-writer.ts';

/** What {@link BegunCalls} work with. */
export interface BegunCallsOptions {
  readonly journal: RunJournal;
  readonly lease: RunLease;
  readonly runId: string;
  readonly recorder: Recorder;
  readonly writer: JournalWriter;
  readonly resumed: ResumedRun | undefined;
  /** Makes durable what has happened so far. */
  readonly flush: () => Promise<void>;
}

/** Calls whose beginning is durable, or whose commit is one with their row: their results must not be lost either. */
export class BegunCalls {
  readonly #options: BegunCallsOptions;
  /** With the row that their resources wait for. */
  readonly #begun = new Map<string, Writable<DecidingRow> | undefined>();

  constructor(options: BegunCallsOptions) {
    this.#options = options;
  }

  /** @returns the row that resources wait for which share their transaction with the journal. */
  async begin(attempt: BeginningAttempt, sharedTransaction?: object): Promise<DecidingRow | undefined> {
    const { journal, lease, runId } = this.#options;
    if (sharedTransaction !== undefined && sharedTransaction === journal['~database']) {
      // What is committed with the row of the call is never in doubt.
      const row = { runId, owner: lease.owner, seq: undefined };
      this.#begun.set(nameOf(attempt), row);
      return row;
    }
    const { mayRunAgain } = attempt;
    if (!mayRunAgain) this.#begun.set(nameOf(attempt), undefined);
    this.#add(attempt, mayRunAgain ? { idempotent: true } : {});
    // So that the rows say that it ran; nothing waits for it.
    if (mayRunAgain) this.#options.writer.flushSoon();
    else await this.#options.flush();
    return undefined;
  }

  /** A call begins that was interrupted before, or may have been. @returns undefined for any other one. */
  beginAgain(attempt: BeginningAttempt): Promise<void> | undefined {
    if (this.#options.resumed?.wasInterrupted(attempt) !== true) return undefined;
    this.#begun.set(nameOf(attempt), undefined);
    this.#add(attempt, { again: true });
    return this.#options.flush();
  }

  /** The rows of a call have been made, the last ones so far. @returns whether they must not be lost. */
  settle(attempt: AttemptName): boolean {
    const name = nameOf(attempt);
    const row = this.#begun.get(name);
    if (row !== undefined) row.seq = this.#options.writer.lastWaiting;
    return this.#begun.delete(name);
  }

  #add(attempt: BeginningAttempt, more: Pick<BeginRow, 'again' | 'idempotent'>): void {
    const { turn, callId, toolName, attempt: number, evaluationId, key, params } = attempt;
    const call = { turn, callId, toolName, attempt: number, key, params };
    this.#options.recorder.add((part) => ({ type: 'begin', ...part, ...call, ...more }), evaluationId);
  }
}

function nameOf({ evaluationId, turn, callId }: AttemptName): string {
  return JSON.stringify([evaluationId, turn, callId]);
}

import type { RunRefusedError } from '../../core/error/index.ts';
import type { RunInbox, RunJournal } from '../../core/runtime/index.ts';
import type { Recorder } from '../../record/index.ts';
import { addCancelled, cancelledError, cancelMessage } from '../rows/cancellation.ts';
import type { JournalWriter } from '../rows/journal-writer.ts';
import type { RunSummaryKeeper } from '../rows/run-summary.ts';

/** What a {@link CancelWatch} works with. */
export interface CancelWatchOptions {
  readonly journal: Pick<RunJournal, 'messages'>;
  readonly runId: string;
  readonly recorder: Pick<Recorder, 'add'>;
  readonly writer: Pick<JournalWriter, 'take'>;
  readonly summary: Pick<RunSummaryKeeper, 'cancelled' | 'hasAnswer'>;
  /** The run ends for this reason. Must not throw. */
  readonly onCancelled: (reason: RunRefusedError) => void;
}

/**
 * Ends a run when its inbox has a message that cancels it.
 *
 * @see docs/spec/durable-runs.md §12
 */
export class CancelWatch {
  readonly #options: CancelWatchOptions;
  #cancelling: Promise<void> | undefined;

  constructor(options: CancelWatchOptions) {
    this.#options = options;
  }

  /** What the journal says of the inbox. One that wraps another journal may leave it out. */
  onInbox(inbox: RunInbox | undefined): void {
    if (inbox?.isCancelled === true) this.#cancelling ??= this.#cancel();
  }

  /** Resolves when the cancel that is known by now is among the rows. */
  async settled(): Promise<void> {
    await this.#cancelling;
  }

  async #cancel(): Promise<void> {
    const { journal, onCancelled, recorder, runId, summary, writer } = this.#options;
    // A journal that cannot be read ends the run otherwise; the message waits.
    const message = await cancelMessage(journal, runId).catch(() => undefined);
    if (message === undefined || summary.hasAnswer) return;
    addCancelled(message, recorder, writer);
    summary.cancelled();
    onCancelled(cancelledError(runId, message));
  }
}

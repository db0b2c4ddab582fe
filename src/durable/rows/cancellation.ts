import { RunRefusedError } from '../../core/error/index.ts';
import { present } from '../../core/internal/index.ts';
import type { RunJournal, RunMessage } from '../../core/runtime/index.ts';
import type { CancelledRow, Recorder } from '../../record/index.ts';
import type { JournalWriter } from './journal-writer.ts';
import type { RunRows } from './run-rows.ts';

/** Who has ended a run for good, and why. */
export type Cancellation = Pick<CancelledRow, 'atMs' | 'by' | 'reason'>;

/** Whether a run is ended for good. One that has its answer keeps it. */
export function cancellationOf({
  cancelled,
  end,
}: Pick<RunRows, 'cancelled' | 'end'>): Cancellation | undefined {
  return end?.outcome === 'finished' ? undefined : cancelled;
}

/** The error for a run that was ended for good. */
export function cancelledError(runId: string, { by, reason }: Omit<Cancellation, 'atMs'>): RunRefusedError {
  const who = by === undefined ? '' : ` by "${by}"`;
  const why = reason === undefined ? '' : `: ${reason}`;
  const stop = /[.!?]$/.test(why) ? '' : '.';
  return new RunRefusedError('run-cancelled', `The run "${runId}" was cancelled${who}${why}${stop}`, {
    details: { runId, ...present({ by, reason }) },
  });
}

/** The message that ends a run for good, where one waits. */
export async function cancelMessage(
  journal: Pick<RunJournal, 'messages'>,
  runId: string,
): Promise<RunMessage | undefined> {
  return (await journal.messages(runId)).find(({ kind }) => kind === 'cancel');
}

/** Adds the row that takes the message. */
export function addCancelled(
  { id, atMs, by, reason }: RunMessage,
  recorder: Pick<Recorder, 'add'>,
  writer: Pick<JournalWriter, 'take'>,
): void {
  const said = present({ by, reason });
  recorder.add((part) => ({ type: 'cancelled', ...part, must: true, atMs, ...said }));
  writer.take(id);
}

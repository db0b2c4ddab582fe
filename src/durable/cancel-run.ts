import { assertOptions, keptName, RunRefusedError, required, SessionBusyError } from '../core/error/index.ts';
import { present } from '../core/internal/index.ts';
import type { RunJournal, RunLease, RunSummary } from '../core/runtime/index.ts';
import { type Clock, systemClock } from '../core/session/index.ts';
import { addCancelled, cancellationOf, cancelledError, cancelMessage } from './rows/cancellation.ts';
import { appendRows, knownSummary, withLease } from './rows/journal-writer.ts';
import { type RunRows, readRunRows, unknownRun } from './rows/run-rows.ts';

/** Options of {@link cancelRun}. */
export interface CancelRunOptions {
  readonly journal: RunJournal;
  readonly runId: string;
  /** Who ends the run. Default: not said. */
  readonly by?: string;
  /** Why, for those who read the run, and for a model that calls its tools. Default: not said. */
  readonly reason?: string;
  /** Default: the clock of the machine. */
  readonly clock?: Pick<Clock, 'now'>;
}

/** A run with the clock of those who write to it. */
interface WrittenRun {
  readonly journal: RunJournal;
  readonly runId: string;
  readonly clock: Pick<Clock, 'now'>;
}

/** See on-demand.ts, through which it is loaded. */
export async function cancelRun(options: CancelRunOptions): Promise<void> {
  assertOptions('cancelRun()', options, {
    journal: 'object!',
    runId: required(keptName),
    by: 'string',
    reason: 'string',
    clock: 'object',
  });
  const { journal, runId, by, reason, clock = systemClock } = options;
  const rows = readRunRows(runId, await journal.read(runId));
  if (rows.end?.outcome === 'finished') {
    throw new RunRefusedError(
      'run-ended',
      `The run "${runId}" has its answer, so there is nothing to cancel.`,
      {
        details: { runId },
      },
    );
  }
  if (cancellationOf(rows) !== undefined) return;
  const message = { id: 'cancel', kind: 'cancel', atMs: clock.now(), ...present({ by, reason }) } as const;
  // It may have been removed since.
  if ((await journal.send(runId, message)) === undefined) throw unknownRun(runId);
  try {
    await withLease(journal, rows.header.sessionId, async (lease) => {
      const now = await journal.read(runId);
      if (now.length > 0) await takeCancel({ journal, runId, clock }, lease, readRunRows(runId, now));
    });
  } catch (error) {
    // Its owner ends it.
    if (!SessionBusyError.isInstance(error)) throw error;
  }
}

/** Writes that a run is cancelled, where its inbox says so and its rows do not. For the owner of a run that does not go on here. */
async function takeCancel(
  { journal, runId, clock }: WrittenRun,
  lease: RunLease,
  rows: RunRows,
): Promise<void> {
  if (rows.end?.outcome === 'finished' || rows.cancelled !== undefined) return;
  const message = await cancelMessage(journal, runId);
  if (message === undefined) return;
  const known = await knownSummary(journal, rows, clock.now());
  const current = (): RunSummary => ({ ...known, status: 'cancelled', pending: 0 });
  await appendRows({ journal, lease, runId, clock, rows, summary: { current } }, (recorder, writer) =>
    addCancelled(message, recorder, writer),
  );
}

/**
 * For the owner of a run that is to go on. A message that cancels it and that no owner has taken is taken.
 *
 * @throws {RunRefusedError} `run-cancelled`.
 */
export async function assertNotCancelled(run: WrittenRun, lease: RunLease, rows: RunRows): Promise<void> {
  const { journal, runId } = run;
  const known = cancellationOf(rows);
  if (known !== undefined) throw cancelledError(runId, known);
  if (rows.end?.outcome === 'finished') return;
  const message = await cancelMessage(journal, runId);
  if (message === undefined) return;
  await takeCancel(run, lease, rows);
  throw cancelledError(runId, message);
}

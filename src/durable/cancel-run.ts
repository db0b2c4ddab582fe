import { assertOptions, keptName, RunRefusedError, required, SessionBusyError } from '../core/error/index.ts';
import { present } from '../core/internal/index.ts';
import type { RunJournal } from '../core/runtime/index.ts';
import { type Clock, systemClock } from '../core/session/index.ts';
import { cancellationOf, takeCancel } from './rows/cancellation.ts';
import { withLease } from './rows/journal-writer.ts';
import { readRunRows, unknownRun } from './rows/run-rows.ts';

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

import { assertOptions, keptName, RunRefusedError, required, SessionBusyError } from '../core/error/index.ts';
import { present } from '../core/internal/index.ts';
import { findRun, type RunJournal } from '../core/runtime/index.ts';
import { type Clock, systemClock } from '../core/session/index.ts';
import { assertQueue, type RunQueue } from './queue/index.ts';
import { cancellationOf, neverBegun, takeCancel } from './rows/cancellation.ts';
import { withLease } from './rows/journal-writer.ts';
import { readRunRows, unknownRun } from './rows/run-rows.ts';

/** Options of {@link cancelRun}. */
export interface CancelRunOptions {
  /** Keeps the run. */
  readonly journal: RunJournal;
  /** Name of the run. */
  readonly runId: string;
  /** Where the job of the run may wait, which is removed. A run that has not begun is ended, too: no job begins it any more. Default: such a run is unknown. */
  readonly queue?: RunQueue;
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
    queue: 'object',
    by: 'string',
    reason: 'string',
    clock: 'object',
  });
  const { queue, runId } = options;
  if (queue !== undefined) assertQueue('cancelRun()', queue);
  const hasBegun = queue === undefined || !(await cancelBefore(options));
  if (hasBegun) await cancelBegun(options);
  // What is delivered nevertheless does nothing.
  await queue?.remove?.(runId).catch(() => undefined);
}

/** Ends a run that has not begun. @returns false for one that has. */
async function cancelBefore({
  journal,
  runId,
  by,
  reason,
  clock = systemClock,
}: CancelRunOptions): Promise<boolean> {
  if ((await journal.read(runId)).length > 0) return false;
  try {
    // It begins with this session, or finds that its name is taken.
    return await withLease(journal, runId, async (lease) => {
      const known = await findRun(journal, runId);
      if (known === undefined) {
        const summary = neverBegun(clock.now(), present({ by, reason }));
        await journal.append({ runId, rows: [], summary }, lease);
      }
      return (known?.rows ?? 0) === 0;
    });
  } catch (error) {
    // It has begun meanwhile, or is about to.
    if (SessionBusyError.isInstance(error) && (await journal.read(runId)).length > 0) return false;
    throw error;
  }
}

async function cancelBegun({
  journal,
  runId,
  by,
  reason,
  clock = systemClock,
}: CancelRunOptions): Promise<void> {
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

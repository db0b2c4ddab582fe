import { RunRefusedError } from '../../core/error/index.ts';
import { present } from '../../core/internal/index.ts';
import {
  type CancelMessage,
  findRun,
  type JournaledRun,
  type JournalRow,
  type RunJournal,
  type RunLease,
  type RunSummary,
} from '../../core/runtime/index.ts';
import type { Clock } from '../../core/session/index.ts';
import type { CancelledRow, Recorder } from '../../record/index.ts';
import { appendRows, type JournalWriter } from './journal-writer.ts';
import type { RunRows } from './run-rows.ts';
import { knownSummary } from './run-summary.ts';

/** Who has ended a run for good, and why. */
export type RunCancellation = Pick<CancelledRow, 'atMs' | 'by' | 'reason'>;

/** Whether a run is ended for good. One that has its answer keeps it. */
export function cancellationOf({
  cancelled,
  end,
}: Pick<RunRows, 'cancelled' | 'end'>): RunCancellation | undefined {
  return end?.outcome === 'finished' ? undefined : cancelled;
}

/** The error for a run that was ended for good. */
export function cancelledError(
  runId: string,
  { by, reason }: Omit<RunCancellation, 'atMs'>,
): RunRefusedError {
  const who = by === undefined ? '' : ` by "${by}"`;
  const why = reason === undefined ? '' : `: ${reason}`;
  const stop = /[.!?]$/.test(why) ? '' : '.';
  return new RunRefusedError('run-cancelled', `The run "${runId}" was cancelled${who}${why}${stop}`, {
    details: { runId, ...present({ by, reason }) },
  });
}

/** How a journal lists a run that is cancelled before it has begun: without rows, so that it never begins. */
export function neverBegun(atMs: number, said: Omit<RunCancellation, 'atMs'>): RunSummary {
  const times = { startedAtMs: atMs, updatedAtMs: atMs };
  const counts = { turns: 0, commits: 0, pending: 0 };
  return { status: 'cancelled', promptName: '', ...times, ...counts, info: { cancelled: { ...said } } };
}

/**
 * Refuses a run that was cancelled before it had begun.
 *
 * @throws {RunRefusedError} `run-cancelled`.
 */
export function assertMayBegin({ runId, status, rows, info }: JournaledRun): void {
  if (status !== 'cancelled' || rows > 0) return;
  // Written by `neverBegun`.
  throw cancelledError(runId, Object(info?.['cancelled']) as Omit<RunCancellation, 'atMs'>);
}

/** The rows of a run that is to continue. @throws {RunRefusedError} `run-cancelled`, for one that was cancelled before it had any. */
export async function rowsToGoOn(
  journal: Pick<RunJournal, 'read' | 'runs'>,
  runId: string,
): Promise<readonly JournalRow[]> {
  const rows = await journal.read(runId);
  const run = rows.length === 0 ? await findRun(journal, runId) : undefined;
  if (run !== undefined) assertMayBegin(run);
  return rows;
}

/** The message that ends a run for good, where one waits. */
export async function cancelMessage(
  journal: Pick<RunJournal, 'messages'>,
  runId: string,
): Promise<CancelMessage | undefined> {
  return (await journal.messages(runId)).find((message) => message.kind === 'cancel');
}

/** Adds the row that takes the message. */
export function addCancelled(
  { id, atMs, by, reason }: CancelMessage,
  recorder: Pick<Recorder, 'add'>,
  writer: Pick<JournalWriter, 'take'>,
): void {
  const said = present({ by, reason });
  recorder.add((part) => ({ type: 'cancelled', ...part, must: true, atMs, ...said }));
  writer.take(id);
}

/** A run with the clock of those who write to it. */
interface WrittenRun {
  readonly journal: RunJournal;
  readonly runId: string;
  readonly clock: Pick<Clock, 'now'>;
}

/** Writes that a run is cancelled, where its inbox says so and its rows do not. For the owner of a run that does not continue here. */
export async function takeCancel(
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
 * For the owner of a run that is to continue. A message that cancels it and that no owner has taken is taken.
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

import { JournalFencedError } from '../../error/index.ts';
import type { JournalBatch, JournaledRun, RunFilter, RunSummary } from './run-journal.ts';

/** What a journal keeps of a run beside its rows and its summary. */
interface KeptRun {
  readonly sessionId: string;
  /** How many rows it has. */
  readonly rows: number;
}

/**
 * How many rows a run has with a batch.
 *
 * @param sessionId that of the lease.
 * @param run undefined: the batch begins it.
 * @throws {JournalFencedError} for a run of another session, and for rows that do not follow its last one.
 */
export function rowsWith({ runId, rows }: JournalBatch, sessionId: string, run: KeptRun | undefined): number {
  if (run !== undefined && run.sessionId !== sessionId) {
    throw new JournalFencedError(
      `The run "${runId}" belongs to the session "${run.sessionId}", and the lease is one of "${sessionId}".`,
      { details: { runId, sessionId: run.sessionId } },
    );
  }
  let next = run?.rows ?? 0;
  for (const { seq } of rows) {
    if (seq !== next) {
      throw new JournalFencedError(
        `Row ${seq} of the run "${runId}" does not follow its last one: number ${next} is the next.`,
        { details: { runId, seq, next } },
      );
    }
    next += 1;
  }
  return next;
}

/** A run as its journal lists it. @param isHeld whether an owner holds its session. */
export function listedRun(
  runId: string,
  { sessionId, rows }: KeptRun,
  summary: RunSummary,
  isHeld: boolean,
): JournaledRun {
  const status = summary.status === 'running' && !isHeld ? 'interrupted' : summary.status;
  return { ...summary, runId, sessionId, rows, status };
}

/** Whether a filter lists a run. */
export function isListed(run: JournaledRun, filter: RunFilter): boolean {
  return (['runId', 'sessionId', 'workspace', 'status'] as const).every(
    (name) => (filter[name] ?? run[name]) === run[name],
  );
}

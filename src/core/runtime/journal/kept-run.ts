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

/** A run as its journal has it, from which it is listed. */
export interface ListedRun extends KeptRun {
  readonly runId: string;
  readonly summary: RunSummary;
  /** Whether an owner holds its session. */
  readonly isHeld: boolean;
}

/**
 * The runs that a filter lists, in its order.
 *
 * @param runs all of them, or those that a database has chosen, in any order; of those with the same time the first ones stay first.
 */
export function listRuns(
  runs: readonly ListedRun[],
  filter: RunFilter,
  nowMs: number,
): readonly JournaledRun[] {
  const { limit = Infinity, order = 'newest' } = filter;
  const sign = order === 'newest' ? -1 : 1;
  return runs
    .map((run) => toListed(run, nowMs))
    .filter((run) => isListed(run, filter))
    .sort((left, right) => sign * (left.updatedAtMs - right.updatedAtMs))
    .slice(0, limit);
}

function toListed({ runId, sessionId, rows, summary, isHeld }: ListedRun, nowMs: number): JournaledRun {
  const status = summary.status === 'running' && !isHeld ? 'interrupted' : summary.status;
  const isReady = status !== 'running' && (readyFromMs(summary) ?? Infinity) <= nowMs;
  return { ...summary, runId, sessionId, rows, status, isReady };
}

/**
 * From when on a process can continue a run, while no owner holds the session of one that has not ended: 0 or when its last question expires, in milliseconds since the Unix
 * epoch. Undefined: never, as its summary says it.
 */
export function readyFromMs({
  status,
  isToolRuntime,
  pending,
  waitsUntilMs,
}: RunSummary): number | undefined {
  if (isToolRuntime === true) return undefined;
  if (status === 'running') return 0;
  if (status !== 'suspended') return undefined;
  return pending === 0 ? 0 : waitsUntilMs;
}

function isListed(run: JournaledRun, filter: RunFilter): boolean {
  const { ready, updatedBeforeMs = Infinity } = filter;
  return (
    (['runId', 'sessionId', 'workspace', 'status'] as const).every(
      (name) => (filter[name] ?? run[name]) === run[name],
    ) &&
    (ready !== true || run.isReady) &&
    run.updatedAtMs < updatedBeforeMs
  );
}

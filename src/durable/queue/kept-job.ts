import { isRecord } from '../../core/internal/index.ts';
import {
  findRun,
  type JournaledRun,
  type RunJournal,
  type RunSummary,
  summaryOf,
  withRunInfo,
} from '../../core/runtime/index.ts';
import { type JsonObject, sameJson } from '../../core/schema/index.ts';
import { withLease } from '../rows/journal-writer.ts';
import { checkedJob, type RunJob } from './run-job.ts';

/** Why a worker has put a run aside, in the `info` of its summary. */
export interface SetAside {
  /** Code of the error, or its name. */
  readonly code: string;
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
}

/**
 * The journal, which keeps the job of a run in its summary, so that a sweep or an answer can send the job again. Without the input, which the rows have. The run is not set aside any
 * more: it was asked to continue.
 */
export function journalWithJob(journal: RunJournal, job: RunJob): RunJournal {
  return withRunInfo(journal, (info = {}) => {
    const { setAside: _aside, ...known } = info;
    return { ...known, job: keptPart(job) };
  });
}

function keptPart({ input: _input, startAfter: _start, ...kept }: RunJob): JsonObject {
  // Its members are plain JSON: see `checkedJob`.
  return { ...kept };
}

/** The job that a run is sent again with; undefined for a run that no worker has begun. */
export function keptJob({ runId, info }: Pick<JournaledRun, 'info' | 'runId'>): RunJob | undefined {
  try {
    const job = checkedJob('runWorker()', info?.['job']);
    return job.runId === runId ? job : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a worker has put a run aside. */
export function isSetAside({ info }: Pick<JournaledRun, 'info'>): boolean {
  return isRecord(info?.['setAside']);
}

/**
 * Keeps that a run is set aside, so that no worker sends its job again by itself. Does nothing for a run that could not continue anyway, for one that the journal does not have, and for one with another job: that may do.
 *
 * @throws {SessionBusyError} while another process has it.
 */
export async function setAside(journal: RunJournal, job: RunJob, why: SetAside): Promise<void> {
  const { runId } = job;
  const found = await findRun(journal, runId);
  if (found?.isReady !== true || !sameJson(found.info?.['job'], keptPart(job))) return;
  await withLease(journal, found.sessionId, async (lease) => {
    // Its last owner may have written until now.
    const run = await findRun(journal, runId);
    if (run === undefined) return;
    const summary: RunSummary = { ...summaryOf(run), info: { ...run.info, setAside: { ...why } } };
    await journal.append({ runId, rows: [], summary }, lease);
  });
}

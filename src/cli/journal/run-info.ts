import { present } from '../../core/internal/index.ts';
import {
  findRun,
  type JournaledRun,
  type RunJournal,
  type RunLease,
  type RunSummary,
  summaryOf,
  withRunInfo,
} from '../../core/runtime/index.ts';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { fromJournal, type KeptRequest, toJournal } from './kept-request.ts';

/** What the command keeps of a run in its journal, to find it again. */
export interface RunInfo {
  /** What the command was asked for that began the run. */
  readonly request: KeptRequest;
  /** Whether the changes of the run were written to the folder at its end. */
  readonly isApplied: boolean;
}

/** A {@link RunInfo} as it is in the journal. */
export interface KeptInfo extends Omit<RunInfo, 'request'> {
  /** `unreadable`: another version has written it. */
  readonly request: KeptRequest | 'unreadable';
}

/** What a run was begun with; undefined for a run that another program has begun. */
export function readRunInfo({ info }: Pick<JournaledRun, 'info'>): KeptInfo | undefined {
  const kept = info === undefined ? undefined : fromJournal(info);
  return kept === undefined ? undefined : { ...kept, isApplied: info?.['isApplied'] === true };
}

/** @throws {UsageError} when it cannot be read. */
export function requestOf(runId: string, { request }: KeptInfo): KeptRequest {
  if (request !== 'unreadable') return request;
  throw new UsageError(`what the journal has of the call of "${printable(runId)}" cannot be read.`);
}

/**
 * The journal, with `info` in the summary of each batch.
 *
 * @param held a lease for the next one who acquires its session; undefined: it is acquired then.
 */
export function journalWithInfo(journal: RunJournal, info: RunInfo, held?: RunLease): RunJournal {
  let next = held;
  return {
    ...withRunInfo(journal, () => infoOf(info)),
    acquire: async (sessionId, ended) => {
      if (next?.sessionId !== sessionId) return journal.acquire(sessionId, ended);
      const lease = next;
      next = undefined;
      return lease;
    },
  };
}

/**
 * Replaces what is kept of a run that no process writes. Does nothing for an unknown one.
 *
 * @param workspace the folder that the run is listed with. Default: the one so far.
 */
export async function updateRunInfo(
  journal: RunJournal,
  runId: string,
  info: RunInfo,
  workspace?: string,
): Promise<void> {
  await (await acquireWithInfo(journal, runId, info, workspace))?.release();
}

/**
 * Acquires the lease of a run and replaces what is kept of it; undefined for an unknown run.
 *
 * @throws {SessionBusyError} while another process has it.
 */
export async function acquireWithInfo(
  journal: RunJournal,
  runId: string,
  info: RunInfo,
  workspace?: string,
): Promise<RunLease | undefined> {
  const sessionId = (await findRun(journal, runId))?.sessionId;
  if (sessionId === undefined) return undefined;
  const lease = await journal.acquire(sessionId);
  try {
    // Its last owner may have written until now.
    const run = await findRun(journal, runId);
    if (run !== undefined) {
      const summary = {
        ...summaryOf(run),
        ...present({ workspace }),
        info: infoOf(info),
      };
      await journal.append({ runId, rows: [], summary }, lease);
    }
    return lease;
  } catch (error) {
    await lease.release();
    throw error;
  }
}

/**
 * Whether a run has its answer, and its changes are not in the folder where they belong: its process was killed right before, or others had changed the files. Never for a
 * tool runtime, which no one can continue with.
 */
export function isUnwritten(run: JournaledRun): boolean {
  const info = readRunInfo(run);
  if (run.isToolRuntime === true || run.status !== 'finished' || run.commits === 0 || info === undefined)
    return false;
  return info.request !== 'unreadable' && info.request.apply === 'end' && !info.isApplied;
}

function infoOf({ request, isApplied }: RunInfo): NonNullable<RunSummary['info']> {
  return { request: toJournal(request), isApplied };
}

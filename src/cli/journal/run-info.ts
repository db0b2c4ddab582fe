import { SessionBusyError } from '../../core/error/index.ts';
import { present } from '../../core/internal/index.ts';
import {
  findRun as findJournaledRun,
  type JournaledRun,
  journalOperations,
  type RunFilter,
  type RunJournal,
  type RunLease,
  type RunLeaseIdentity,
  type RunSummary,
  summaryOf,
} from '../../core/runtime/index.ts';
import { fieldFault, type JsonObject, number, type RecordOf, record, text } from '../../core/schema/index.ts';
import { isProcessAlive, type ProcessIdentity } from '../../host/index.ts';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { fromJournal, type KeptRequest, toJournal } from './kept-request.ts';

/** What the command keeps of a run in its journal, to find it again. */
export interface RunInfo {
  /** What the command was asked for that began the run. */
  readonly request: KeptRequest;
  /** Whether the changes of the run were written to the folder at its end. */
  readonly isApplied: boolean;
  /** The process that ran it last with this command. */
  readonly process: ProcessIdentity;
}

/** A {@link RunInfo} as it is in the journal. */
export interface KeptInfo extends Omit<RunInfo, 'request'> {
  /** `unreadable`: another version has written it. */
  readonly request: KeptRequest | 'unreadable';
  /** Number of rows that the run had when this was written: with more of them, another program has gone on with it. */
  readonly rows: number;
  /** The lease that it was written with. */
  readonly lease: RunLeaseIdentity;
}

/** What a run was begun with; undefined for a run that another program has begun. */
export function readRunInfo({ info }: Pick<JournaledRun, 'info'>): KeptInfo | undefined {
  const kept = info === undefined ? undefined : fromJournal(info);
  if (info === undefined || kept === undefined) return undefined;
  if (!isKept(info)) return undefined;
  const { isApplied, lease, process: owner, rows } = info;
  return { ...kept, isApplied: isApplied === true, process: owner, rows, lease };
}

/** What is read of a {@link KeptInfo} beside the request. */
const infoFields = {
  rows: number,
  process: record({ host: text, pid: number, startedAt: text }),
  lease: record({ owner: text, epoch: number }),
};

function isKept(info: JsonObject): info is JsonObject & RecordOf<typeof infoFields> {
  return fieldFault(record(infoFields), info) === undefined;
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
    ...journalOperations(journal),
    append: (batch, lease) => {
      const rows = (batch.rows.at(-1)?.seq ?? -1) + 1;
      const summary = { ...batch.summary, info: infoOf(info, rows, lease) };
      return journal.append({ ...batch, summary }, lease);
    },
    acquire: async (sessionId, ended) => {
      if (next?.sessionId !== sessionId) return journal.acquire(sessionId, ended);
      const lease = next;
      next = undefined;
      return lease;
    },
  };
}

/** A journal that gives the session of a process of this command which has ended to the next one at once, and not only when its lease has run out. */
export function takingOver(journal: RunJournal & AsyncDisposable): RunJournal & AsyncDisposable {
  return {
    ...journalOperations(journal),
    acquire: async (sessionId, ended) => {
      try {
        return await journal.acquire(sessionId, ended);
      } catch (error) {
        const lease = SessionBusyError.isInstance(error) ? await endedLeaseOf(journal, sessionId) : undefined;
        if (lease === undefined) throw error;
        return journal.acquire(sessionId, lease);
      }
    },
    [Symbol.asyncDispose]: () => journal[Symbol.asyncDispose](),
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
        info: infoOf(info, run.rows, lease),
      };
      await journal.append({ runId, rows: [], summary }, lease);
    }
    return lease;
  } catch (error) {
    await lease.release();
    throw error;
  }
}

/** The runs of a journal. One whose process has ended is interrupted at once, and not only when its lease has run out. */
export async function listRuns(
  journal: RunJournal,
  filter: Pick<RunFilter, 'workspace'> = {},
): Promise<readonly JournaledRun[]> {
  const runs = await journal.runs(filter);
  return runs.map(presentRun);
}

function presentRun(run: JournaledRun): JournaledRun {
  return isHeldByEnded(run) ? { ...run, status: 'interrupted' } : run;
}

/**
 * Whether a run has its answer, and its changes are not in the folder where they belong: its process was killed right before, or others had changed the files. Never for a
 * tool runtime, which no one can go on with.
 */
export function isUnwritten(run: JournaledRun): boolean {
  const info = readRunInfo(run);
  if (run.isToolRuntime === true || run.status !== 'finished' || run.commits === 0 || info === undefined)
    return false;
  return info.request !== 'unreadable' && info.request.apply === 'end' && !info.isApplied;
}

/** A run of the journal by its name; undefined for an unknown one. */
export async function findRun(journal: RunJournal, runId: string): Promise<JournaledRun | undefined> {
  const run = await findJournaledRun(journal, runId);
  return run === undefined ? undefined : presentRun(run);
}

/**
 * The lease by which a process that has ended holds a session, as far as its runs say; undefined when none does. Only the run that was written last can say it. It may have
 * ended, or wait for an answer: a process can be killed before it gives the lease back.
 */
async function endedLeaseOf(journal: RunJournal, sessionId: string): Promise<RunLeaseIdentity | undefined> {
  const [run] = await journal.runs({ sessionId });
  const info = run === undefined ? undefined : readRunInfo(run);
  return info?.rows === run?.rows && info !== undefined && !isProcessAlive(info.process)
    ? info.lease
    : undefined;
}

/** Whether the process of a run has ended, but not its lease: that lasts for some seconds more. */
function isHeldByEnded(run: JournaledRun): boolean {
  const info = readRunInfo(run);
  return run.status === 'running' && info?.rows === run.rows && !isProcessAlive(info.process);
}

function infoOf(
  { request, isApplied, process }: RunInfo,
  rows: number,
  { owner, epoch }: RunLeaseIdentity,
): NonNullable<RunSummary['info']> {
  return {
    request: toJournal(request),
    isApplied,
    process: { ...process },
    rows,
    lease: { owner, epoch },
  };
}

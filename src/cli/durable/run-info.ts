import { isRecord } from '../../internal/index.ts';
import { isProcessAlive, type ProcessIdentity } from '../../node/internal.ts';
import type { JournaledRun, RunFilter, RunJournal, RunSummary } from '../../runtime/index.ts';

/** What the command keeps of a run in its journal, to find it again. */
export interface RunInfo {
  /** The words of the command line that began the run, with absolute paths and without those that say what is printed. */
  readonly call: readonly string[];
  /** Whether the changes of the run were written to the folder at its end. */
  readonly isApplied: boolean;
  /** The process that ran it last with this command. */
  readonly process: ProcessIdentity;
}

/** Number of rows that the run had when its {@link RunInfo} was written: with more of them, another program has gone on with it. */
interface KeptInfo extends RunInfo {
  readonly rows: number;
}

/** What a run was begun with; undefined for a run that another program has begun. */
export function readRunInfo({ info }: Pick<JournaledRun, 'info'>): KeptInfo | undefined {
  const call = info?.['call'];
  const owner = info?.['process'];
  const rows = info?.['rows'];
  if (!Array.isArray(call) || !call.every((word) => typeof word === 'string')) return undefined;
  if (!isProcess(owner) || typeof rows !== 'number') return undefined;
  return { call, isApplied: info?.['isApplied'] === true, process: owner, rows };
}

function isProcess(value: unknown): value is ProcessIdentity {
  return (
    isRecord(value) &&
    typeof value['host'] === 'string' &&
    typeof value['pid'] === 'number' &&
    typeof value['startedAt'] === 'string'
  );
}

/** The journal, with `info` in the summary of each batch. */
export function journalWithInfo(journal: RunJournal, info: RunInfo): RunJournal {
  return {
    append: (batch, lease) => {
      const rows = (batch.rows.at(-1)?.seq ?? -1) + 1;
      return journal.append({ ...batch, summary: { ...batch.summary, info: infoOf(info, rows) } }, lease);
    },
    read: (runId, from) => journal.read(runId, from),
    acquire: (sessionId) => journal.acquire(sessionId),
    revoke: (sessionId) => journal.revoke(sessionId),
    runs: (filter) => journal.runs(filter),
    remove: (runId, lease) => journal.remove(runId, lease),
  };
}

/** Replaces what is kept of a run that no process writes. Does nothing for an unknown one. */
export async function updateRunInfo(journal: RunJournal, runId: string, info: RunInfo): Promise<void> {
  const run = await findRun(journal, runId);
  if (run === undefined) return;
  const lease = await journal.acquire(run.sessionId);
  try {
    await journal.append(
      { runId, rows: [], summary: { ...summaryOf(run), info: infoOf(info, run.rows) } },
      lease,
    );
  } finally {
    await lease.release();
  }
}

/** A run as the command lists it. */
export interface ListedRun extends JournaledRun {
  /** Whether a process that has ended still holds its session, for some seconds. */
  readonly isHeldByDead: boolean;
}

/** The runs of a journal. One whose process has ended is interrupted at once, and not only when its lease has run out. */
export async function listRuns(
  journal: RunJournal,
  filter: Pick<RunFilter, 'workspace'> = {},
): Promise<readonly ListedRun[]> {
  const runs = await journal.runs(filter);
  return runs.map((run): ListedRun => {
    const info = readRunInfo(run);
    const isHeldByDead = run.status === 'running' && info?.rows === run.rows && !isProcessAlive(info.process);
    return { ...run, isHeldByDead, status: isHeldByDead ? 'interrupted' : run.status };
  });
}

/** A run of the journal by its name; undefined for an unknown one. */
export async function findRun(journal: RunJournal, runId: string): Promise<ListedRun | undefined> {
  return (await listRuns(journal)).find((run) => run.runId === runId);
}

function infoOf({ call, isApplied, process }: RunInfo, rows: number): NonNullable<RunSummary['info']> {
  return { call, isApplied, process: { ...process }, rows };
}

function summaryOf({
  runId: _id,
  sessionId: _session,
  rows: _rows,
  isHeldByDead: _held,
  ...run
}: ListedRun): RunSummary {
  return { ...run, status: run.status === 'interrupted' ? 'running' : run.status };
}

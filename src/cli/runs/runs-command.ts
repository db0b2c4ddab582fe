import { SessionBusyError } from '../../core/error/index.ts';
import { counted, escapeInvisible, present } from '../../core/internal/index.ts';
import { isOverSince, type JournaledRun, type RunJournal } from '../../core/runtime/index.ts';
import { type Clock, systemClock } from '../../core/session/index.ts';
import { cancelRun } from '../../durable/index.ts';
import { exportRecord } from '../../record/index.ts';
import type { PruneChoice, RunsRequest } from '../commands/runs.ts';
import { journalOption } from '../journal/journal-name.ts';
import { redactionOf } from '../journal/journaled-record.ts';
import { folderFilter, type NamedRun, namedRun } from '../journal/named-runs.ts';
import { type Journals, journalsOf } from '../journal/open-journal.ts';
import { isUnwritten, readRunInfo } from '../journal/run-info.ts';
import { writeRecord } from '../journal/write-record.ts';
import { type CliEnvironment, exitCodes, writeLines } from '../process/environment.ts';
import { printable, readableTime } from '../process/plain-text.ts';
import type { TextStyle } from '../process/text-style.ts';
import { resultLines } from '../query/result-text.ts';
import { type CommandReport, settleFolder } from './settle-folder.ts';

/** What the commands on runs take from outside, so that tests can replace it. */
export interface RunsParts {
  readonly journals: Journals;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Lists, removes, stops, settles or exports the runs of a journal.
 *
 * @returns the exit code of the process.
 * @throws {UsageError} for a run that the journal does not have, and a journal that cannot be read.
 */
export async function runsCommand(
  request: RunsRequest,
  environment: CliEnvironment,
  { journals = journalsOf(environment), clock = systemClock }: Partial<RunsParts> = {},
): Promise<number> {
  const { stdout } = environment;
  const readOnly = request.action === 'list' || request.action === 'export';
  await using journal = await journals.openExisting(request.journalNames, { readOnly });
  const { lines, exitCode } = await reportOf(request, journal, clock.now(), environment);
  writeLines(stdout, lines);
  return exitCode;
}

async function reportOf(
  request: RunsRequest,
  journal: RunJournal | undefined,
  nowMs: number,
  environment: CliEnvironment,
): Promise<CommandReport> {
  const runs = async (folder: string | undefined): Promise<readonly JournaledRun[]> =>
    journal === undefined ? [] : journal.runs(folderFilter(folder));
  const named = (runId: string): Promise<NamedRun> => namedRun(journal, runId, request.journalNames);
  const done = (lines: readonly string[]): CommandReport => ({ lines, exitCode: exitCodes.done });
  switch (request.action) {
    case 'list': {
      const { limit } = request;
      const found = journal === undefined ? [] : await foundRuns(request, journal);
      const listed = found.slice(0, limit);
      if (found.length > limit) {
        environment.stderr.write(
          `wink: these are the last ${counted(limit, 'run')}: --limit N lists more.\n`,
        );
      }
      if (request.isJson) return done(listed.map(runLine));
      return done(listed.length === 0 ? ['there are no runs.'] : formatRunList(listed));
    }
    case 'prune': {
      const chosen =
        request.runIds.length > 0
          ? await Promise.all([...new Set(request.runIds)].map(async (runId) => (await named(runId)).run))
          : request.choosesRuns
            ? chooseRuns(request, await runs(request.folder), nowMs)
            : [];
      if (journal === undefined) return done([nothingToRemove]);
      return done([
        ...(request.choosesRuns ? await prune(request, chosen, journal) : []),
        ...(await pruneLedger(request, journal, nowMs)),
      ]);
    }
    case 'stop':
      return done([await stop(await named(request.runId), request)]);
    case 'export': {
      const found = await named(request.runId);
      const { runId } = found.run;
      const redact = redactionOf(found.run, environment);
      await writeRecord(exportRecord({ journal: found.journal, runId, redact }), request.out);
      return done([`wrote the record of ${printable(runId)} to ${printable(request.out)}`]);
    }
    case 'settle': {
      const found = await named(request.runId);
      return settleFolder(found.journal, found.run);
    }
  }
}

/** The runs that a list has, and one more where there are more. */
async function foundRuns(
  { folder, limit, status }: Extract<RunsRequest, { readonly action: 'list' }>,
  journal: RunJournal,
): Promise<readonly JournaledRun[]> {
  const filter = { ...folderFilter(folder), ...present({ status }) };
  const runs = await journal.runs({ ...filter, limit: limit + 1 });
  // A journal that does not know the filter returns others, too.
  return status === undefined ? runs : runs.filter((run) => run.status === status);
}

const nothingToRemove = 'there is nothing to remove.';

async function prune(
  request: Extract<RunsRequest, { readonly action: 'prune' }>,
  chosen: readonly JournaledRun[],
  journal: RunJournal,
): Promise<readonly string[]> {
  if (chosen.length === 0) return [nothingToRemove];
  const isNamed = request.runIds.length > 0;
  const lines: string[] = [];
  for (const run of chosen) {
    const name = printable(run.runId);
    const reason = isNamed ? undefined : reasonToKeep(run);
    if (reason !== undefined) lines.push(`left ${name}: ${reason}; to remove it: wink runs prune ${name}`);
    else lines.push(request.isDryRun ? `would remove ${name}` : await remove(journal, run));
  }
  return lines;
}

/** Forgets what tools have done once longer ago, and what was spent of budgets in periods that are over. */
async function pruneLedger(
  { onceOlderThanMs, budgetsOlderThanMs, isDryRun }: Extract<RunsRequest, { readonly action: 'prune' }>,
  { ledger }: RunJournal,
  nowMs: number,
): Promise<readonly string[]> {
  if (ledger === undefined) return [];
  const forgot = isDryRun ? 'would forget' : 'forgot';
  const lines: string[] = [];
  if (onceOlderThanMs !== undefined) {
    const beforeMs = nowMs - onceOlderThanMs;
    const count = isDryRun
      ? (await ledger.onceKeys({ state: 'done' })).filter(({ atMs }) => atMs < beforeMs).length
      : await ledger.pruneOnce(beforeMs);
    lines.push(`${forgot} ${counted(count, 'key')}`);
  }
  if (budgetsOlderThanMs !== undefined) {
    const beforeMs = nowMs - budgetsOlderThanMs;
    const count = isDryRun
      ? (await ledger.budgets()).filter((each) => isOverSince(each, beforeMs)).length
      : await ledger.pruneBudgets(beforeMs);
    lines.push(`${forgot} ${counted(count, 'period')} of budgets`);
  }
  return lines;
}

/** Why a run is not removed unless it is named; undefined when it may be. */
function reasonToKeep(run: JournaledRun): string | undefined {
  if (run.status === 'suspended') {
    return run.pending === 0
      ? 'its answer can still be used'
      : `it waits for ${counted(run.pending, 'answer')}`;
  }
  return isUnwritten(run) ? 'its changes were not written to its folder' : undefined;
}

async function remove(journal: RunJournal, { runId, sessionId }: JournaledRun): Promise<string> {
  try {
    const lease = await journal.acquire(sessionId);
    try {
      await journal.remove(runId, lease);
    } finally {
      await lease.release();
    }
    return `removed ${printable(runId)}`;
  } catch (error) {
    if (!SessionBusyError.isInstance(error)) throw error;
    return `left ${printable(runId)}: it is running`;
  }
}

/** @param runs the one that was updated last first. */
function chooseRuns(
  { olderThanMs, keep }: PruneChoice,
  runs: readonly JournaledRun[],
  nowMs: number,
): readonly JournaledRun[] {
  return runs
    .slice(keep ?? 0)
    .filter(({ status }) => status !== 'running')
    .filter(({ updatedAtMs }) => olderThanMs === undefined || nowMs - updatedAtMs > olderThanMs);
}

async function stop(
  { journal, run }: NamedRun,
  { by, isForGood, journalNames, reason }: Extract<RunsRequest, { readonly action: 'stop' }>,
): Promise<string> {
  const name = printable(run.runId);
  if (isForGood) {
    if (run.status === 'finished' || run.status === 'cancelled')
      return `the run ${name} is over already: ${run.status}.`;
    await cancelRun({ journal, runId: run.runId, ...present({ by, reason }) });
    const fork =
      run.commits === 0
        ? ''
        : `; to continue from what it did: wink fork ${name} --at CALL${journalOption(journalNames)}`;
    return `the run ${name} was stopped for good${fork}`;
  }
  if (run.status !== 'running') return `the run ${name} is not running: ${run.status}.`;
  await journal.revoke(run.sessionId);
  const resume =
    readRunInfo(run) === undefined || run.isToolRuntime === true
      ? ''
      : `; to continue it: wink resume ${name}${journalOption(journalNames)}`;
  return `the run ${name} was stopped${resume}`;
}

const heads = [
  'run',
  'status',
  'updated',
  'turns',
  'commits',
  'pending',
  'interrupted',
  'agent',
  'folder',
] as const;

/** A table of runs, one line each, below a line of heads. */
function formatRunList(runs: readonly JournaledRun[]): readonly string[] {
  const style: TextStyle = (_tone, text) => text;
  return resultLines({ columns: heads, rows: runs.map(cellsOf) }, { width: Infinity, style });
}

function cellsOf(run: JournaledRun): readonly string[] {
  return [
    run.runId,
    run.status,
    readableTime(run.updatedAtMs),
    String(run.turns),
    String(run.commits),
    String(run.pending),
    String(run.interruptions ?? 0),
    run.agent ?? run.promptName,
    run.workspace ?? '',
  ];
}

/** One run as a line of JSON. How it was called is left out: it may hold what should not be printed. */
function runLine({ info: _info, ...run }: JournaledRun): string {
  return escapeInvisible(JSON.stringify(run));
}

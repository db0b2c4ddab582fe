import { FilesystemError, SessionBusyError } from '../../core/error/index.ts';
import type { Filesystem, LandingReport } from '../../core/filesystem/index.ts';
import type { RunJournal } from '../../core/runtime/index.ts';
import { settleRun } from '../../durable/internal.ts';
import type { PendingCommit } from '../../host/index.ts';
import type { JournalNames } from '../options/journal-names.ts';
import { reasonOf } from '../process/errors.ts';
import { namedPaths, printable } from '../process/plain-text.ts';
import { journalOption } from './journal-name.ts';

/** A folder that is open for writing, and the journal that may have runs on it. */
export interface SettleInterruptedOptions {
  readonly journal: RunJournal;
  /** The file of the journal, for the commands that are named; undefined: the one in the user's state folder. */
  readonly journalNames: JournalNames | undefined;
  readonly filesystem: Pick<Filesystem, '~land'>;
  /** Commits that opening the folder has found missing. */
  readonly pending: readonly PendingCommit[];
}

/** What {@link settleInterrupted} has done. */
export interface SettledRuns {
  /** What is to be said of it, one line for each commit. */
  readonly lines: readonly string[];
  /** The commits of runs that others resume. */
  readonly left: readonly PendingCommit[];
}

/**
 * Brings the commits to a folder that tool runtimes had decided when their process was killed: no one continues these runs, so that nothing else would. Does
 * nothing about other runs, which are resumed, and about runs that another process has.
 *
 * @throws {JournalError} when the journal has failed.
 */
export async function settleInterrupted(options: SettleInterruptedOptions): Promise<SettledRuns> {
  const { journal, pending } = options;
  if (pending.length === 0) return { lines: [], left: [] };
  const runs = await journal.runs();
  const lines: string[] = [];
  const left: PendingCommit[] = [];
  for (const commit of pending) {
    const { runId } = commit;
    const run = runs.find((known) => known.runId === runId);
    if (run === undefined) lines.push(unknownLine(runId));
    else if (run.isToolRuntime === true) lines.push(await settle(runId, options));
    else left.push(commit);
  }
  return { lines, left };
}

async function settle(
  runId: string,
  { journal, journalNames, filesystem }: SettleInterruptedOptions,
): Promise<string> {
  const name = printable(runId);
  const later = `wink runs settle ${name}${journalOption(journalNames)}`;
  // What is written at the end of a run cannot take in what was decided before it.
  if (filesystem['~land'] === undefined) return `the folder lacks a commit of run ${name}: ${later}`;
  try {
    return settledLine(name, await settleRun(journal, runId, filesystem));
  } catch (error) {
    if (SessionBusyError.isInstance(error))
      return `the folder lacks a commit of run ${name}, which another process has: ${later} when it has ended`;
    if (!FilesystemError.isInstance(error)) throw error;
    return `the last commit of run ${name} could not be written to the folder: ${reasonOf(error)}; ${later} tries it again`;
  }
}

/** Opening the folder has undone what was in it of the commit. */
function settledLine(name: string, report: LandingReport | undefined): string {
  const { landed = [], present = [], outside = [] } = report ?? {};
  const written = [...landed, ...present].sort();
  if (written.length + outside.length === 0)
    return `run ${name} was cut off before its last call was decided: the folder is as it was before that call`;
  const left =
    outside.length === 0 ? '' : `; left, since another process has changed it: ${namedPaths(outside)}`;
  const done = written.length === 0 ? 'nothing was written' : `it is in the folder: ${namedPaths(written)}`;
  return `run ${name} was cut off after its last call was decided; ${done}${left}`;
}

function unknownLine(runId: string): string {
  const name = printable(runId);
  return `the folder lacks a commit of run ${name}, which is in another journal: wink runs settle ${name} --journal FILE`;
}

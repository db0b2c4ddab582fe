import { JournalError, MissingPeerError } from '../../core/error/index.ts';
import { counted } from '../../core/internal/index.ts';
import type { JournaledRun, RunJournal } from '../../core/runtime/index.ts';
import type { PendingCommit } from '../../host/index.ts';
import type { JournalNames } from '../options/journal-names.ts';
import { reasonOf, UsageError } from '../process/errors.ts';
import { firstOf, printable } from '../process/plain-text.ts';
import { journalOption } from './journal-name.ts';
import type { Journals } from './open-journal.ts';
import { isUnwritten, readRunInfo } from './run-info.ts';

/** Maximum number of interrupted runs that are named. */
const maxNamedRuns = 3;

/** A folder, and the journal that may have runs on it. */
export interface InterruptedRunsOptions {
  /** Real path of the folder. */
  readonly workspace: string;
  /** Commits that are not in the folder. */
  readonly pending: readonly PendingCommit[];
  /** The journal where it is open already; default: it is opened and closed again. */
  readonly journal?: RunJournal | undefined;
  readonly journalNames: JournalNames | undefined;
  readonly journals: Journals;
}

/** What is to be said of runs on a folder that were interrupted, one line each. A journal that cannot be read is named, too: a run without one continues. */
export async function describeInterruptedRuns(options: InterruptedRunsOptions): Promise<readonly string[]> {
  const { workspace, pending, journalNames, journals } = options;
  try {
    await using opened =
      options.journal === undefined
        ? await journals.openExisting(journalNames, { readOnly: true })
        : undefined;
    const journal = options.journal ?? opened;
    if (journal === undefined) return [];
    const undone = new Set(pending.map(({ runId }) => runId));
    const runs = (await journal.runs({ workspace })).filter(
      (run) => isUnwritten(run) || (run.status === 'interrupted' && canGoOn(run, undone)),
    );
    const option = journalOption(journalNames);
    const lineOf = (run: JournaledRun): string => interruptionLine(run, option, undone.has(run.runId));
    const restOf = (rest: number): string =>
      `${counted(rest, 'more run')} on this folder can continue: wink runs${option}`;
    return firstOf(runs, maxNamedRuns, lineOf, restOf);
  } catch (error) {
    // A newer Node has made the journal; this one cannot resume anything.
    if (error instanceof UsageError && MissingPeerError.isInstance(error.cause)) return [];
    if (error instanceof UsageError) return [error.message.replace(/\.$/, '')];
    if (!JournalError.isInstance(error)) throw error;
    return [`the journal of durable runs cannot be read: ${reasonOf(error)}`];
  }
}

/** Whether something can be done about a run that was interrupted. */
function canGoOn({ isToolRuntime, runId }: JournaledRun, undone: ReadonlySet<string>): boolean {
  return isToolRuntime !== true || undone.has(runId);
}

function interruptionLine(run: JournaledRun, option: string, isUndone: boolean): string {
  const id = printable(run.runId);
  const undone = isUndone ? ', the last of which is not in the folder' : '';
  const was = isUnwritten(run)
    ? `run ${id} has ended, and its changes were not written to the folder`
    : `run ${id} was interrupted after ${counted(run.commits, 'commit')}${undone}`;
  if (run.isToolRuntime === true) return `${was}: wink runs settle ${id}${option}`;
  const other = isUndone ? 'settle' : 'prune';
  return readRunInfo(run) === undefined
    ? `${was}; the program that began it can resume it; or wink runs ${other} ${id}${option}`
    : `${was}: wink resume ${id}${option}, or wink runs ${other} ${id}${option}`;
}

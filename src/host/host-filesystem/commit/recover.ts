import { FilesystemError } from '../../../core/error/index.ts';
import { segmentsOf } from '../../../core/filesystem/index.ts';
import { present } from '../../../core/internal/index.ts';
import { isMarkOf } from '../../disk/stamp.ts';
import { errorCode } from '../../disk/system-error.ts';
import type { HostJail } from '../jail/jail.ts';
import { changedPaths, type OnFailpoint } from './commit-step.ts';
import { type JournalRecord, listJournals, readJournal, removeJournal } from './journal.ts';
import { keepPending } from './pending-commits.ts';
import { removeLeftovers, rollbackSteps } from './run-step.ts';

/** A commit that was interrupted because its process was killed. */
export interface InterruptedCommit {
  /**
   * The result of recovery: the previous state was `restored`; the commit was `completed`, as only leftovers had to be removed; or it
   * was `left` unchanged, because the folder was opened read-only, or is not the folder of the commit but one that
   * replaced it. When the original folder is back, the next `open` recovers it.
   */
  readonly outcome: 'restored' | 'completed' | 'left';
  /** The paths that it was changing, sorted. */
  readonly paths: readonly string[];
  /** The run with a journal that it is a commit of: the journal may have decided it. Absent for any other commit. */
  readonly runId?: string;
}

/**
 * Restores a folder whose writer was interrupted to the state before or after its last commit.
 * @returns the interrupted commits.
 * @throws {FilesystemError} `filesystem-storage-failed` when that cannot be done; the journal stays for another attempt.
 */
export function recoverCommits(
  jail: HostJail,
  journalDirectory: string,
  onFailpoint: OnFailpoint,
): readonly InterruptedCommit[] {
  const found: InterruptedCommit[] = [];
  for (const path of listJournals(journalDirectory)) {
    try {
      const record = readJournal(path);
      if (record !== undefined && !isOfFolder(jail, record)) {
        found.push(interrupted('left', record));
        continue;
      }
      if (record?.isDone === true) removeLeftovers(jail, record.steps);
      else if (record !== undefined) undo(jail, journalDirectory, record, onFailpoint);
      removeJournal(journalDirectory, path);
      if (record !== undefined) found.push(interrupted(record.isDone ? 'completed' : 'restored', record));
    } catch (error) {
      throw new FilesystemError(
        'filesystem-storage-failed',
        'A commit to the folder was interrupted, and the previous state could not be restored ' +
          `(${errorCode(error) ?? (error instanceof Error ? error.message : 'unknown error')}). ` +
          'Remove the cause and open it again: the journal of the commit is kept until then.',
        { details: { path: '.' } },
      );
    }
  }
  return found;
}

/** Restores the state before a commit; the folder keeps the mark of one that may be decided. */
function undo(
  jail: HostJail,
  journalDirectory: string,
  record: JournalRecord,
  onFailpoint: OnFailpoint,
): void {
  const { isReady, pending, steps, rootMark } = record;
  rollbackSteps(jail, record, onFailpoint);
  onFailpoint?.('undone');
  if (isReady && pending !== undefined)
    keepPending(journalDirectory, { ...pending, paths: changedPaths(steps) }, rootMark);
  onFailpoint?.('marked');
}

function interrupted(
  outcome: InterruptedCommit['outcome'],
  { steps, pending }: JournalRecord,
): InterruptedCommit {
  return {
    outcome,
    paths: changedPaths(steps),
    ...present({ runId: pending?.runId }),
  };
}

/** False when the commit was made in another folder that used to be at this path, so that nothing here belongs to it. */
function isOfFolder(jail: HostJail, { rootMark, steps, stagedPaths }: JournalRecord): boolean {
  if (rootMark === undefined || isMarkOf(rootMark, jail.rootStats())) return true;
  // A copy of that folder, such as a restored backup, contains the temporary files of the commit.
  const left = steps.flatMap((step) => [
    ...(step.op === 'take' ? [step.trash] : []),
    ...(step.op === 'place' && step.backup !== undefined ? [step.backup] : []),
  ]);
  return [...stagedPaths, ...left].some((path) => jail.statOf(segmentsOf(path)) !== undefined);
}

/** The interrupted commits of a folder. Changes nothing. */
export function findInterruptedCommits(journalDirectory: string): readonly InterruptedCommit[] {
  const found: InterruptedCommit[] = [];
  for (const path of listJournals(journalDirectory)) {
    let record: JournalRecord | undefined;
    try {
      record = readJournal(path);
    } catch {
      // The process that recovers it reports the error.
      found.push({ outcome: 'left', paths: [] });
    }
    if (record !== undefined) found.push(interrupted('left', record));
  }
  return found;
}

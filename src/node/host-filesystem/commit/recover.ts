import { FilesystemError } from '../../../error/index.ts';
import { segmentsOf } from '../../../filesystem/index.ts';
import { isMarkOf } from '../../disk/stamp.ts';
import { errorCode } from '../../disk/system-error.ts';
import type { HostJail } from '../jail/jail.ts';
import { type JournalRecord, listJournals, readJournal, removeJournal } from './journal.ts';
import { removeLeftovers, rollbackSteps } from './run-step.ts';

/** A commit that a process left in the middle, when it was killed. */
export interface InterruptedCommit {
  /**
   * What became of it: the state before it was `restored`; it was `completed`, having been done but for clearing away; or it
   * was `left` as it is, since the folder was opened to be read only, or is another one than the commit was made in, which
   * was put in its place. Back there, that one is recovered by the next `open`.
   */
  readonly outcome: 'restored' | 'completed' | 'left';
  /** What it was to change, sorted. */
  readonly paths: readonly string[];
}

/**
 * Brings a folder whose writer was interrupted into the state before or after its last commit.
 * @returns what was found.
 * @throws {FilesystemError} `filesystem-storage-failed` when that cannot be done; the journal stays for another attempt.
 */
export function recoverCommits(
  jail: HostJail,
  journalDirectory: string,
  onFailpoint: (failpoint: string) => void,
): readonly InterruptedCommit[] {
  const found: InterruptedCommit[] = [];
  for (const path of listJournals(journalDirectory)) {
    try {
      const record = readJournal(path);
      if (record !== undefined && !isOfFolder(jail, record)) {
        found.push({ outcome: 'left', paths: pathsOf(record) });
        continue;
      }
      if (record?.isDone === true) removeLeftovers(jail, record);
      else if (record !== undefined) rollbackSteps(jail, record, onFailpoint);
      removeJournal(journalDirectory, path);
      if (record !== undefined) {
        found.push({ outcome: record.isDone ? 'completed' : 'restored', paths: pathsOf(record) });
      }
    } catch (error) {
      throw new FilesystemError(
        'filesystem-storage-failed',
        'The folder was left in the middle of a commit, and the state before it could not be restored ' +
          `(${errorCode(error) ?? (error instanceof Error ? error.message : 'unknown error')}). ` +
          'Free what is in the way and open it again: the journal of the commit is kept until then.',
        { details: { path: '.' } },
      );
    }
  }
  return found;
}

/** False when the commit was made in another folder, which has stood in this place, so that nothing here is of it. */
function isOfFolder(jail: HostJail, { rootMark, steps, stagedPaths }: JournalRecord): boolean {
  if (rootMark === undefined || isMarkOf(rootMark, jail.rootStats())) return true;
  // A copy of that folder, as a backup makes one, holds what the commit left there.
  const left = steps.flatMap((step) => [
    ...(step.op === 'take' ? [step.trash] : []),
    ...(step.op === 'place' && step.backup !== undefined ? [step.backup] : []),
  ]);
  return [...stagedPaths, ...left].some((path) => jail.statOf(segmentsOf(path)) !== undefined);
}

/** The commits that a folder is in the middle of. Nothing is changed. */
export function findInterruptedCommits(journalDirectory: string): readonly InterruptedCommit[] {
  const found: InterruptedCommit[] = [];
  for (const path of listJournals(journalDirectory)) {
    let record: JournalRecord | undefined;
    try {
      record = readJournal(path);
    } catch {
      // Whoever recovers it will say what is wrong with it.
      found.push({ outcome: 'left', paths: [] });
    }
    if (record !== undefined) found.push({ outcome: 'left', paths: pathsOf(record) });
  }
  return found;
}

function pathsOf({ steps }: JournalRecord): readonly string[] {
  return [...new Set(steps.map((step) => step.path))].sort();
}

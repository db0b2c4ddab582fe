import { FilesystemError } from '../../error/index.ts';
import { errorCode } from '../host-mount/host-error.ts';
import type { HostJail } from './jail.ts';
import { listJournals, readJournal, removeJournal } from './journal.ts';
import { clearAway, undoSteps } from './run-step.ts';

/**
 * Brings a folder whose writer was interrupted into the state before or after its last commit.
 * @throws {FilesystemError} `storage-failed` when that cannot be done; the journal stays for another attempt.
 */
export function recoverCommits(
  jail: HostJail,
  journalDirectory: string,
  onMoment: (moment: string) => void,
): void {
  for (const path of listJournals(journalDirectory)) {
    try {
      const record = readJournal(path);
      if (record?.isDone === true) clearAway(jail, record);
      else if (record !== undefined) undoSteps(jail, record, onMoment);
      removeJournal(journalDirectory, path);
    } catch (error) {
      throw new FilesystemError(
        'storage-failed',
        'The folder was left in the middle of a commit, and the state before it could not be restored ' +
          `(${errorCode(error) ?? (error instanceof Error ? error.message : 'unknown error')}). ` +
          'Free what is in the way and open it again: the journal of the commit is kept until then.',
        { details: { path: '.' } },
      );
    }
  }
}

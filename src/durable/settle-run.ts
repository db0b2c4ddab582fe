import type { Filesystem, LandingReport } from '../core/filesystem/index.ts';
import type { RunJournal } from '../core/runtime/index.ts';
import { landLastCommit } from './resume/land-last-commit.ts';
import { readRunRows } from './rows/run-rows.ts';

/**
 * Brings a folder to the last commit that a run decided, without going on with the run. Undefined: the files are not on a disk.
 *
 * @throws {PromptValidationError} for a run that the journal does not have.
 * @throws {SessionBusyError} while another process has the run.
 * @throws {FilesystemError} when the disk refuses; nothing is then written.
 */
export async function settleRun(
  journal: RunJournal,
  runId: string,
  filesystem: Pick<Filesystem, '~land'>,
): Promise<LandingReport | undefined> {
  const { header } = readRunRows(runId, await journal.read(runId));
  const lease = await journal.acquire(header.sessionId);
  try {
    // Another owner may have written until now.
    return landLastCommit(filesystem, runId, readRunRows(runId, await journal.read(runId)));
  } finally {
    await lease.release();
  }
}

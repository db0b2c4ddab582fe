import { settleRun } from '../../durable/internal.ts';
import { describeError, FilesystemError } from '../../error/index.ts';
import { showName } from '../../internal/index.ts';
import type { JournaledRun, RunJournal } from '../../runtime/index.ts';
import { exitCodes } from '../process/environment.ts';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { FolderError, type OpenedFolder, openFolder } from '../run/open-folder.ts';

/** What a command prints, line by line, and its exit code. */
export interface CommandReport {
  readonly lines: readonly string[];
  readonly exitCode: number;
}

/**
 * Brings the folder of a run to the last commit that was decided. Only a commit that opening the folder has undone is missing there.
 *
 * @throws {UsageError} for a run that is running, that works on no folder, and for a folder that cannot be opened.
 */
export async function settleFolder(
  journal: RunJournal,
  { runId, status, workspace }: JournaledRun,
  open: typeof openFolder = openFolder,
): Promise<CommandReport> {
  const name = printable(runId);
  if (status === 'running') throw new UsageError(`the run "${name}" is still running.`);
  if (workspace === undefined) throw new UsageError(`the run "${name}" works on no folder.`);
  const folder = await opened(open, workspace, journal);
  try {
    const isMissing = folder.pending.some((commit) => commit.runId === runId);
    const report = isMissing ? await settleRun(journal, runId, folder.filesystem) : undefined;
    if (report === undefined) return done([`the folder has all commits of ${name}.`]);
    const { landed, outside } = report;
    return {
      lines: [
        ...landed.map((path) => `wrote ${showName(path)}`),
        ...outside.map((path) => `left ${showName(path)}: another process has changed it`),
        outside.length === 0
          ? `the folder has all commits of ${name}.`
          : `the folder has what could be written of the last commit of ${name}.`,
      ],
      exitCode: outside.length === 0 ? exitCodes.done : exitCodes.conflict,
    };
  } catch (error) {
    if (!FilesystemError.isInstance(error)) throw error;
    return { lines: [`nothing was written: ${printable(describeError(error))}`], exitCode: exitCodes.failed };
  } finally {
    await folder.close();
  }
}

const done = (lines: readonly string[]): CommandReport => ({ lines, exitCode: exitCodes.done });

/** With every file: the run saw those that it has changed, whatever its agent leaves out. */
async function opened(open: typeof openFolder, folder: string, journal: RunJournal): Promise<OpenedFolder> {
  try {
    return await open(folder, { defaultExcludes: false }, 'each', { journal });
  } catch (error) {
    if (error instanceof FolderError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

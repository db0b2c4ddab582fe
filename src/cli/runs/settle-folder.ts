import { describeError, FilesystemError } from '../../core/error/index.ts';
import { counted, showName } from '../../core/internal/index.ts';
import type { JournaledRun, RunJournal } from '../../core/runtime/index.ts';
import { differingFiles, settleRun } from '../../durable/internal.ts';
import { openFolder } from '../folder/open-folder.ts';
import { runningError } from '../journal/named-runs.ts';
import { folderStateOf, type RunFolderState } from '../journal/run-folder.ts';
import { exitCodes } from '../process/environment.ts';
import { UsageError } from '../process/errors.ts';
import { firstOf, printable } from '../process/plain-text.ts';

/** What a command prints, line by line, and its exit code. */
export interface CommandReport {
  readonly lines: readonly string[];
  readonly exitCode: number;
}

/** Maximum number of paths that are listed one by one. */
const maxListedPaths = 50;

/**
 * Brings the folder of a run to the last commit that was decided: does the commit again that opening the folder has undone. Then compares the folder with what the
 * run left there.
 *
 * @throws {UsageError} for a run that is running, that works on no folder, and for a folder that cannot be opened.
 */
export async function settleFolder(
  journal: RunJournal,
  run: JournaledRun,
  open: typeof openFolder = openFolder,
): Promise<CommandReport> {
  const { runId, status, workspace } = run;
  const name = printable(runId);
  if (status === 'running') throw runningError(runId);
  if (workspace === undefined) throw new UsageError(`the run "${name}" works on no folder.`);
  // With every file: the run saw those that it has changed, whatever its agent leaves out.
  const folder = await open(workspace, { defaultExcludes: false }, 'each', { journal });
  try {
    const state = folderStateOf(run);
    if (state?.hasChanges === false) return notInFolder(run, state);
    const isMissing = folder.pending.some((commit) => commit.runId === runId);
    const report = isMissing ? await settleRun(journal, runId, folder.filesystem) : undefined;
    const { landed = [], outside = [] } = report ?? {};
    // What a program has kept in memory is not known here.
    const changed = state === undefined ? [] : await differingFiles(journal, runId, folder.filesystem);
    const left = [...new Set([...outside, ...changed])].sort();
    return {
      lines: [
        ...listed(landed, (path) => `wrote ${path}`),
        ...listed(left, (path) => `left ${path}: another process has changed it`),
        left.length === 0
          ? `the folder has all commits of ${name}.`
          : `the folder has the commits of ${name} but for what others have changed.`,
      ],
      exitCode: left.length === 0 ? exitCodes.done : exitCodes.conflict,
    };
  } catch (error) {
    if (!FilesystemError.isInstance(error)) throw error;
    return { lines: [`nothing was written: ${printable(describeError(error))}`], exitCode: exitCodes.failed };
  } finally {
    await folder.close();
  }
}

/** The changes of a run that are in memory, or were when its process ended. */
function notInFolder(
  { runId, isToolRuntime }: JournaledRun,
  { apply }: Pick<RunFolderState, 'apply'>,
): CommandReport {
  const name = printable(runId);
  if (apply === undefined)
    return { lines: [`${name} writes nothing to its folder.`], exitCode: exitCodes.done };
  const what = `the changes of ${name} are not in the folder`;
  return {
    lines: [
      isToolRuntime === true
        ? `${what}: they were to be written at its end, and it cannot continue.`
        : `${what}: wink resume ${name} writes them at its end.`,
    ],
    exitCode: exitCodes.failed,
  };
}

function listed(paths: readonly string[], lineOf: (path: string) => string): readonly string[] {
  const lineOfRest = (rest: number): string => lineOf(counted(rest, 'more path'));
  return firstOf(paths, maxListedPaths, (path) => lineOf(showName(path)), lineOfRest);
}

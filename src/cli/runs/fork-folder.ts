import type { JournaledRun, RunJournal } from '../../core/runtime/index.ts';
import { changesBack, rewindFolder } from '../../durable/internal.ts';
import type { openFolder } from '../folder/open-folder.ts';
import { folderStateOf, openRunFolder } from '../journal/run-folder.ts';
import { UsageError } from '../process/errors.ts';
import { namedPaths, printable } from '../process/plain-text.ts';
import { shellWord } from '../process/shell-word.ts';

/** A run that is to be forked. */
export interface ForkFolderOptions {
  readonly journal: RunJournal;
  readonly run: Pick<JournaledRun, 'runId' | 'status' | 'workspace' | 'info'>;
  /** See `ForkRequest`. */
  readonly at: number | string;
  /** The folder that the user names for the fork; undefined: that of the run. */
  readonly workspace: string | undefined;
  /** Names the journal on a command line. */
  readonly journalOption: string;
  readonly open: typeof openFolder;
}

/**
 * Compares the folder that a fork will work on with what the run had: a fork of a run that writes as it goes finds the files there, any other makes the changes again on the files from before the first commit.
 *
 * @returns the real path of the folder; undefined: the run works on none.
 * @throws {UsageError} for a folder that differs where the run has changed it, that cannot be opened, or that the run is writing to.
 * @throws {PromptValidationError} for a commit that the run does not have.
 */
export async function checkForkFolder(options: ForkFolderOptions): Promise<string | undefined> {
  const { journal, run, at, workspace, open } = options;
  const { runId } = run;
  const name = printable(runId);
  const { apply, hasChanges = false } = folderStateOf(run) ?? {};
  if (run.status === 'running' && apply === 'each' && workspace === undefined) {
    throw new UsageError(
      `the run "${name}" is still running and writes to its folder: name a copy with --workspace DIR.`,
    );
  }
  const rows = await journal.read(runId);
  const later = changesBack(runId, rows, at, 'forked');
  const folder = workspace ?? run.workspace;
  if (run.workspace === undefined || folder === undefined) {
    if (workspace === undefined) return undefined;
    throw new UsageError(`the run "${name}" works on no folder: leave out --workspace.`);
  }
  const back = apply === 'each' ? later : changesBack(runId, rows, 0, 'forked');
  const opened = await openRunFolder(open, { runId, folder }, undefined, journal);
  try {
    const { filesystem } = opened;
    // Files in memory are as the caller made them.
    if (filesystem.hostPath === undefined) return folder;
    const { fitting, outside, left } = rewindFolder(filesystem, back);
    const differing = [...fitting, ...outside, ...left].sort();
    if (differing.length === 0) return filesystem.hostPath;
    const isBehind = outside.length + left.length === 0 && (hasChanges || workspace !== undefined);
    const what = differencesFrom(name, back.seq, differing);
    const words = workspace === undefined ? '' : ` --workspace ${shellWord(workspace)}`;
    const rewind = `wink rewind ${shellWord(runId)} --to ${back.seq}${words} --apply${options.journalOption}`;
    const other = 'name a folder that is, such as a copy, with --workspace DIR';
    throw new UsageError(
      isBehind ? `${what} ${rewind} puts it back, or ${other}.` : `${what} To fork the run, ${other}.`,
    );
  } finally {
    await opened.close();
  }
}

function differencesFrom(name: string, seq: number, paths: readonly string[]): string {
  const where = seq === 0 ? 'before its first commit' : `after its commit ${seq}`;
  return `the folder is not as the run "${name}" had it ${where}: ${namedPaths(paths)} ${paths.length === 1 ? 'differs' : 'differ'}.`;
}

import type { JournaledRun, RunJournal } from '../../core/runtime/index.ts';
import type { OpenedFolder, openFolder } from '../folder/open-folder.ts';
import type { ApplyMode } from '../options/option-values.ts';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { readRunInfo, requestOf } from './run-info.ts';

/** When a run that `wink run` began writes to its folder, and whether its changes are there. */
export interface RunFolderState {
  readonly apply: ApplyMode | undefined;
  /** Whether the folder has the changes of the run: with `each` those of every commit, with `end` all once they were written. */
  readonly hasChanges: boolean;
}

/**
 * What is known of the folder of a run from how it was called; undefined for a run of another program.
 *
 * @throws {UsageError} when what the journal has of it cannot be read.
 */
export function folderStateOf(run: Pick<JournaledRun, 'runId' | 'info'>): RunFolderState | undefined {
  const info = readRunInfo(run);
  if (info === undefined) return undefined;
  const { apply } = requestOf(run.runId, info);
  return { apply, hasChanges: apply === 'each' || (apply === 'end' && info.isApplied) };
}

/**
 * Opens a folder to compare it with what a run had, or to write to it. With every file: the run saw those that it has changed, whatever its agent leaves out.
 *
 * @param mode undefined: it is only read.
 * @throws {UsageError} for a folder that cannot be opened, and for one that is in the middle of a commit, or lacks one.
 */
export async function openRunFolder(
  open: typeof openFolder,
  { runId, folder: path }: Pick<JournaledRun, 'runId'> & { readonly folder: string },
  mode: 'each' | undefined,
  journal: RunJournal,
): Promise<OpenedFolder> {
  const folder = await open(path, { defaultExcludes: false }, mode, { journal });
  const problem = problemOf(folder, runId);
  if (problem === undefined) return folder;
  await folder.close();
  throw new UsageError(problem);
}

function problemOf(
  { pending: [pending], notes: [note], mode }: OpenedFolder,
  runId: string,
): string | undefined {
  if (pending !== undefined) {
    const name = printable(pending.runId);
    return `the folder lacks a commit of the run "${name}": wink runs settle ${name} first.`;
  }
  // Opened for reading, the folder may have half of a commit.
  if (mode !== undefined || note === undefined) return undefined;
  return `${note}. So does wink runs settle ${printable(runId)}.`;
}

import { realpathSync } from 'node:fs';
import { counted } from '../../core/internal/index.ts';
import type { JournaledRun, RunFilter } from '../../core/runtime/index.ts';
import { errorMessage, UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';

/**
 * The filter for runs on a folder; undefined: of all.
 *
 * @throws {UsageError} for a folder that does not exist.
 */
export function folderFilter(folder: string | undefined): Pick<RunFilter, 'workspace'> {
  if (folder === undefined) return {};
  try {
    return { workspace: realpathSync(folder) };
  } catch (error) {
    throw new UsageError(`the folder "${printable(folder)}" cannot be used: ${errorMessage(error)}.`, {
      cause: error,
    });
  }
}

/** @throws {UsageError} for a run that the journal does not have. */
export function runNamed(runs: readonly JournaledRun[], runId: string): JournaledRun {
  const run = runs.find((known) => known.runId === runId);
  if (run !== undefined) return run;
  throw new UsageError(
    `the journal has no run "${printable(runId)}"; it has ${counted(runs.length, 'run')}.`,
  );
}

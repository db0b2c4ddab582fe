import { RunRefusedError } from '../../core/error/index.ts';

/** A folder lacks a commit of a run that its journal does not know. */
export function rowsMissing(runId: string): RunRefusedError {
  return new RunRefusedError(
    'run-rows-missing',
    `The folder lacks a commit of a run "${runId}", and the journal has no such run: it was removed, is another one than the run was written to, or has lost its log, as when only one of its files was copied. Use the journal that the run was written to, or give this run another runId.`,
    { details: { runId } },
  );
}

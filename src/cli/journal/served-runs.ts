import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { journalOption } from './open-journal.ts';

/** What is thrown for the run of a tool runtime that someone wants to go on with: the loop around its calls is elsewhere. */
export function servedError(runId: string, journalFile: string | undefined): UsageError {
  const name = printable(runId);
  const option = journalOption(journalFile);
  return new UsageError(
    `the run "${name}" has the calls of another program's loop, so it cannot go on: wink runs settle ${name}${option} brings its last commit to the folder, wink rewind ${name} --to CALL${option} takes calls back.`,
  );
}

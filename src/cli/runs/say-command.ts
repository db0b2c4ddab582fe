import { PromptValidationError, RunRefusedError, type WinkError } from '../../core/error/index.ts';
import { counted, present } from '../../core/internal/index.ts';
import type { JournaledRun } from '../../core/runtime/index.ts';
import { sayToRun } from '../../durable/index.ts';
import type { SayRequest } from '../commands/say.ts';
import { journalOption } from '../journal/journal-name.ts';
import { namedRun } from '../journal/named-runs.ts';
import { journalsOf } from '../journal/open-journal.ts';
import { givenText } from '../options/given-texts.ts';
import { type CliEnvironment, exitCodes, writeLines } from '../process/environment.ts';
import { orUsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import type { RunsParts } from './runs-command.ts';

/**
 * Says something to a run of a journal.
 *
 * @returns the exit code of the process.
 * @throws {UsageError} for a run that the journal does not have or that takes nothing, a text that is too long, and a journal that cannot be read.
 */
export async function sayCommand(
  { by, id, journalNames, runId: word, text }: SayRequest,
  environment: CliEnvironment,
  { journals = journalsOf(environment), clock }: Partial<RunsParts> = {},
): Promise<number> {
  const input = await givenText('TEXT', text, environment);
  await using opened = await journals.openExisting(journalNames);
  const { journal, run } = await namedRun(opened, word, journalNames);
  const { runId } = run;
  const option = journalOption(journalNames);
  const said = await orUsageError(
    () => sayToRun({ journal, runId, input, ...present({ by, clock, id }) }),
    (error: WinkError) => refusalOf(error, option),
    refusal,
  );
  const name = printable(runId);
  const waits =
    said.waiting === 0
      ? 'it was taken before'
      : `${counted(said.waiting, 'message')} now ${said.waiting === 1 ? 'waits' : 'wait'}`;
  const when = said.waiting === 0 ? '' : whenTaken(run, option);
  writeLines(environment.stdout, [`said to the run ${name}; ${waits}${when}`]);
  return exitCodes.done;
}

/** When a run takes what is said, where no process works on it. */
function whenTaken({ runId, status }: JournaledRun, option: string): string {
  if (status === 'suspended') return ', and the run waits for answers: wink approvals list';
  return status === 'interrupted'
    ? `, and no process has the run: wink resume ${printable(runId)}${option}`
    : '';
}

/** What `sayToRun` throws for a run, or a text, that it does not take. */
const refusal = {
  isInstance: (error: unknown): error is WinkError =>
    RunRefusedError.isInstance(error) || PromptValidationError.isInstance(error),
};

/** Why a run takes nothing. */
function refusalOf({ code, details, message }: WinkError, option: string): string {
  if (code !== 'run-ended') return printable(message);
  const name = printable(String(details['runId']));
  return `the run "${name}" has ended, and reads nothing more. To continue it: wink resume ${name}${option} --input TEXT.`;
}

import { didYouMean } from '../options/make-option.ts';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';

/** @throws {UsageError} when no run is named. `usage` is how the command is called. */
export function oneRun(runId: string | undefined, usage: string): string {
  if (runId !== undefined && runId !== '') return runId;
  throw new UsageError(`no run given: wink ${usage}; "wink runs" lists them.`);
}

/** @throws {UsageError} when no record is named. `usage` is how the command is called. */
export function oneRecord(name: string | undefined, usage: string): string {
  if (name !== undefined && name !== '') return name;
  throw new UsageError(
    `no record given: wink ${usage}, with a file that wink run --record wrote, or a run of the journal.`,
  );
}

/** @throws {UsageError} for an option that only other actions of the command take. `values` are those of options of single actions. */
export function refuseOthers(values: object, names: readonly string[], action: string): void {
  const other = Object.entries(values).find(([name, value]) => value !== undefined && !names.includes(name));
  if (other === undefined) return;
  const option = other[0].replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new UsageError(`--${option} is not an option of ${action}.`);
}

/** The action of a command that has several; the first one when none is named. @throws {UsageError} */
export function actionOf<Action extends string>(
  word: string | undefined,
  command: string,
  optionsOf: Readonly<Record<Action, readonly string[]>>,
): Action {
  // The keys are the actions.
  const actions = Object.keys(optionsOf) as Action[];
  const action = word === undefined ? actions[0] : actions.find((each) => each === word);
  if (action !== undefined) return action;
  throw new UsageError(
    `unknown action "${printable(word ?? '')}" of wink ${command}; it has ${actions.join(', ')}.${didYouMean(word ?? '', actions)}`,
  );
}

import { PromptValidationError } from '../../error/index.ts';
import type { EvaluationEnvironment, RunBudget, RunShare, SharedBudget } from '../../runtime/index.ts';
import type { HeldScope } from '../scope/evaluation-scope.ts';

/**
 * What the run has of a budget over several runs.
 *
 * @returns undefined where a record is compared with: nothing is spent.
 * @throws {PromptValidationError} where it has no journal, or another one than the budget.
 */
export async function shareOf(
  budget: SharedBudget,
  promptName: string,
  { hooks, earlier }: Pick<HeldScope, 'hooks' | 'earlier'>,
): Promise<RunShare | undefined> {
  if (hooks === undefined && earlier !== undefined) return undefined;
  if (hooks?.spending !== undefined) return hooks.spending.shareOf(budget);
  throw new PromptValidationError(
    `The budget "${budget.name}" is shared by runs, which needs a journal, and the prompt "${promptName}" is evaluated without one. Pass the option journal: the one that sharedBudget() has.`,
    { details: { option: 'journal', budget: budget.name } },
  );
}

/** Before a turn: those who read events are ready for more, and the run has what the turn may take of budgets that it shares. */
export function readyFor(
  ready: EvaluationEnvironment['ready'],
  { ready: reserve }: RunBudget,
): EvaluationEnvironment['ready'] {
  if (reserve === undefined) return ready;
  return () => {
    const waits = [ready?.(), reserve()].filter((wait) => wait !== undefined);
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined);
  };
}

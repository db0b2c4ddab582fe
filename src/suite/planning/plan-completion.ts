import { assertOptions } from '../../core/error/index.ts';
import { type CompletionChecker, CompletionVerdict } from '../../core/tool/index.ts';
import { CurrentPlan } from './current-plan.ts';
import { countSteps, formatPlanStep } from './format-plan.ts';

/** Options of {@link planCompletion}. */
export interface PlanCompletionOptions {
  /** Whether there has to be a plan. Default false: without a plan, the task is done when the model says so. */
  readonly requirePlan?: boolean;
}

/** Steps that are named; of the others the model gets the number. */
const maxNamedSteps = 3;

/**
 * A completion checker: the task is done when every step of the plan is. Otherwise the model reads which steps are not, three
 * at most by title, and how many more there are. The prompt or the session must have the slice `CurrentPlan`, which
 * `planningToolsSection()` brings: an evaluation without it is refused.
 */
export function planCompletion(options: PlanCompletionOptions = {}): CompletionChecker {
  assertOptions('planCompletion()', options, { requirePlan: 'boolean' });
  const { requirePlan = false } = options;
  return {
    name: 'plan',
    requires: [{ kind: 'slice', slice: CurrentPlan, broughtBy: 'planningToolsSection()' }],
    check: ({ session }) => {
      const plan = session.slice(CurrentPlan).latest();
      if (plan === undefined) {
        return requirePlan
          ? CompletionVerdict.incomplete('There is no plan yet. Set one up, carry it out, and answer again.')
          : CompletionVerdict.complete();
      }
      const open = plan.steps.filter(({ status }) => status !== 'done');
      if (open.length === 0) return CompletionVerdict.complete();
      const rest = open.length - maxNamedSteps;
      return CompletionVerdict.incomplete(
        [
          `The plan is not carried out yet; ${countSteps(open.length)} of ${plan.steps.length} ${open.length === 1 ? 'is' : 'are'} not done:`,
          ...open.slice(0, maxNamedSteps).map(formatPlanStep),
          ...(rest > 0 ? [`and ${rest} more.`] : []),
          'Carry out what is left, mark each step as done, and answer again.',
        ].join('\n'),
      );
    },
  };
}

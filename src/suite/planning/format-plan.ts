import { assertMembers } from '../../core/error/index.ts';
import { oneLine } from '../../core/internal/index.ts';
import type { Plan, PlanStep, PlanStepStatus } from './plan.ts';

const checkboxes: Readonly<Record<PlanStepStatus, string>> = {
  pending: '[ ]',
  in_progress: '[>]',
  done: '[x]',
};

/**
 * A plan for people: the objective and how many steps are done, then one line per step with a box, `[ ]` pending,
 * `[>]` in progress, `[x]` done:
 *
 * ```text
 * Review the folder (1 of 3 done)
 * [x] 1 Walk the folder
 * [>] 2 Read the files
 * [ ] 3 Publish the report
 * ```
 *
 * Line breaks within a title become blanks. Titles come from the model: remove control characters before you
 * print them on a terminal.
 */
export function formatPlan(plan: Plan): string {
  assertMembers('formatPlan()', plan, { objective: 'string!', steps: 'array!' });
  const progress = plan.steps.length === 0 ? 'no steps' : `${doneSteps(plan)} of ${plan.steps.length} done`;
  return [`${oneLine(plan.objective)} (${progress})`, ...plan.steps.map(formatPlanStep)].join('\n');
}

/** One line of {@link formatPlan}: `[>] 2 Read the files`. */
export function formatPlanStep(step: PlanStep): string {
  return `${checkboxes[step.status]} ${step.stepId} ${oneLine(step.title)}`;
}

/** A plan for the model. */
export function renderPlan(plan: Plan): string {
  return [
    `Objective: ${oneLine(plan.objective)}`,
    `Status: ${plan.status}`,
    '',
    plan.steps.length === 0 ? '<no steps>' : renderSteps(plan.steps),
  ].join('\n');
}

/** Steps for the model, one line each. */
export function renderSteps(steps: readonly PlanStep[]): string {
  return steps.map(({ stepId, status, title }) => `${stepId} [${status}] ${oneLine(title)}`).join('\n');
}

/** Steps that are done. */
export function doneSteps({ steps }: Plan): number {
  return steps.filter(({ status }) => status === 'done').length;
}

/** `no steps`, `1 step`, `4 steps`. */
export function countSteps(amount: number): string {
  return amount === 0 ? 'no steps' : amount === 1 ? '1 step' : `${amount} steps`;
}

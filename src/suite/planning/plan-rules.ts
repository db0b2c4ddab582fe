import { ToolValidationError } from '../../core/error/index.ts';
import { countCharacters } from '../../core/internal/index.ts';
import { maxPlanTextCharacters, type Plan, type PlanStep } from './plan.ts';
import type { AddStepPayload, SetupPlanPayload, UpdateStepPayload } from './plan-events.ts';

/**
 * A new plan. Pure, like all of these rules: the tools ask them before they dispatch, the reducers before they change
 * anything, so that no way into the plan is laxer than another.
 * @throws {ToolValidationError} when the objective or a title is out of bounds.
 */
export function setUpPlan({ objective, initialSteps = [] }: SetupPlanPayload): Plan {
  return {
    objective: requireText(objective, 'The objective'),
    status: 'active',
    steps: newSteps(initialSteps, 1),
  };
}

/**
 * The plan with further steps.
 * @throws {ToolValidationError} when there is no active plan, no title, or one out of bounds; checked in this order.
 */
export function addSteps(current: Plan | undefined, { steps }: AddStepPayload): Plan {
  const plan = requireActivePlan(current);
  if (steps.length === 0) {
    throw new ToolValidationError('No step was given. Name the title of at least one.');
  }
  return { ...plan, steps: [...plan.steps, ...newSteps(steps, highestId(plan) + 1)] };
}

/**
 * The plan with one step changed, completed when no step is left to do.
 * @throws {ToolValidationError} when there is no active plan, the title is out of bounds, nothing is given to change, or
 * there is no such step; checked in this order.
 */
export function updateStep(current: Plan | undefined, { stepId, ...change }: UpdateStepPayload): Plan {
  const plan = requireActivePlan(current);
  const title = change.title === undefined ? undefined : requireText(change.title, 'The title');
  if (title === undefined && change.status === undefined) {
    throw new ToolValidationError(
      `Nothing was given to change in step ${stepId}. Name a title, a status or both.`,
    );
  }
  const step = requireStep(plan, stepId);
  const changed = { stepId, title: title ?? step.title, status: change.status ?? step.status };
  const steps = plan.steps.map((other) => (other === step ? changed : other));
  return { ...plan, status: steps.every(({ status }) => status === 'done') ? 'completed' : 'active', steps };
}

/**
 * The plan, if there is one.
 * @throws {ToolValidationError} when there is none.
 */
export function requirePlan(plan: Plan | undefined): Plan {
  if (plan === undefined) throw new ToolValidationError('There is no plan yet. Set one up first.');
  return plan;
}

/**
 * The step with this number.
 * @throws {ToolValidationError} when there is none.
 */
export function requireStep(plan: Plan, stepId: number): PlanStep {
  const step = plan.steps.find((candidate) => candidate.stepId === stepId);
  if (step === undefined) throw unknownStep(plan, stepId);
  return step;
}

function requireActivePlan(current: Plan | undefined): Plan {
  const plan = requirePlan(current);
  if (plan.status === 'completed') {
    throw new ToolValidationError(
      'The plan is completed and takes no more changes. Set up a new plan for what is still to be done.',
    );
  }
  return plan;
}

function newSteps(titles: readonly string[], firstId: number): readonly PlanStep[] {
  return titles.map((title, index) => ({
    stepId: firstId + index,
    title: requireText(title, titles.length === 1 ? 'The title' : `Title ${index + 1} of ${titles.length}`),
    status: 'pending',
  }));
}

/** Steps are never taken away, so the last one of a plan has the highest number; a plan put in by hand may differ. */
function highestId({ steps }: Plan): number {
  return steps.reduce((highest, { stepId }) => Math.max(highest, stepId), 0);
}

function requireText(text: string, what: string): string {
  const trimmed = text.trim();
  if (trimmed === '') {
    throw new ToolValidationError(`${what} is empty. It takes 1 to ${maxPlanTextCharacters} characters.`);
  }
  const characters = countCharacters(trimmed);
  if (characters > maxPlanTextCharacters) {
    throw new ToolValidationError(
      `${what} has ${characters} characters. It takes 1 to ${maxPlanTextCharacters}: say it shorter.`,
    );
  }
  return trimmed;
}

function unknownStep({ steps }: Plan, stepId: number): ToolValidationError {
  const [first] = steps;
  const last = steps.at(-1);
  const there =
    first === undefined || last === undefined
      ? 'The plan has no steps yet: add some first.'
      : first === last
        ? `The only step is ${first.stepId}.`
        : `The steps are ${first.stepId} to ${last.stepId}.`;
  return new ToolValidationError(`There is no step ${stepId}. ${there}`);
}

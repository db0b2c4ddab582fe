import {
  choice,
  described,
  type Field,
  integer,
  list,
  type RecordOf,
  record,
  recordSchema,
  type Schema,
  text,
} from '../../core/schema/index.ts';

/** Most characters of an objective or a title, blanks around it left out. */
export const maxPlanTextCharacters = 500;

/** The states of a step, in the order in which a step usually passes through them. */
export const stepStatuses = ['pending', 'in_progress', 'done'] as const;

/** How far a step is. */
export type PlanStepStatus = (typeof stepStatuses)[number];

/** A plan is `completed` as soon as it has steps and all of them are done; then it takes no more changes. */
export type PlanStatus = 'active' | 'completed';

const planText = described(text, { minLength: 1, maxLength: maxPlanTextCharacters });

const planStep = {
  /** Number of the step, from 1 in the order of adding. Never given to another step of the same plan. */
  stepId: described(integer, { minimum: 1 }) as Field<number>,
  /** What is to be done: 1 to 500 characters without surrounding blanks. */
  title: planText as Field<string>,
  status: choice(...stepStatuses) as Field<PlanStepStatus>,
};

/** One step of a plan. */
export interface PlanStep extends RecordOf<typeof planStep> {}

/** A {@link PlanStep} in a result. */
export const planStepField: Field<PlanStep> = record(planStep);

/** A {@link PlanStatus}. */
export const planStatusField: Field<PlanStatus> = choice('active', 'completed');

const plan = {
  /** What is to be reached: 1 to 500 characters without surrounding blanks. */
  objective: planText as Field<string>,
  status: planStatusField as Field<PlanStatus>,
  /** In the order of adding, by ascending `stepId`. May be empty. */
  steps: list(planStepField) as Field<readonly PlanStep[]>,
};

/**
 * What an agent set out to do, and how far it is.
 * @see docs/spec/planning.md §2
 */
export interface Plan extends RecordOf<typeof plan> {}

/** What a {@link Plan} must be. */
export const planSchema: Schema<Plan> = recordSchema(plan);

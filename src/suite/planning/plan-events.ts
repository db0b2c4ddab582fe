import {
  choice,
  type Field,
  integer,
  list,
  type OptionalField,
  optional,
  type RecordOf,
  recordSchema,
  text,
} from '../../core/schema/index.ts';
import { defineEvent, type EventDefinition } from '../../core/session/index.ts';
import { type PlanStepStatus, stepStatuses } from './plan.ts';

const setupPlan = {
  /** 1 to 500 characters once surrounding blanks are taken off, which is done. */
  objective: text as Field<string>,
  /** Titles of the first steps, bounded like the objective. Default: none. */
  initialSteps: optional(list(text)) as OptionalField<readonly string[]>,
};

/** What {@link SetupPlan} carries. */
export interface SetupPlanPayload extends RecordOf<typeof setupPlan> {}

const addStep = {
  /** Titles of the new steps, at least one; each 1 to 500 characters once surrounding blanks are taken off, which is done. */
  steps: list(text) as Field<readonly string[]>,
};

/** What {@link AddStep} carries. */
export interface AddStepPayload extends RecordOf<typeof addStep> {}

const updateStep = {
  stepId: integer as Field<number>,
  /** 1 to 500 characters once surrounding blanks are taken off, which is done. Default: stays. */
  title: optional(text) as OptionalField<string>,
  /** Default: stays. */
  status: optional(choice(...stepStatuses)) as OptionalField<PlanStepStatus>,
};

/** What {@link UpdateStep} carries: a step and what to change about it, a title, a status or both. */
export interface UpdateStepPayload extends RecordOf<typeof updateStep> {}

/** What reading the plan takes: nothing. It is the input of the tool `planning_read_plan`, `{}`, and not an event, since reading changes nothing. */
export type ReadPlan = Readonly<Record<string, never>>;

/**
 * Starts a plan, in place of the one there was: active, its steps pending and numbered from 1. Dispatching it throws when
 * a text is out of bounds.
 */
export const SetupPlan: EventDefinition<SetupPlanPayload, SetupPlanPayload> = defineEvent({
  name: 'weakincentives.setup-plan',
  schema: recordSchema(setupPlan),
});

/**
 * Appends steps to the plan; they are pending and get the next numbers. Dispatching it throws when there is no active
 * plan, no title, or one out of bounds.
 */
export const AddStep: EventDefinition<AddStepPayload, AddStepPayload> = defineEvent({
  name: 'weakincentives.add-step',
  schema: recordSchema(addStep),
});

/**
 * Changes title or status of a step. The plan is completed once all of its steps are done. Dispatching it throws without an
 * active plan, or when the step is unknown, nothing changes, or the title is out of bounds.
 */
export const UpdateStep: EventDefinition<UpdateStepPayload, UpdateStepPayload> = defineEvent({
  name: 'weakincentives.update-step',
  schema: recordSchema(updateStep),
});

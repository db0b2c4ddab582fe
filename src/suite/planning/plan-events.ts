import { jsonSchema } from '../../core/schema/index.ts';
import { defineEvent, type EventDefinition } from '../../core/session/index.ts';
import { type PlanStepStatus, stepStatuses } from './plan.ts';

/** What {@link SetupPlan} carries. */
export interface SetupPlanPayload {
  /** 1 to 500 characters once surrounding blanks are taken off, which is done. */
  readonly objective: string;
  /** Titles of the first steps, bounded like the objective. Default: none. */
  readonly initialSteps?: readonly string[];
}

/** What {@link AddStep} carries. */
export interface AddStepPayload {
  /** Titles of the new steps, at least one; each 1 to 500 characters once surrounding blanks are taken off, which is done. */
  readonly steps: readonly string[];
}

/** What {@link UpdateStep} carries: a step and what to change about it, a title, a status or both. */
export interface UpdateStepPayload {
  readonly stepId: number;
  /** 1 to 500 characters once surrounding blanks are taken off, which is done. Default: stays. */
  readonly title?: string;
  /** Default: stays. */
  readonly status?: PlanStepStatus;
}

/**
 * Starts a plan, in place of the one there was: active, its steps pending and numbered from 1. Dispatching it throws when
 * a text is out of bounds.
 */
export const SetupPlan: EventDefinition<SetupPlanPayload, SetupPlanPayload> = defineEvent({
  name: 'weakincentives.setup-plan',
  schema: jsonSchema<SetupPlanPayload>({
    type: 'object',
    properties: {
      objective: { type: 'string' },
      initialSteps: { type: 'array', items: { type: 'string' } },
    },
    required: ['objective'],
    additionalProperties: false,
  }),
});

/**
 * Appends steps to the plan; they are pending and get the next numbers. Dispatching it throws when there is no active
 * plan, no title, or one out of bounds.
 */
export const AddStep: EventDefinition<AddStepPayload, AddStepPayload> = defineEvent({
  name: 'weakincentives.add-step',
  schema: jsonSchema<AddStepPayload>({
    type: 'object',
    properties: { steps: { type: 'array', items: { type: 'string' } } },
    required: ['steps'],
    additionalProperties: false,
  }),
});

/**
 * Changes title or status of a step. The plan is completed once all of its steps are done. Dispatching it throws without an
 * active plan, or when the step is unknown, nothing changes, or the title is out of bounds.
 */
export const UpdateStep: EventDefinition<UpdateStepPayload, UpdateStepPayload> = defineEvent({
  name: 'weakincentives.update-step',
  schema: jsonSchema<UpdateStepPayload>({
    type: 'object',
    properties: {
      stepId: { type: 'integer' },
      title: { type: 'string' },
      status: { enum: [...stepStatuses] },
    },
    required: ['stepId'],
    additionalProperties: false,
  }),
});

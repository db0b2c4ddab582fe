import { type JsonObject, jsonSchema, type Schema } from '../../core/schema/index.ts';

/** The states of a step, in the order in which a step usually passes through them. */
export const stepStatuses = ['pending', 'in_progress', 'done'] as const;

/** How far a step is. */
export type PlanStepStatus = (typeof stepStatuses)[number];

/** A plan is `completed` as soon as it has steps and all of them are done; then it takes no more changes. */
export type PlanStatus = 'active' | 'completed';

/** One step of a plan. */
export interface PlanStep {
  /** Number of the step, from 1 in the order of adding. Never given to another step of the same plan. */
  readonly stepId: number;
  /** What is to be done: 1 to 500 characters without surrounding blanks. */
  readonly title: string;
  readonly status: PlanStepStatus;
}

/**
 * What an agent set out to do, and how far it is.
 * @see docs/spec/planning.md §2
 */
export interface Plan {
  /** What is to be reached: 1 to 500 characters without surrounding blanks. */
  readonly objective: string;
  readonly status: PlanStatus;
  /** In the order of adding, by ascending `stepId`. May be empty. */
  readonly steps: readonly PlanStep[];
}

/** Most characters of an objective or a title, blanks around it left out. */
export const maxPlanTextCharacters = 500;

const text: JsonObject = { type: 'string', minLength: 1, maxLength: maxPlanTextCharacters };

/** JSON Schema of a {@link PlanStep}. */
export const planStepJsonSchema: JsonObject = Object.freeze({
  type: 'object',
  properties: {
    stepId: { type: 'integer', minimum: 1 },
    title: text,
    status: { enum: [...stepStatuses] },
  },
  required: ['stepId', 'title', 'status'],
  additionalProperties: false,
});

/** What a {@link Plan} must be. */
export const planSchema: Schema<Plan> = jsonSchema<Plan>({
  type: 'object',
  properties: {
    objective: text,
    status: { enum: ['active', 'completed'] },
    steps: { type: 'array', items: planStepJsonSchema },
  },
  required: ['objective', 'status', 'steps'],
  additionalProperties: false,
});

/* oxlint-disable typescript/no-unnecessary-type-assertion -- The fields name their types: isolatedDeclarations wants them written down. */
import {
  choice,
  described,
  type Field,
  integer,
  type OptionalField,
  optional,
  type RecordOf,
  recordSchema,
  type Schema,
  text,
} from '../../core/schema/index.ts';
import { type Tool, ToolResult, tool } from '../../core/tool/index.ts';
import { CurrentPlan } from './current-plan.ts';
import { countSteps, doneSteps, renderSteps } from './format-plan.ts';
import {
  type Plan,
  type PlanStatus,
  type PlanStep,
  type PlanStepStatus,
  planStatusField,
  planStepField,
  stepStatuses,
} from './plan.ts';
import { UpdateStep } from './plan-events.ts';
import { requireStep, updateStep } from './plan-rules.ts';

const params = {
  /** Number of the step. */
  step_id: described(integer, { description: 'Number of the step.' }) as Field<number>,
  /** Default: stays. */
  title: optional(text, {
    description: 'New title, 1 to 500 characters. Leave out to keep the old one.',
  }) as OptionalField<string>,
  /** Default: stays. */
  status: optional(choice(...stepStatuses), {
    description: 'New status. Leave out to keep the old one.',
  }) as OptionalField<PlanStepStatus>,
};

/** Arguments of `planning_update_step`: a step, and a title, a status or both. */
export interface UpdateStepParams extends RecordOf<typeof params> {}

const updated = {
  /** The step as it is now. */
  step: planStepField as Field<PlanStep>,
  /** Status of the whole plan: `completed` when this was the last step to do. */
  planStatus: planStatusField as Field<PlanStatus>,
};

/** What `planning_update_step` did. */
export interface UpdateStepResult extends RecordOf<typeof updated> {}

const inputSchema: Schema<UpdateStepParams> = recordSchema<UpdateStepParams>(params);

const outputSchema: Schema<UpdateStepResult> = recordSchema<UpdateStepResult>(updated);

/** The tool `planning_update_step`: changes title or status of one step. */
export function createUpdateStepTool(
  acceptsOverrides: boolean,
): Tool<UpdateStepParams, UpdateStepResult, UpdateStepParams> {
  return tool({
    name: 'planning_update_step',
    description: 'Change the status or the title of one step of the active plan.',
    inputSchema,
    outputSchema,
    effects: 'state',
    pure: true,
    idempotent: true,
    acceptsOverrides,
    examples: [
      {
        description: 'Begin a step.',
        input: { step_id: 2, status: 'in_progress' },
        output: {
          step: { stepId: 2, title: 'Skip empty lines', status: 'in_progress' },
          planStatus: 'active',
        },
      },
      {
        description: 'Say more precisely what a step is about.',
        input: { step_id: 3, title: 'Run the importer tests' },
        output: {
          step: { stepId: 3, title: 'Run the importer tests', status: 'pending' },
          planStatus: 'active',
        },
      },
    ],
    render: ({ step }) => renderSteps([step]),
    execute: ({ step_id: stepId, ...change }, { session }) => {
      const payload = { stepId, ...change };
      const after = updateStep(session.slice(CurrentPlan).latest(), payload);
      session.dispatch(UpdateStep, payload);
      const step = requireStep(after, stepId);
      return ToolResult.ok({ step, planStatus: after.status }, `Updated step ${stepId}. ${progress(after)}`);
    },
  });
}

function progress(plan: Plan): string {
  const steps = countSteps(plan.steps.length);
  return plan.status === 'completed'
    ? `The plan is completed: ${steps} done.`
    : `${doneSteps(plan)} of ${steps} done.`;
}

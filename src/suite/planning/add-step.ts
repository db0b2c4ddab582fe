import { jsonSchema, type Schema } from '../../core/schema/index.ts';
import { type Tool, ToolResult, tool } from '../../core/tool/index.ts';
import { CurrentPlan } from './current-plan.ts';
import { countSteps, renderSteps } from './format-plan.ts';
import { type PlanStep, planStepJsonSchema } from './plan.ts';
import { AddStep } from './plan-events.ts';
import { addSteps } from './plan-rules.ts';

/** Arguments of `planning_add_step`. */
export interface AddStepParams {
  /** Titles of the new steps, in order; at least one. */
  readonly steps: readonly string[];
}

/** What `planning_add_step` did. */
export interface AddStepResult {
  /** The new steps with their numbers, in order. */
  readonly steps: readonly PlanStep[];
}

// The bounds are the plan's rules to check: whether there is a plan at all comes before whether a list is empty.
const inputSchema: Schema<AddStepParams> = jsonSchema<AddStepParams>({
  type: 'object',
  properties: {
    steps: {
      type: 'array',
      items: { type: 'string' },
      description: 'Titles of the new steps in the order of work, at least one, each 1 to 500 characters.',
    },
  },
  required: ['steps'],
  additionalProperties: false,
});

const outputSchema: Schema<AddStepResult> = jsonSchema<AddStepResult>({
  type: 'object',
  properties: { steps: { type: 'array', minItems: 1, items: planStepJsonSchema } },
  required: ['steps'],
  additionalProperties: false,
});

/** The tool `planning_add_step`: appends steps to the plan. */
export function createAddStepTool(
  acceptsOverrides: boolean,
): Tool<AddStepParams, AddStepResult, AddStepParams> {
  return tool({
    name: 'planning_add_step',
    description: 'Append steps to the active plan. They are pending and get the next numbers.',
    inputSchema,
    outputSchema,
    effects: 'state',
    pure: true,
    acceptsOverrides,
    examples: [
      {
        description: 'Add what came up while working.',
        input: { steps: ['Cover empty lines with a test', 'Note the change in the changelog'] },
        output: {
          steps: [
            { stepId: 4, title: 'Cover empty lines with a test', status: 'pending' },
            { stepId: 5, title: 'Note the change in the changelog', status: 'pending' },
          ],
        },
      },
    ],
    render: ({ steps }) => renderSteps(steps),
    execute: (params, { session }) => {
      const after = addSteps(session.slice(CurrentPlan).latest(), params);
      session.dispatch(AddStep, params);
      const steps = after.steps.slice(-params.steps.length);
      return ToolResult.ok({ steps }, `Added ${countSteps(steps.length)}.`);
    },
  });
}

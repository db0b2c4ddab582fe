/* oxlint-disable typescript/no-unnecessary-type-assertion -- The fields name their types: isolatedDeclarations wants them written down. */
import {
  described,
  type Field,
  list,
  type RecordOf,
  recordSchema,
  type Schema,
  text,
} from '../../core/schema/index.ts';
import { type Tool, ToolResult, tool } from '../../core/tool/index.ts';
import { CurrentPlan } from './current-plan.ts';
import { countSteps, renderSteps } from './format-plan.ts';
import { type PlanStep, planStepField } from './plan.ts';
import { AddStep } from './plan-events.ts';
import { addSteps } from './plan-rules.ts';

// The bounds are the plan's rules to check: whether there is a plan at all comes before whether a list is empty.
const params = {
  /** Titles of the new steps, in order; at least one. */
  steps: described(list(text), {
    description: 'Titles of the new steps in the order of work, at least one, each 1 to 500 characters.',
  }) as Field<readonly string[]>,
};

/** Arguments of `planning_add_step`. */
export interface AddStepParams extends RecordOf<typeof params> {}

const added = {
  /** The new steps with their numbers, in order. */
  steps: list(planStepField, { minItems: 1 }) as Field<readonly PlanStep[]>,
};

/** What `planning_add_step` did. */
export interface AddStepResult extends RecordOf<typeof added> {}

const inputSchema: Schema<AddStepParams> = recordSchema<AddStepParams>(params);

const outputSchema: Schema<AddStepResult> = recordSchema<AddStepResult>(added);

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
    execute: (given, { session }) => {
      const after = addSteps(session.slice(CurrentPlan).latest(), given);
      session.dispatch(AddStep, given);
      const steps = after.steps.slice(-given.steps.length);
      return ToolResult.ok({ steps }, `Added ${countSteps(steps.length)}.`);
    },
  });
}

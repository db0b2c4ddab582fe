/* oxlint-disable typescript/no-unnecessary-type-assertion -- The fields name their types: isolatedDeclarations wants them written down. */
import {
  described,
  type Field,
  list,
  type OptionalField,
  optional,
  type RecordOf,
  recordSchema,
  type Schema,
  text,
} from '../../core/schema/index.ts';
import { type Tool, ToolResult, tool } from '../../core/tool/index.ts';
import { countSteps, renderPlan } from './format-plan.ts';
import { type Plan, planSchema } from './plan.ts';
import { SetupPlan } from './plan-events.ts';
import { setUpPlan } from './plan-rules.ts';

// The bounds apply to strings without surrounding whitespace, which JSON Schema cannot express; the rules of the plan check them.
const params = {
  /** What is to be reached. */
  objective: described(text, { description: 'What is to be reached, 1 to 500 characters.' }) as Field<string>,
  /** Titles of the first steps, in order. Default: none. */
  initial_steps: optional(list(text), {
    default: [],
    description:
      'Titles of the first steps in the order of work, each 1 to 500 characters. They are numbered from 1.',
  }) as OptionalField<readonly string[]>,
};

/** Arguments of `planning_setup_plan`. */
export interface SetupPlanParams extends RecordOf<typeof params> {}

const inputSchema: Schema<SetupPlanParams> = recordSchema<SetupPlanParams>(params);

/** The tool `planning_setup_plan`: starts a plan, in place of the one there was. */
export function createSetupPlanTool(acceptsOverrides: boolean): Tool<SetupPlanParams, Plan, SetupPlanParams> {
  return tool({
    name: 'planning_setup_plan',
    description: 'Set up a plan: an objective and its first steps. Replaces the plan there is, if any.',
    inputSchema,
    outputSchema: planSchema,
    effects: 'state',
    pure: true,
    idempotent: true,
    acceptsOverrides,
    examples: [
      {
        description: 'Plan a small fix.',
        input: {
          objective: 'Make the importer accept empty lines',
          initial_steps: ['Find where lines are split', 'Skip empty lines', 'Run the tests'],
        },
        output: {
          objective: 'Make the importer accept empty lines',
          status: 'active',
          steps: [
            { stepId: 1, title: 'Find where lines are split', status: 'pending' },
            { stepId: 2, title: 'Skip empty lines', status: 'pending' },
            { stepId: 3, title: 'Run the tests', status: 'pending' },
          ],
        },
      },
    ],
    render: renderPlan,
    execute: ({ objective, initial_steps: initialSteps = [] }, { session }) => {
      const payload = { objective, initialSteps };
      const plan = setUpPlan(payload);
      session.dispatch(SetupPlan, payload);
      return ToolResult.ok(plan, `Set up a plan with ${countSteps(plan.steps.length)}.`);
    },
  });
}

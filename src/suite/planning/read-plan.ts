import { recordSchema, type Schema } from '../../core/schema/index.ts';
import { type Tool, ToolResult, tool } from '../../core/tool/index.ts';
import { CurrentPlan } from './current-plan.ts';
import { countSteps, renderPlan } from './format-plan.ts';
import { type Plan, planSchema } from './plan.ts';
import { requirePlan } from './plan-rules.ts';

/** Arguments of `planning_read_plan`: none. */
export type ReadPlan = Record<string, never>;

const inputSchema: Schema<ReadPlan> = recordSchema<ReadPlan>({});

/** The tool `planning_read_plan`: shows the plan. */
export function createReadPlanTool(acceptsOverrides: boolean): Tool<ReadPlan, Plan, ReadPlan> {
  return tool({
    name: 'planning_read_plan',
    description: 'Show the plan: objective, status, and every step with its number and status.',
    inputSchema,
    outputSchema: planSchema,
    effects: 'read',
    pure: true,
    idempotent: true,
    acceptsOverrides,
    examples: [
      {
        description: 'See what is left to do.',
        input: {},
        output: {
          objective: 'Make the importer accept empty lines',
          status: 'active',
          steps: [
            { stepId: 1, title: 'Find where lines are split', status: 'done' },
            { stepId: 2, title: 'Skip empty lines', status: 'in_progress' },
            { stepId: 3, title: 'Run the tests', status: 'pending' },
          ],
        },
      },
    ],
    render: renderPlan,
    execute: (_params, { session }) => {
      const plan = requirePlan(session.slice(CurrentPlan).latest());
      return ToolResult.ok(plan, `The plan has ${countSteps(plan.steps.length)}.`);
    },
  });
}

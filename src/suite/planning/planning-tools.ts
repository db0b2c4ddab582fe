import { once } from '../../core/internal/index.ts';
import { choice, described, integer, list, optional, recordSchema, text } from '../../core/schema/index.ts';
import { type AnyTool, ToolResult, tool } from '../../core/tool/index.ts';
import { CurrentPlan } from './current-plan.ts';
import { countSteps, doneSteps, renderPlan, renderSteps } from './format-plan.ts';
import { type Plan, planSchema, planStatusField, planStepField, stepStatuses } from './plan.ts';
import { AddStep, type ReadPlan, SetupPlan, UpdateStep } from './plan-events.ts';
import { addSteps, requirePlan, requireStep, setUpPlan, updateStep } from './plan-rules.ts';

/** Names of the planning tools, in the order in which a prompt lists them. */
export const planningToolNames = [
  'planning_setup_plan',
  'planning_add_step',
  'planning_update_step',
  'planning_read_plan',
] as const;

/** Name of one planning tool. */
export type PlanningToolName = (typeof planningToolNames)[number];

/**
 * Makes the four planning tools. They work on the slice `CurrentPlan` of the session, which a section that offers them has to name
 * among its `slices`, and hold nothing themselves.
 *
 * The bounds of texts and lists are rules of the plan, not of the schemas: they apply without surrounding whitespace, which JSON Schema
 * cannot express, and whether there is a plan at all comes before whether a list is empty.
 * @param acceptsOverrides whether overrides may replace the text of the tools.
 */
export function createPlanningTools(acceptsOverrides: boolean): Readonly<Record<PlanningToolName, AnyTool>> {
  return {
    planning_setup_plan: tool({
      name: 'planning_setup_plan',
      description: 'Set up a plan: an objective and its first steps. Replaces the plan there is, if any.',
      inputSchema: recordSchema({
        objective: described(text, { description: 'What is to be reached, 1 to 500 characters.' }),
        initial_steps: optional(list(text), {
          default: [],
          description:
            'Titles of the first steps in the order of work, each 1 to 500 characters. They are numbered from 1.',
        }),
      }),
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
    }),
    planning_add_step: tool({
      name: 'planning_add_step',
      description: 'Append steps to the active plan. They are pending and get the next numbers.',
      inputSchema: recordSchema({
        steps: described(list(text), {
          description:
            'Titles of the new steps in the order of work, at least one, each 1 to 500 characters.',
        }),
      }),
      outputSchema: recordSchema({ steps: list(planStepField, { minItems: 1 }) }),
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
    }),
    planning_update_step: tool({
      name: 'planning_update_step',
      description: 'Change the status or the title of one step of the active plan.',
      inputSchema: recordSchema({
        step_id: described(integer, { description: 'Number of the step.' }),
        title: optional(text, {
          description: 'New title, 1 to 500 characters. Leave out to keep the old one.',
        }),
        status: optional(choice(...stepStatuses), {
          description: 'New status. Leave out to keep the old one.',
        }),
      }),
      // The status of the whole plan is `completed` when this was the last step to do.
      outputSchema: recordSchema({ step: planStepField, planStatus: planStatusField }),
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
        return ToolResult.ok(
          { step, planStatus: after.status },
          `Updated step ${stepId}. ${progress(after)}`,
        );
      },
    }),
    planning_read_plan: tool({
      name: 'planning_read_plan',
      description: 'Show the plan: objective, status, and every step with its number and status.',
      inputSchema: recordSchema({}),
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
      execute: (_params: ReadPlan, { session }) => {
        const plan = requirePlan(session.slice(CurrentPlan).latest());
        return ToolResult.ok(plan, `The plan has ${countSteps(plan.steps.length)}.`);
      },
    }),
  };
}

function progress(plan: Plan): string {
  const steps = countSteps(plan.steps.length);
  return plan.status === 'completed'
    ? `The plan is completed: ${steps} done.`
    : `${doneSteps(plan)} of ${steps} done.`;
}

/** The planning tools whose text is fixed, the same for all sections: a program may make a section for each run. */
export const fixedPlanningTools: () => Readonly<Record<PlanningToolName, AnyTool>> = once(() =>
  createPlanningTools(false),
);

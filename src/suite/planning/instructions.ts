import { maxPlanTextCharacters } from './plan.ts';
import type { PlanningToolName } from './planning-tools.ts';

/**
 * The advice a model gets on using its plan. The tools and their rules are the same with each; only the advice differs.
 *
 * - `react`: think, act, look, and let the plan follow what was seen.
 * - `planActReflect`: plan everything first, then judge after every step.
 * - `goalDecomposeRouteSynthesise`: restate the goal, split it, give every part to the right tool, join the results.
 *
 * @see docs/spec/planning.md §4
 */
export const PlanningStrategy: {
  readonly react: 'react';
  readonly planActReflect: 'plan-act-reflect';
  readonly goalDecomposeRouteSynthesise: 'goal-decompose-route-synthesise';
} = Object.freeze({
  react: 'react',
  planActReflect: 'plan-act-reflect',
  goalDecomposeRouteSynthesise: 'goal-decompose-route-synthesise',
});

/** One of the values of {@link PlanningStrategy}. */
export type PlanningStrategy = (typeof PlanningStrategy)[keyof typeof PlanningStrategy];

/** What the instructions of a section depend on. */
export interface PlanningFacts {
  readonly tools: readonly PlanningToolName[];
  readonly strategy: PlanningStrategy;
}

const toolLines: Readonly<Record<PlanningToolName, string>> = {
  planning_setup_plan:
    '`planning_setup_plan` starts a plan, in place of the one there is: an objective and the first steps, numbered from 1.',
  planning_add_step:
    '`planning_add_step` appends steps. They get the next numbers; a number is never used again within a plan.',
  planning_update_step:
    '`planning_update_step` sets a step to `pending`, `in_progress` or `done`, or gives it another title.',
  planning_read_plan: '`planning_read_plan` shows the current plan.',
};

const advice: Readonly<Record<PlanningStrategy, string>> = {
  react: [
    'Work in short rounds. Think about what is known and what is missing, make the calls that close the gap, read their results, and decide the next round from them.',
    'Plan only as far as you can see. When an observation brings up new work or makes a step pointless, change the plan before you continue.',
  ].join('\n\n'),
  'plan-act-reflect': [
    'Lay out the whole way first: set up every step you can foresee before you act on any of them, in an order in which each builds on those before it.',
    'Then take one step at a time. After each, stop and judge: did it bring what it was meant to, and do the remaining steps still lead to the objective? Put what you conclude into the plan, then act again.',
  ].join('\n\n'),
  'goal-decompose-route-synthesise': [
    'Begin by saying the goal again in your own words, with what has to be true once it is reached; that is the objective of the plan. Split it into parts that can be settled independently, one step each.',
    'Route every part to the tool or the instructions that fit it best, and settle the parts one by one. At the end put the partial results together into one answer, check it against the goal, and add steps for what is still missing.',
  ].join('\n\n'),
};

/** The instructions about plans, and about the offered tools only. */
export function planningInstructions({ tools, strategy }: PlanningFacts): string {
  const lines = [...tools.map((name) => toolLines[name]), ...ruleLines(new Set(tools))];
  return [
    'Keep a plan for work that takes several steps; a task of one or two calls needs none. It stays with the session, so it shows you and others how far you are at any time.',
    lines.map((line) => `- ${line}`).join('\n'),
    advice[strategy],
  ].join('\n\n');
}

/** The text of the section while it is summarized. */
export function planningSummary({ tools }: Pick<PlanningFacts, 'tools'>): string {
  return tools.every((name) => name === 'planning_read_plan')
    ? 'A plan of steps for longer work, with a tool to read it.'
    : 'A plan of steps for longer work, with tools to keep it up to date.';
}

function ruleLines(tools: ReadonlySet<PlanningToolName>): readonly string[] {
  const isUpdating = tools.has('planning_update_step');
  return [
    ...(isUpdating
      ? [
          'Set a step to `in_progress` when you begin it and to `done` once it really is, in the same turn as your other calls.',
          'When every step is done the plan is completed and takes no more changes. Add what is missing before you finish the last step.',
        ]
      : []),
    ...(isUpdating || tools.has('planning_setup_plan') || tools.has('planning_add_step')
      ? [`The objective and each title have 1 to ${maxPlanTextCharacters} characters.`]
      : []),
  ];
}

/**
 * How a model is told to use its plan. The tools and their rules are the same under each; only the advice differs.
 *
 * - `react`: think, act, look, and let the plan follow what was seen.
 * - `planActReflect`: plan everything first, then judge after every step.
 * - `goalDecomposeRouteSynthesise`: restate the goal, split it, give every part to the right tool, join the results.
 *
 * @see spec TOOLS "Planning Strategies"
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

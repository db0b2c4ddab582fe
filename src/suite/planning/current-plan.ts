import { defineSlice, type Slice } from '../../core/session/index.ts';
import { renderPlan } from './format-plan.ts';
import { type Plan, planSchema } from './plan.ts';
import { AddStep, SetupPlan, UpdateStep } from './plan-events.ts';
import { addSteps, setUpPlan, updateStep } from './plan-rules.ts';

/**
 * The plan of a session: no item before one was set up, then exactly one. `session.slice(CurrentPlan).latest()` reads it;
 * dispatch `SetupPlan`, `AddStep` or `UpdateStep` to change it. An event against the rules is refused: the dispatch throws
 * a `SessionError` with code `reducer-failed` that says why, and nothing is changed.
 *
 * STATE: what a failing tool call did to the plan is undone.
 * @see docs/spec/planning.md §3
 */
export const CurrentPlan: Slice<Plan> = defineSlice({
  name: 'planning.plan',
  schema: planSchema,
  reducers: (on) => [
    on(SetupPlan, (plans, payload) => plans.replace([setUpPlan(payload)])),
    on(AddStep, (plans, payload) => plans.replace([addSteps(plans.latest(), payload)])),
    on(UpdateStep, (plans, payload) => plans.replace([updateStep(plans.latest(), payload)])),
  ],
  // Once the turns that made it have left the conversation.
  digest: (plans) => plans.map(renderPlan).join('\n'),
});

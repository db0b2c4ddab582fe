import { expectTypeOf, test } from 'vitest';
import { type Prompt, promptTemplate, Session } from 'weakincentives';
import {
  AddStep,
  CurrentPlan,
  formatPlan,
  type Plan,
  PlanningStrategy,
  type PlanStatus,
  type PlanStep,
  type PlanStepStatus,
  planningToolsSection,
  type ReadPlan,
  SetupPlan,
  UpdateStep,
} from 'weakincentives/tools';

test('a plan is plain readonly data', () => {
  expectTypeOf<PlanStepStatus>().toEqualTypeOf<'pending' | 'in_progress' | 'done'>();
  expectTypeOf<PlanStatus>().toEqualTypeOf<'active' | 'completed'>();
  expectTypeOf<Plan['steps']>().toEqualTypeOf<readonly PlanStep[]>();
  expectTypeOf(new Session().slice(CurrentPlan).latest()).toExtend<Plan | undefined>();
  expectTypeOf(formatPlan).toEqualTypeOf<(plan: Plan) => string>();
});

test('what a session gives fits what takes a plan', () => {
  const plan = new Session().slice(CurrentPlan).latest();
  if (plan !== undefined) expectTypeOf(formatPlan(plan)).toBeString();
});

test('a strategy is one of three texts', () => {
  expectTypeOf<PlanningStrategy>().toEqualTypeOf<
    'react' | 'plan-act-reflect' | 'goal-decompose-route-synthesise'
  >();
  planningToolsSection({ strategy: PlanningStrategy.planActReflect });
  planningToolsSection({ strategy: 'react', tools: ['planning_read_plan'] });
  // @ts-expect-error no such strategy
  planningToolsSection({ strategy: 'guess' });
  // @ts-expect-error no such tool
  planningToolsSection({ tools: ['planning_drop_plan'] });
});

test('the section needs no params', () => {
  const template = promptTemplate({ ns: 'tests', key: 'plan', sections: [planningToolsSection()] });
  expectTypeOf(template.bind()).toExtend<Prompt>();
});

test('reading the plan takes nothing', () => {
  const params: ReadPlan = {};
  expectTypeOf(params).toEqualTypeOf<Readonly<Record<string, never>>>();
  // @ts-expect-error there is nothing to say
  const more: ReadPlan = { stepId: 1 };
  void more;
});

test('events carry typed payloads', () => {
  const session = new Session();
  session.dispatch(SetupPlan, { objective: 'x' });
  session.dispatch(AddStep, { steps: ['a'] as const });
  session.dispatch(UpdateStep, { stepId: 1, status: 'done' });
  // @ts-expect-error an objective is needed
  session.dispatch(SetupPlan, { initialSteps: [] });
  // @ts-expect-error steps are titles
  session.dispatch(AddStep, { steps: [1] });
  // @ts-expect-error no such status
  session.dispatch(UpdateStep, { stepId: 1, status: 'finished' });
});

import { describe, expect, it } from 'vitest';
import { PolicyDecision, PromptValidationError, promptTemplate, Session } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import {
  CurrentPlan,
  PlanningStrategy,
  type PlanningToolsSectionOptions,
  planningToolsSection,
  SetupPlan,
} from 'weakincentives/tools';
import { createPlanningTools, planningToolNames } from '../../../src/suite/planning/planning-tools.ts';

const planningTools = createPlanningTools(false);

const templateOf = (options: PlanningToolsSectionOptions = {}) =>
  promptTemplate({ ns: 'tests', key: 'planning', sections: [planningToolsSection(options)] });

const textOf = async (options: PlanningToolsSectionOptions = {}): Promise<string> =>
  (await templateOf(options).bind().render({ examplesOnWire: true })).text;

/** The text without the tools' lines: what a strategy adds. */
const paragraphs = (text: string): readonly string[] => text.split('\n\n');

describe('planningToolsSection', () => {
  it('brings four tools, the slice, its title and no permission to override', () => {
    const planning = planningToolsSection();
    expect(planning).toMatchObject({
      title: 'Planning Tools',
      key: 'planning',
      acceptsOverrides: false,
      slices: [CurrentPlan],
    });
    expect(planningToolsSection().tools).toContain(planning.tools?.[0]);
    expect(planning.tools?.map(({ name }) => name)).toEqual([...planningToolNames]);
    expect(planningToolsSection({ title: 'Plan', key: 'plan' })).toMatchObject({
      title: 'Plan',
      key: 'plan',
    });
  });

  it('allows overrides of its text and its tools when configured to', () => {
    const open = planningToolsSection({ acceptsOverrides: true });
    expect(open.acceptsOverrides).toBe(true);
    expect(open.tools?.map((tool) => tool.acceptsOverrides)).toEqual([true, true, true, true]);
    expect(Object.values(planningTools).map((tool) => tool.acceptsOverrides)).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(Object.keys(planningTools)).toEqual([...planningToolNames]);
  });

  it('gives every tool a description for each parameter, closed arguments and an example', async () => {
    const rendered = await templateOf().bind().render({ examplesOnWire: true });
    for (const tool of rendered.tools) {
      expect(tool.examples.length).toBeGreaterThan(0);
      expect(tool.compiledInput?.inputJsonSchema).toMatchObject({ additionalProperties: false });
    }
    const described = Object.entries(planningTools).flatMap(([name, tool]) => {
      const { properties = {} } = tool.compiledInput?.inputJsonSchema ?? {};
      return Object.entries(properties ?? {}).map(([parameter, schema]) => [name, parameter, schema]);
    });
    expect(described).toHaveLength(6);
    for (const [, , schema] of described) expect(schema).toHaveProperty('description');
  });

  it('differs between strategies in its advice alone', async () => {
    const strategies = Object.values(PlanningStrategy);
    const texts = await Promise.all(strategies.map((strategy) => textOf({ strategy })));
    const [react = [], reflect = [], synthesise = []] = texts.map(paragraphs);
    expect(new Set(texts).size).toBe(3);
    expect(react.slice(0, -2)).toEqual(reflect.slice(0, -2));
    expect(react.slice(0, -2)).toEqual(synthesise.slice(0, -2));
    expect(await textOf()).toBe(texts[0]);
    expect(texts[0]).toContain('read their results');
    expect(texts[1]).toContain('Lay out the whole way first');
    expect(texts[2]).toContain('Route every part');
  });

  it('speaks only of the tools it offers', async () => {
    const followed = await textOf({ tools: ['planning_read_plan', 'planning_update_step'] });
    expect(followed).not.toContain('planning_setup_plan');
    expect(followed).not.toContain('planning_add_step');
    expect(followed.indexOf('`planning_update_step`')).toBeLessThan(followed.indexOf('`planning_read_plan`'));
    const looked = await textOf({ tools: ['planning_read_plan'] });
    expect(looked).not.toContain('in_progress');
    expect(looked).not.toContain('500 characters');
  });

  it('has a summary', async () => {
    expect(await textOf({ visibility: 'summary' })).toContain('tools to keep it up to date');
    expect(await textOf({ visibility: 'summary', tools: ['planning_read_plan'] })).toContain(
      'a tool to read it',
    );
  });

  it.each<[string, unknown, string]>([
    ['an unknown strategy', { strategy: 'guess' }, `strategy must be 'react', 'plan-act-reflect' or`],
    ['no tool', { tools: [] }, 'at least one, each once; received []'],
    ['an unknown tool', { tools: ['planning_drop_plan'] }, 'received ["planning_drop_plan"]'],
    ['a tool twice', { tools: ['planning_read_plan', 'planning_read_plan'] }, 'at least one, each once'],
  ])('refuses %s', (_what, options, message) => {
    // What a caller without types may pass.
    const make = () => planningToolsSection(options as PlanningToolsSectionOptions);
    expect(make).toThrow(PromptValidationError);
    expect(make).toThrow(message);
  });

  it('holds no plan: each session has its own, which outlives the evaluation', async () => {
    const template = templateOf();
    const call = (objective: string) =>
      scriptedAdapter([{ toolCalls: [{ name: 'planning_setup_plan', arguments: { objective } }] }, {}]);
    const [one, two] = [new Session(), new Session()];
    await call('One').evaluate(template.bind(), { session: one });
    await call('Two').evaluate(template.bind(), { session: two });
    expect(one.slice(CurrentPlan).latest()?.objective).toBe('One');
    expect(two.slice(CurrentPlan).latest()?.objective).toBe('Two');
  });

  it('lets a caller set up the plan that the model works off', async () => {
    await using session = new Session();
    session.install(CurrentPlan);
    session.dispatch(SetupPlan, { objective: 'Given', initialSteps: ['a'] });
    const adapter = scriptedAdapter([
      { toolCalls: [{ name: 'planning_update_step', arguments: { step_id: 1, status: 'done' } }] },
      {},
    ]);
    const template = templateOf({ tools: ['planning_update_step', 'planning_read_plan'] });
    await adapter.evaluate(template.bind(), { session });
    expect(session.slice(CurrentPlan).latest()?.status).toBe('completed');
  });

  it('puts its tools under the policies it is given', async () => {
    await using session = new Session();
    const noPlans = { name: 'no-plans', check: () => PolicyDecision.deny('not today') };
    const adapter = scriptedAdapter([
      { toolCalls: [{ name: 'planning_setup_plan', arguments: { objective: 'x' } }] },
      { text: 'Not today.' },
    ]);
    await adapter.evaluate(templateOf({ policies: [noPlans] }).bind(), { session });
    expect(session.slice(CurrentPlan).latest()).toBeUndefined();
  });
});

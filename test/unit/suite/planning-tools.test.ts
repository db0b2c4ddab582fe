import { describe, expect, it } from 'vitest';
import { Session } from 'weakincentives';
import type { ScriptedToolCall } from 'weakincentives/testing';
import { CurrentPlan, SetupPlan, UpdateStep } from 'weakincentives/tools';
import { createPlanningTools } from '../../../src/suite/planning/planning-tools.ts';
import { type CallOutcome, runCalls } from '../../support/run-calls.ts';

const planningTools = createPlanningTools(false);

const setUp = (objective: string, steps?: readonly string[]): ScriptedToolCall => ({
  name: 'planning_setup_plan',
  arguments: steps === undefined ? { objective } : { objective, initial_steps: [...steps] },
});
const add = (...steps: readonly string[]): ScriptedToolCall => ({
  name: 'planning_add_step',
  arguments: { steps: [...steps] },
});
const update = (
  stepId: number,
  change: { readonly title?: string; readonly status?: string } = {},
): ScriptedToolCall => ({ name: 'planning_update_step', arguments: { step_id: stepId, ...change } });
const finish = (stepId: number): ScriptedToolCall => update(stepId, { status: 'done' });
const read: ScriptedToolCall = { name: 'planning_read_plan' };

/** Makes the calls one per turn, on a session of its own or on one that has a plan already. */
function inTurns(calls: readonly ScriptedToolCall[], session = new Session()): Promise<CallOutcome> {
  return runCalls({
    tools: Object.values(planningTools),
    slices: [CurrentPlan],
    turns: calls.map((call) => [call]),
    session,
  });
}

/** Makes all calls in one turn. */
function atOnce(calls: readonly ScriptedToolCall[], session = new Session()): Promise<CallOutcome> {
  return runCalls({ tools: Object.values(planningTools), slices: [CurrentPlan], calls, session });
}

function planned(objective: string, initialSteps: readonly string[]): Session {
  const session = new Session();
  session.install(CurrentPlan);
  session.dispatch(SetupPlan, { objective, initialSteps });
  return session;
}

const planOf = ({ session }: Pick<CallOutcome, 'session'>) => session.slice(CurrentPlan).latest();
const lastText = ({ texts }: CallOutcome) => texts.at(-1);

describe('planning_setup_plan', () => {
  it('starts an active plan with pending steps numbered from 1 and trims their text', async () => {
    const outcome = await inTurns([setUp('  Ship it \n', [' Build', 'Test\t'])]);
    expect(planOf(outcome)).toEqual({
      objective: 'Ship it',
      status: 'active',
      steps: [
        { stepId: 1, title: 'Build', status: 'pending' },
        { stepId: 2, title: 'Test', status: 'pending' },
      ],
    });
    expect(lastText(outcome)).toBe(
      'Set up a plan with 2 steps.\n\nObjective: Ship it\nStatus: active\n\n1 [pending] Build\n2 [pending] Test',
    );
    expect(outcome.invocations[0]?.value).toEqual(planOf(outcome));
  });

  it('takes no steps at all', async () => {
    const outcome = await inTurns([setUp('Ship it')]);
    expect(planOf(outcome)).toEqual({ objective: 'Ship it', status: 'active', steps: [] });
    expect(lastText(outcome)).toBe(
      'Set up a plan with no steps.\n\nObjective: Ship it\nStatus: active\n\n<no steps>',
    );
  });

  it('replaces the plan there is, also a completed one, and numbers from 1 again', async () => {
    const outcome = await inTurns([
      setUp('First', ['a', 'b']),
      finish(1),
      finish(2),
      setUp('Second', ['c']),
      add('d'),
    ]);
    expect(outcome.session.slice(CurrentPlan).all()).toEqual([
      {
        objective: 'Second',
        status: 'active',
        steps: [
          { stepId: 1, title: 'c', status: 'pending' },
          { stepId: 2, title: 'd', status: 'pending' },
        ],
      },
    ]);
  });

  it.each([
    [setUp('   '), 'The objective is empty. It takes 1 to 500 characters.'],
    [setUp('x'.repeat(501)), 'The objective has 501 characters. It takes 1 to 500: say it shorter.'],
    [setUp('x', [' ']), 'The title is empty. It takes 1 to 500 characters.'],
    [
      setUp('x', ['a', 'y'.repeat(600)]),
      'Title 2 of 2 has 600 characters. It takes 1 to 500: say it shorter.',
    ],
    [setUp('', ['']), 'The objective is empty. It takes 1 to 500 characters.'],
  ])('refuses %j and keeps the plan there is', async (call, message) => {
    const session = planned('Old', ['a']);
    const before = planOf({ session });
    const outcome = await inTurns([call], session);
    expect(outcome.texts).toEqual([`Tool validation failed: ${message}`]);
    expect(planOf(outcome)).toBe(before);
  });

  it('counts characters after trimming, a pair of surrogates as one', async () => {
    const longest = '🎉'.repeat(500);
    const outcome = await inTurns([setUp(`  ${longest}  `, [longest])]);
    expect(planOf(outcome)).toMatchObject({ objective: longest, steps: [{ title: longest }] });
    expect(lastText(await inTurns([setUp(`${longest}!`)]))).toContain('has 501 characters');
  });
});

describe('planning_add_step', () => {
  it('appends pending steps with the next numbers, and shows only these', async () => {
    const outcome = await inTurns([setUp('Ship it', ['Build']), add(' Test ', 'Tag')]);
    expect(planOf(outcome)?.steps.map(({ stepId, title }) => `${stepId} ${title}`)).toEqual([
      '1 Build',
      '2 Test',
      '3 Tag',
    ]);
    expect(lastText(outcome)).toBe('Added 2 steps.\n\n2 [pending] Test\n3 [pending] Tag');
  });

  it('gives steps of one turn numbers without a clash, in call order', async () => {
    const outcome = await atOnce([
      setUp('Ship it', ['a']),
      add('b', 'c'),
      add('d'),
      update(4, { title: 'D' }),
    ]);
    expect(planOf(outcome)?.steps.map(({ stepId, title }) => `${stepId} ${title}`)).toEqual([
      '1 a',
      '2 b',
      '3 c',
      '4 D',
    ]);
    expect(outcome.invocations.every(({ success }) => success)).toBe(true);
    expect(outcome.texts[2]).toBe('Added 1 step.\n\n4 [pending] d');
  });

  it('runs two calls of one turn on the plan as the one before left it', async () => {
    const outcome = await atOnce([add('b'), add('c')], planned('Ship it', ['a']));
    expect(outcome.texts).toEqual(['Added 1 step.\n\n2 [pending] b', 'Added 1 step.\n\n3 [pending] c']);
    expect(outcome.invocations.map(({ attempts }) => attempts)).toEqual([1, 2]);
  });

  it('continues from the highest number of a plan that was set directly', async () => {
    const session = planned('x', []);
    session
      .slice(CurrentPlan)
      .seed([{ objective: 'x', status: 'active', steps: [{ stepId: 7, title: 'seven', status: 'done' }] }]);
    expect(planOf(await inTurns([add('eight')], session))?.steps.at(-1)?.stepId).toBe(8);
  });
});

describe('planning_update_step', () => {
  it.each([
    [{ status: 'in_progress' }, '2 [in_progress] b'],
    [{ title: ' Bee ' }, '2 [pending] Bee'],
    [{ title: 'Bee', status: 'in_progress' }, '2 [in_progress] Bee'],
  ])('changes %j and nothing else', async (change, line) => {
    const outcome = await inTurns([update(2, change)], planned('Ship it', ['a', 'b', 'c']));
    expect(outcome.texts).toEqual([`Updated step 2. 0 of 3 steps done.\n\n${line}`]);
    expect(planOf(outcome)).toMatchObject({
      status: 'active',
      steps: [
        { stepId: 1, title: 'a', status: 'pending' },
        { stepId: 2 },
        { stepId: 3, title: 'c', status: 'pending' },
      ],
    });
  });

  it('completes the plan with the last step in any order, and reopens a step before that', async () => {
    const outcome = await inTurns(
      [finish(2), update(2, { status: 'pending' }), finish(2), finish(1)],
      planned('Ship it', ['a', 'b']),
    );
    expect(outcome.texts).toEqual([
      'Updated step 2. 1 of 2 steps done.\n\n2 [done] b',
      'Updated step 2. 0 of 2 steps done.\n\n2 [pending] b',
      'Updated step 2. 1 of 2 steps done.\n\n2 [done] b',
      'Updated step 1. The plan is completed: 2 steps done.\n\n1 [done] a',
    ]);
    expect(planOf(outcome)?.status).toBe('completed');
    expect(outcome.invocations.at(-1)?.value).toEqual({
      step: { stepId: 1, title: 'a', status: 'done' },
      planStatus: 'completed',
    });
  });

  it('completes the plan when the last two steps are finished in one turn', async () => {
    const outcome = await atOnce([finish(1), finish(2)], planned('Ship it', ['a', 'b']));
    expect(planOf(outcome)?.status).toBe('completed');
    expect(outcome.texts[1]).toContain('The plan is completed');
  });

  it('keeps the other calls of a turn in which one call is rejected', async () => {
    const outcome = await atOnce([finish(1), finish(9), finish(2)], planned('Ship it', ['a', 'b', 'c']));
    expect(outcome.invocations.map(({ outcome: how }) => how)).toEqual([
      'committed',
      'rolled-back',
      'committed',
    ]);
    expect(planOf(outcome)?.steps.map(({ status }) => status)).toEqual(['done', 'done', 'pending']);
  });

  it.each([
    ['an empty title, before all else about the step', update(9, { title: ' ' }), 'The title is empty.'],
    ['nothing to change, before the number', update(9), 'Nothing was given to change in step 9.'],
    ['an unknown number', finish(9), 'There is no step 9. The steps are 1 to 2.'],
    ['step 0', finish(0), 'There is no step 0. The steps are 1 to 2.'],
  ])('refuses %s', async (_what, call, message) => {
    const session = planned('Ship it', ['a', 'b']);
    const before = planOf({ session });
    const outcome = await inTurns([call], session);
    expect(lastText(outcome)).toContain(`Tool validation failed: ${message}`);
    expect(planOf(outcome)).toBe(before);
  });

  it('says which steps there are', async () => {
    expect(lastText(await inTurns([finish(2)], planned('x', ['a'])))).toContain('The only step is 1.');
    expect(lastText(await inTurns([finish(1)], planned('x', [])))).toContain('The plan has no steps yet');
  });

  it('refuses a status that is none and lists those there are', async () => {
    const outcome = await inTurns([update(1, { status: 'finished' })], planned('x', ['a']));
    expect(lastText(outcome)).toMatch(/^Tool validation failed: .*status.*pending.*in_progress.*done/s);
  });
});

describe('planning_read_plan', () => {
  it('shows the plan', async () => {
    const session = planned('Ship it', ['a', 'b']);
    session.dispatch(UpdateStep, { stepId: 1, status: 'done' });
    const outcome = await inTurns([read], session);
    expect(outcome.texts).toEqual([
      'The plan has 2 steps.\n\nObjective: Ship it\nStatus: active\n\n1 [done] a\n2 [pending] b',
    ]);
    expect(outcome.invocations[0]?.value).toEqual(planOf(outcome));
  });

  it('shows in one turn what the calls before it did', async () => {
    const outcome = await atOnce([setUp('Ship it', ['a']), finish(1), read]);
    expect(lastText(outcome)).toContain('Status: completed\n\n1 [done] a');
  });
});

describe('the rules', () => {
  it.each([add('a'), add(), update(1), update(1, { title: '' }), finish(1), read])(
    'want a plan before anything else: %j',
    async (call) => {
      const outcome = await inTurns([call]);
      expect(outcome.texts).toEqual(['Tool validation failed: There is no plan yet. Set one up first.']);
      expect(planOf(outcome)).toBeUndefined();
    },
  );

  it.each([add('b'), add(), update(1, { status: 'pending' }), update(1, { title: '' }), update(9)])(
    'keep a completed plan as it is: %j',
    async (call) => {
      const session = planned('Ship it', ['a']);
      session.dispatch(UpdateStep, { stepId: 1, status: 'done' });
      const before = planOf({ session });
      const outcome = await inTurns([call], session);
      expect(outcome.texts).toEqual([
        'Tool validation failed: The plan is completed and takes no more changes. Set up a new plan for what is still to be done.',
      ]);
      expect(planOf(outcome)).toBe(before);
    },
  );

  it('want at least one title, each within bounds', async () => {
    const outcome = await inTurns([add(), add('a', ' '), add('x'.repeat(501))], planned('x', ['a']));
    expect(outcome.texts).toEqual([
      'Tool validation failed: No step was given. Name the title of at least one.',
      'Tool validation failed: Title 2 of 2 is empty. It takes 1 to 500 characters.',
      'Tool validation failed: The title has 501 characters. It takes 1 to 500: say it shorter.',
    ]);
    expect(planOf(outcome)?.steps).toHaveLength(1);
  });

  it('are closed to unknown arguments', async () => {
    const call = { name: 'planning_add_step', arguments: { steps: ['a'], after: 1 } };
    expect(lastText(await inTurns([call], planned('x', [])))).toMatch(/^Tool validation failed: .*after/s);
  });

  it('say what each tool does to the world', () => {
    expect(Object.values(planningTools).map(({ name, effects }) => [name, effects])).toEqual([
      ['planning_setup_plan', 'state'],
      ['planning_add_step', 'state'],
      ['planning_update_step', 'state'],
      ['planning_read_plan', 'read'],
    ]);
  });
});

import { describe, expect, test } from 'vitest';
import { promptTemplate, Session, section } from 'weakincentives';
import { type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import {
  CurrentPlan,
  planCompletion,
  planningToolsSection,
  SetupPlan,
  UpdateStep,
} from 'weakincentives/tools';

const planned = promptTemplate({ ns: 'test', key: 'plan', sections: [planningToolsSection()] });

/** The feedback for a model that answers at once in this session; undefined when the task is complete. */
async function feedbackIn(session: Session, completion = planCompletion()): Promise<string | undefined> {
  const run = scriptedAdapter([{ text: 'Done.' }]).evaluate(planned.bind(), {
    session,
    completion: completion,
    limits: { maxCompletionChecks: 1 },
  });
  return run.then(
    () => undefined,
    ({ message }: Error) => message.match(/not done: ([^]*) \(prompt/)?.[1],
  );
}

const withPlan = (titles: readonly string[], done: readonly number[] = []): Session => {
  const session = new Session();
  session.install(CurrentPlan);
  session.dispatch(SetupPlan, { objective: 'Ship it', initialSteps: titles });
  for (const stepId of done) session.dispatch(UpdateStep, { stepId, status: 'done' });
  return session;
};

describe('planCompletion', () => {
  test('names three steps that are not done, and how many more there are', async () => {
    await using session = withPlan(['One', 'Two', 'Three', 'Four', 'Five', 'Six'], [1]);
    session.dispatch(UpdateStep, { stepId: 2, status: 'in_progress' });
    expect(await feedbackIn(session)).toBe(
      [
        'The plan is not carried out yet; 5 steps of 6 are not done:',
        '[>] 2 Two',
        '[ ] 3 Three',
        '[ ] 4 Four',
        'and 2 more.',
        'Carry out what is left, mark each step as done, and answer again.',
      ].join('\n'),
    );
    await using last = withPlan(['One', 'Two'], [1]);
    expect(await feedbackIn(last)).toMatch(
      /^The plan is not carried out yet; 1 step of 2 is not done:\n\[ \] 2 Two\nCarry/,
    );
  });

  test('is content with a plan that is done, an empty one, and none unless there has to be one', async () => {
    await using done = withPlan(['One', 'Two'], [1, 2]);
    await using empty = withPlan([]);
    await using none = new Session();
    expect(await feedbackIn(done)).toBeUndefined();
    expect(await feedbackIn(empty)).toBeUndefined();
    expect(await feedbackIn(none)).toBeUndefined();
    expect(await feedbackIn(none, planCompletion({ requirePlan: true }))).toBe(
      'There is no plan yet. Set one up, carry it out, and answer again.',
    );
  });

  test('lets a model that forgot a step continue and finish it', async () => {
    const call = (name: string, args: object): ScriptedTurn => ({ toolCalls: [{ name, arguments: args }] });
    const adapter = scriptedAdapter([
      call('planning_setup_plan', { objective: 'Ship', initial_steps: ['Build'] }),
      { text: 'All done.' },
      call('planning_update_step', { step_id: 1, status: 'done' }),
      { text: 'Now it is.' },
    ]);
    const { text } = await adapter.evaluate(planned.bind(), { completion: planCompletion() });
    expect(text).toBe('Now it is.');
  });

  test('is refused where neither prompt nor session has a plan', async () => {
    const other = promptTemplate({
      ns: 'test',
      key: 'other',
      sections: [section({ title: 'Task', key: 'task', template: 'Do it.' })],
    });
    const asked: unknown[] = [];
    const adapter = scriptedAdapter((conversation) => {
      asked.push(conversation);
      return { text: 'Done.' };
    });
    await expect(adapter.evaluate(other.bind(), { completion: planCompletion() })).rejects.toThrow(
      expect.objectContaining({
        code: 'prompt-invalid',
        message:
          'The completion checker "plan" needs the slice "planning.plan", which the prompt "other" does not have. ' +
          'Add planningToolsSection() to its sections, or leave the checker out.',
        details: { option: 'completion', checker: 'plan' },
      }),
    );
    expect(asked).toEqual([]);
    await using session = withPlan(['One'], [1]);
    const { text } = await adapter.evaluate(other.bind(), { completion: planCompletion(), session });
    expect(text).toBe('Done.');
  });
});

import { describe, expect, it } from 'vitest';
import { SchemaError, Session, SessionError, ToolValidationError } from 'weakincentives';
import { AddStep, CurrentPlan, SetupPlan, UpdateStep } from 'weakincentives/tools';

function sessionWith(...initialSteps: readonly string[]): Session {
  const session = new Session();
  session.install(CurrentPlan);
  session.dispatch(SetupPlan, { objective: 'Ship it', initialSteps });
  return session;
}

/** What a dispatch threw. */
function refusal(dispatch: () => void): unknown {
  try {
    dispatch();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('CurrentPlan', () => {
  it('holds one plan and follows what is dispatched', () => {
    const session = sessionWith(' Build ');
    session.dispatch(AddStep, { steps: ['Test'] });
    session.dispatch(UpdateStep, { stepId: 1, status: 'done', title: 'Build all' });
    expect(session.slice(CurrentPlan).all()).toEqual([
      {
        objective: 'Ship it',
        status: 'active',
        steps: [
          { stepId: 1, title: 'Build all', status: 'done' },
          { stepId: 2, title: 'Test', status: 'pending' },
        ],
      },
    ]);
  });

  it('is empty before a plan was set up', () => {
    const session = new Session();
    session.install(CurrentPlan);
    expect(session.slice(CurrentPlan).latest()).toBeUndefined();
  });

  it.each<[string, (session: Session) => void, string]>([
    [
      'an empty objective',
      (session) => session.dispatch(SetupPlan, { objective: ' ' }),
      'The objective is empty',
    ],
    ['no title', (session) => session.dispatch(AddStep, { steps: [] }), 'No step was given'],
    [
      'an unknown step',
      (session) => session.dispatch(UpdateStep, { stepId: 3, status: 'done' }),
      'no step 3',
    ],
    ['no change', (session) => session.dispatch(UpdateStep, { stepId: 1 }), 'Nothing was given to change'],
  ])('refuses %s: the dispatch throws and nothing is changed', (_what, dispatch, reason) => {
    const session = sessionWith('Build');
    const before = session.slice(CurrentPlan).all();
    const error = refusal(() => dispatch(session));
    expect(error).toBeInstanceOf(SessionError);
    expect(error).toMatchObject({ code: 'reducer-failed', message: expect.stringContaining(reason) });
    expect(error).toMatchObject({ cause: expect.any(ToolValidationError) });
    expect(session.slice(CurrentPlan).all()).toBe(before);
  });

  it('refuses changes without a plan and to a completed one', () => {
    const empty = new Session();
    empty.install(CurrentPlan);
    expect(() => empty.dispatch(AddStep, { steps: ['a'] })).toThrow('There is no plan yet');
    const completed = sessionWith('Build');
    completed.dispatch(UpdateStep, { stepId: 1, status: 'done' });
    expect(completed.slice(CurrentPlan).latest()?.status).toBe('completed');
    expect(() => completed.dispatch(AddStep, { steps: ['a'] })).toThrow('completed');
    expect(() => completed.dispatch(UpdateStep, { stepId: 1, title: 'b' })).toThrow('completed');
  });

  it('refuses payloads of another shape', () => {
    const session = sessionWith('Build');
    // @ts-expect-error a status that is none
    const dispatch = () => session.dispatch(UpdateStep, { stepId: 1, status: 'finished' });
    expect(refusal(dispatch)).toBeInstanceOf(SchemaError);
    // @ts-expect-error steps are titles
    expect(() => session.dispatch(AddStep, { steps: [{ title: 'a' }] })).toThrow(SchemaError);
  });

  it('completes only a plan that has steps', () => {
    expect(sessionWith().slice(CurrentPlan).latest()?.status).toBe('active');
  });

  it('goes back with a snapshot', () => {
    const session = sessionWith('Build');
    const snapshot = session.snapshot();
    const before = session.slice(CurrentPlan).latest();
    session.dispatch(SetupPlan, { objective: 'Another' });
    session.restore(snapshot);
    expect(session.slice(CurrentPlan).latest()).toBe(before);
  });
});

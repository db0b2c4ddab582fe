import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { promptTemplate, Session } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import {
  AddStep,
  CurrentPlan,
  type Plan,
  planningToolsSection,
  SetupPlan,
  UpdateStep,
} from 'weakincentives/tools';
import { draws } from '../support/draws.ts';

type Status = 'pending' | 'in_progress' | 'done';

/** One thing done to a plan. */
type Action =
  | { readonly kind: 'set-up'; readonly objective: string; readonly steps: readonly string[] }
  | { readonly kind: 'add'; readonly steps: readonly string[] }
  | {
      readonly kind: 'update';
      readonly stepId: number;
      readonly title?: string | undefined;
      readonly status?: Status | undefined;
    };

/**
 * A plan as plainly as it can be written: mutable, with a counter of its own for the numbers, and rules that answer whether
 * an action is allowed instead of throwing.
 */
class PlainPlan {
  objective: string | undefined;
  titles = new Map<number, string>();
  statuses = new Map<number, Status>();
  next = 1;

  get isCompleted(): boolean {
    return this.titles.size > 0 && [...this.statuses.values()].every((status) => status === 'done');
  }

  /** True when the action was allowed and is done. */
  run(action: Action): boolean {
    const texts = [
      ...(action.kind === 'set-up' ? [action.objective] : []),
      ...(action.kind === 'update' ? [] : action.steps),
      ...(action.kind === 'update' && action.title !== undefined ? [action.title] : []),
    ];
    const isWellWorded = texts.every((text) => text.trim().length >= 1 && text.trim().length <= 500);
    if (!isWellWorded) return false;
    if (action.kind === 'set-up') {
      this.objective = action.objective.trim();
      this.titles = new Map();
      this.statuses = new Map();
      this.next = 1;
      this.#append(action.steps);
      return true;
    }
    if (this.objective === undefined || this.isCompleted) return false;
    if (action.kind === 'add') {
      this.#append(action.steps);
      return action.steps.length > 0;
    }
    if (!this.titles.has(action.stepId)) return false;
    if (action.title === undefined && action.status === undefined) return false;
    if (action.title !== undefined) this.titles.set(action.stepId, action.title.trim());
    if (action.status !== undefined) this.statuses.set(action.stepId, action.status);
    return true;
  }

  dump(): Plan | undefined {
    if (this.objective === undefined) return undefined;
    return {
      objective: this.objective,
      status: this.isCompleted ? 'completed' : 'active',
      steps: [...this.titles].map(([stepId, title]) => ({
        stepId,
        title,
        status: this.statuses.get(stepId) ?? 'pending',
      })),
    };
  }

  #append(titles: readonly string[]): void {
    for (const title of titles) {
      this.titles.set(this.next, title.trim());
      this.statuses.set(this.next, 'pending');
      this.next += 1;
    }
  }
}

const text = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('read', ' look up\n', 'write', 'x'.repeat(500)) },
  { weight: 1, arbitrary: fc.constantFrom('', ' \t', 'y'.repeat(501)) },
);
const status = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Status>('done') },
  { weight: 1, arbitrary: fc.constantFrom<Status>('pending', 'in_progress') },
);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('set-up' as const),
      objective: text,
      steps: fc.array(text, { maxLength: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('add' as const), steps: fc.array(text, { maxLength: 2 }) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('update' as const),
      stepId: fc.integer({ min: 0, max: 5 }),
      title: fc.option(text, { nil: undefined, freq: 2 }),
      status: fc.option(status, { nil: undefined, freq: 6 }),
    }),
  },
);

/** An update names only what it changes. */
function change({ title, status: next }: Extract<Action, { kind: 'update' }>) {
  return { ...(title === undefined ? {} : { title }), ...(next === undefined ? {} : { status: next }) };
}

function toCall(done: Action): { readonly name: string; readonly arguments: Record<string, unknown> } {
  switch (done.kind) {
    case 'set-up':
      return {
        name: 'planning_setup_plan',
        arguments: { objective: done.objective, initial_steps: [...done.steps] },
      };
    case 'add':
      return { name: 'planning_add_step', arguments: { steps: [...done.steps] } };
    case 'update':
      return { name: 'planning_update_step', arguments: { step_id: done.stepId, ...change(done) } };
  }
}

function dispatch(session: Session, done: Action): void {
  switch (done.kind) {
    case 'set-up':
      session.dispatch(SetupPlan, { objective: done.objective, initialSteps: done.steps });
      break;
    case 'add':
      session.dispatch(AddStep, { steps: done.steps });
      break;
    case 'update':
      session.dispatch(UpdateStep, { stepId: done.stepId, ...change(done) });
  }
}

const template = promptTemplate({ ns: 'tests', key: 'planning', sections: [planningToolsSection()] });

describe('a plan', () => {
  it('follows dispatched events as the plain plan does; a refused one changes nothing at all', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 30 }), (actions) => {
        const session = new Session();
        session.install(CurrentPlan);
        const plain = new PlainPlan();
        for (const each of actions) {
          const before = session.slice(CurrentPlan).all();
          if (plain.run(each)) dispatch(session, each);
          else {
            expect(() => dispatch(session, each)).toThrow('refused the event, so nothing was changed');
            expect(session.slice(CurrentPlan).all()).toBe(before);
          }
          expect(session.slice(CurrentPlan).latest()).toEqual(plain.dump());
        }
      }),
      { numRuns: draws(400) },
    );
  });

  it('follows tool calls as the plain plan does, however many are made in one turn', async () => {
    const turns = fc.array(fc.array(action, { minLength: 1, maxLength: 5 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(turns, async (script) => {
        await using session = new Session();
        const succeeded: boolean[] = [];
        const adapter = scriptedAdapter([
          ...script.map((actions) => ({ toolCalls: actions.map(toCall) })),
          { text: 'done' },
        ]);
        const { conversation } = await adapter.evaluate(template.bind(), {
          session,
          observers: [
            {
              onEvent: (event) => {
                if (event.type === 'tool-call-end') succeeded.push(event.invocation.success);
              },
            },
          ],
        });
        const plain = new PlainPlan();
        expect(succeeded).toEqual(script.flat().map((each) => plain.run(each)));
        expect(session.slice(CurrentPlan).latest()).toEqual(plain.dump());
        const refusals = conversation.flatMap((item) =>
          item.type === 'tool-result' && item.isError ? [item.text] : [],
        );
        for (const refusal of refusals) expect(refusal).toMatch(/^Tool validation failed: .+\.$/s);
      }),
      { numRuns: draws(150) },
    );
  });
});

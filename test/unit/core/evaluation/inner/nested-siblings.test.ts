import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AnyTool,
  binding,
  promptTemplate,
  resourceToken,
  Session,
  section,
  ToolCallLog,
  ToolResult,
  tool,
} from 'weakincentives';
import { draws } from '../../../../support/draws.ts';
import { gate } from '../../../../support/gate.ts';
import {
  Added,
  add,
  Count,
  calling,
  delegate,
  modelFor,
  promptWith,
} from '../../../../support/nested-setup.ts';

const yielding = async (times: number): Promise<void> => {
  for (let time = 0; time < times; time += 1) await Promise.resolve();
};

/** Adds one, with this much waiting between reading and writing. */
const slowAdd = (name: string, before: number, after: number): AnyTool =>
  tool({
    name,
    description: 'Adds one.',
    effects: 'state',
    execute: async (_params, { session }) => {
      const total = session.slice(Count).latest()?.total ?? 0;
      await yielding(before);
      session.dispatch(Added, { by: 1 });
      await yielding(after);
      return ToolResult.ok(null, `Counted ${total + 1}.`);
    },
  });
const recordsOf = (session: Session, toolName: string) =>
  session.slice(ToolCallLog).where((record) => record.toolName === toolName);

describe('evaluations that one handler runs at the same time', () => {
  test.each([4, 12])('repeat each call once at most: %i of them', async (count) => {
    const session = new Session();
    const outer = delegate('state', async ({ adapter }) => {
      await Promise.all(
        Array.from({ length: count }, (_, index) =>
          adapter.evaluate(promptWith('inner', [slowAdd('slow', index % 5, 3 + 2 * index)])),
        ),
      );
      return ToolResult.ok(null);
    });
    await modelFor({ outer: [calling('delegate')], inner: [calling('slow', 'slow')] }).evaluate(
      promptWith('outer', [outer]),
      { session },
    );
    expect(session.slice(Count).all()).toEqual([{ total: 2 * count }]);
    const records = recordsOf(session, 'slow');
    expect(records).toHaveLength(2 * count);
    expect(records.map(({ outcome }) => outcome)).not.toContain('rolled-back');
    expect(Math.max(...records.map(({ attempts }) => attempts))).toBe(2);
  });

  test('on every level', async () => {
    const session = new Session();
    const slow = slowAdd('slow', 2, 2);
    const spread = (key: string, tools: readonly AnyTool[], name: string) =>
      delegate(
        'state',
        async ({ adapter }) => {
          await Promise.all([1, 2, 3].map(() => adapter.evaluate(promptWith(key, tools))));
          return ToolResult.ok(null);
        },
        { name },
      );
    const middle = spread('innermost', [slow], 'middle');
    await modelFor({
      outer: [calling('outermost')],
      inner: [calling('middle')],
      innermost: [calling('slow')],
    }).evaluate(promptWith('outer', [spread('inner', [middle], 'outermost')]), { session });
    expect(session.slice(Count).all()).toEqual([{ total: 9 }]);
    for (const name of ['slow', 'middle']) {
      for (const record of recordsOf(session, name)) {
        expect(record).toMatchObject({ outcome: 'committed' });
        expect(record.attempts).toBeLessThanOrEqual(2);
      }
    }
  });

  test('let a call with effects outside run alone', async () => {
    const session = new Session();
    const sent: number[] = [];
    // What it says outside cannot be taken back, so nobody may change what it has read before it is committed.
    const send = tool({
      name: 'send',
      description: 'Sends the count.',
      effects: 'external',
      execute: async (_params, context) => {
        const total = context.session.slice(Count).latest()?.total ?? 0;
        await yielding(4);
        sent.push(total);
        context.session.dispatch(Added, { by: 10 });
        return ToolResult.ok(null);
      },
    });
    const outer = delegate('external', async ({ adapter }) => {
      await Promise.all([1, 2, 3].map(() => adapter.evaluate(promptWith('inner', [send, add]))));
      return ToolResult.ok(null);
    });
    await modelFor({ outer: [calling('delegate')], inner: [calling('send', 'add')] }).evaluate(
      promptWith('outer', [outer]),
      { session },
    );
    expect(session.slice(Count).all()).toEqual([{ total: 33 }]);
    // What each has sent is what the count was when it was committed.
    const order = session
      .slice(ToolCallLog)
      .all()
      .flatMap(({ toolName }) => (toolName === 'delegate' ? [] : [toolName === 'send' ? 10 : 1]));
    let total = 0;
    const expected: number[] = [];
    for (const by of order) {
      if (by === 10) expected.push(total);
      total += by;
    }
    expect(sent).toEqual(expected);
  });

  test('take turns with a resource that joins one transaction at a time', async () => {
    const session = new Session();
    const steps: string[] = [];
    let open = 0;
    const Register = resourceToken<{ sold: number }>('register');
    const register = binding(Register, {
      create: () => ({ sold: 0 }),
      transactional: {
        begin: (instance) => {
          open += 1;
          steps.push(`begin ${open}`);
          const before = instance.sold;
          return {
            view: instance,
            commit: () => {
              open -= 1;
            },
            rollback: () => {
              instance.sold = before;
              open -= 1;
            },
          };
        },
      },
    });
    const sell = tool({
      name: 'sell',
      description: 'Sells.',
      effects: 'state',
      execute: async (_params, { resources }) => {
        const { sold } = await resources.get(Register);
        await yielding(3);
        (await resources.get(Register)).sold = sold + 1;
        return ToolResult.ok(null);
      },
    });
    const prompt = (key: string, tools: readonly AnyTool[]) =>
      promptTemplate({
        ns: 'test',
        key,
        resources: [register],
        sections: [section({ title: key, key, template: `This is ${key}.`, tools })],
      }).bind();
    const outer = delegate('state', async ({ adapter }) => {
      await Promise.all([1, 2, 3].map(() => adapter.evaluate(prompt('inner', [sell]))));
      return ToolResult.ok(null);
    });
    await modelFor({ outer: [calling('delegate')], inner: [calling('sell', 'sell')] }).evaluate(
      prompt('outer', [outer]),
      { session },
    );
    expect(recordsOf(session, 'sell').map(({ outcome }) => outcome)).toEqual(Array(6).fill('committed'));
    // The outer call has one open all the time, and one of those inside it.
    expect(new Set(steps)).toEqual(new Set(['begin 1', 'begin 2']));
  });

  test('do not wait for one another when they are stopped', async () => {
    const session = new Session();
    const abort = new AbortController();
    const holding = gate();
    const waits = tool({
      name: 'waits',
      description: 'Waits with the turn to commit.',
      effects: 'external',
      execute: async () => {
        await holding.pass();
        return ToolResult.ok(null);
      },
    });
    const codes: unknown[] = [];
    const added = gate();
    const late = delegate('state', async () => (void added.pass(), ToolResult.ok(null)), { name: 'late' });
    const outer = delegate('external', async ({ adapter }) => {
      const first = adapter.evaluate(promptWith('first', [waits]));
      await holding.reached;
      const second = adapter.evaluate(promptWith('second', [late]), { signal: abort.signal });
      await added.reached;
      // By now it waits for its turn to commit.
      await yielding(50);
      abort.abort(new Error('no more'));
      codes.push(await second.catch((error: unknown) => (error instanceof Error ? error.message : error)));
      holding.open();
      await first;
      return ToolResult.ok(null);
    });
    await modelFor({
      outer: [calling('delegate')],
      first: [calling('waits')],
      second: [calling('late')],
    }).evaluate(promptWith('outer', [outer]), { session });
    expect(codes).toEqual([expect.stringContaining('aborted')]);
    expect(recordsOf(session, 'late')).toMatchObject([{ outcome: 'aborted', reason: 'aborted' }]);
    expect(recordsOf(session, 'waits')).toMatchObject([{ outcome: 'committed' }]);
  });

  test('blame the handler around them when it writes to what they have read', async () => {
    const session = new Session();
    let write = (): void => undefined;
    const looks = delegate(
      'state',
      async (context) => {
        context.session.slice(Count).latest();
        write();
        return ToolResult.ok(null);
      },
      { name: 'looks' },
    );
    const outer = delegate('state', async (context) => {
      write = () => context.session.dispatch(Added, { by: 1 });
      await context.adapter.evaluate(promptWith('inner', [looks]));
      return ToolResult.ok(null);
    });
    await modelFor({ outer: [calling('delegate')], inner: [calling('looks')] }).evaluate(
      promptWith('outer', [outer]),
      { session },
    );
    expect(recordsOf(session, 'looks')).toMatchObject([
      { outcome: 'rolled-back', reason: 'conflict', attempts: 3 },
    ]);
    expect(recordsOf(session, 'looks')[0]?.message).toContain('changed by the call of "delegate" around it');
  });

  test('whatever they wait for, come out as one after the other', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ before: fc.nat(6), after: fc.nat(6), calls: fc.integer({ min: 1, max: 3 }) }), {
          minLength: 2,
          maxLength: 6,
        }),
        async (siblings) => {
          const session = new Session();
          const outer = delegate('state', async ({ adapter }) => {
            await Promise.all(
              siblings.map(({ before, after }, index) =>
                adapter.evaluate(promptWith(`sibling-${index}`, [slowAdd('slow', before, after)])),
              ),
            );
            return ToolResult.ok(null);
          });
          const scripts = siblings.map(
            ({ calls }, index) =>
              [`sibling-${index}`, [calling(...Array<string>(calls).fill('slow'))]] as const,
          );
          await modelFor({ outer: [calling('delegate')], ...Object.fromEntries(scripts) }).evaluate(
            promptWith('outer', [outer]),
            { session },
          );
          const records = recordsOf(session, 'slow');
          const total = siblings.reduce((sum, { calls }) => sum + calls, 0);
          expect(records.map(({ outcome }) => outcome)).toEqual(Array(total).fill('committed'));
          expect(Math.max(...records.map(({ attempts }) => attempts))).toBeLessThanOrEqual(2);
          expect(session.slice(Count).all()).toEqual([{ total }]);
        },
      ),
      { numRuns: draws(60) },
    );
  });
});

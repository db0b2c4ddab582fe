import { describe, expect, test } from 'vitest';
import {
  type AnyTool,
  binding,
  type Clock,
  Deadline,
  Filesystem,
  MemoryFilesystem,
  promptTemplate,
  resourceToken,
  Session,
  section,
  ToolCallLog,
  type ToolContext,
  ToolResult,
  TransactionClosedError,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { evaluationFailure } from '../../../../../support/failure.ts';

/** A clock that continues by a millisecond whenever it is looked at, and whose timers never fire: nobody lets them. */
function busyClock(): Clock {
  let nowMs = 0;
  return { now: () => (nowMs += 1), schedule: () => () => undefined };
}

const Counter = resourceToken<{ count: number }>('counter');
const Slow = resourceToken<{ count: number }>('slow');

/** What a handler may touch, over and over. */
const touches: Readonly<Record<string, (context: ToolContext) => unknown>> = {
  'reads the session': ({ session }) => session.slice(ToolCallLog).length,
  'takes snapshots of the session': ({ session }) => session.snapshot(),
  'reads files': ({ filesystem }) => filesystem.read('a.md'),
  'writes files': ({ filesystem }) => filesystem.write('a.md', 'x'),
  'asks for resources': ({ resources }) => resources.get(Counter),
  'asks whether there are resources': ({ resources }) => resources.has(Slow),
};

/** Continues without ever letting timers in; far beyond any limit it gives up, so that a failing test ends. */
async function forEver(touch: () => unknown, errors: unknown[]): Promise<ToolResult<null>> {
  for (let round = 0; round < 100_000; round += 1) {
    await Promise.resolve();
    try {
      await touch();
    } catch (error) {
      errors.push(error);
      throw error;
    }
  }
  return ToolResult.ok(null, 'It came to an end.');
}

const promptOf = (busy: AnyTool) =>
  promptTemplate({
    ns: 'test',
    key: 'busy',
    sections: [section({ title: 'Task', key: 'task', template: 'Be busy.', tools: [busy] })],
    resources: [
      binding(Filesystem, { instance: new MemoryFilesystem({ files: { 'a.md': 'a' } }) }),
      binding(Counter, { create: () => ({ count: 0 }), scope: 'tool-call' }),
    ],
  }).bind();

const busyTool = (execute: (context: ToolContext) => unknown, timeoutMs?: number): AnyTool =>
  tool({
    name: 'busy',
    description: 'Is busy.',
    effects: 'state',
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    // What a handler returns beside a result is part of what is tested.
    execute: (_params, context) => execute(context) as Promise<ToolResult<null>>,
  });

const model = () => scriptedAdapter([{ toolCalls: [{ name: 'busy' }] }, { text: 'Done.' }]);

describe.each(Object.entries(touches))('a handler that never waits for anything and %s', (_what, touch) => {
  test('runs into its time limit, and its call is rolled back', async () => {
    const errors: unknown[] = [];
    const busy = busyTool((context) => forEver(() => touch(context), errors), 500);
    await using session = new Session({ clock: busyClock() });
    const { text } = await model().evaluate(promptOf(busy), { session });
    expect(text).toBe('Done.');
    expect(session.slice(ToolCallLog).all()).toMatchObject([
      {
        outcome: 'rolled-back',
        reason: 'timeout',
        message: expect.stringContaining('timed out after 500 ms'),
        changes: [],
      },
    ]);
    expect(errors).toHaveLength(1);
    expect(TransactionClosedError.isInstance(errors[0])).toBe(true);
  });

  test('runs into the deadline, which ends the run', async () => {
    const errors: unknown[] = [];
    const clock = busyClock();
    const busy = busyTool((context) => forEver(() => touch(context), errors));
    await using session = new Session({ clock });
    const error = await evaluationFailure(
      model().evaluate(promptOf(busy), {
        session,
        clock,
        limits: { deadline: Deadline.after(2_000, clock) },
      }),
    );
    expect(error.code).toBe('evaluation-deadline-exceeded');
    expect(session.slice(ToolCallLog).all()).toMatchObject([{ outcome: 'aborted', reason: 'deadline' }]);
    expect(errors).toHaveLength(1);
  });
});

describe('a handler that has outlasted its time limit', () => {
  const outlast = ({ session }: ToolContext): void => {
    for (let round = 0; round < 1_000; round += 1) session.slice(ToolCallLog).latest();
  };

  test.each<[string, (context: ToolContext) => unknown]>([
    ['throws what it was told, without ever waiting', outlast],
    [
      'continues and returns a success',
      (context) => {
        expect(() => outlast(context)).toThrow(TransactionClosedError);
        return ToolResult.ok(null, 'All the same.');
      },
    ],
    [
      'fails with an error of its own',
      async (context) => {
        await Promise.resolve();
        expect(() => outlast(context)).toThrow(TransactionClosedError);
        throw new Error('Something else.');
      },
    ],
  ])('and %s has timed out', async (_what, execute) => {
    await using session = new Session({ clock: busyClock() });
    await model().evaluate(promptOf(busyTool(execute, 100)), { session });
    expect(session.slice(ToolCallLog).latest()).toMatchObject({
      outcome: 'rolled-back',
      reason: 'timeout',
    });
  });

  test('a handler within its limits hears nothing of the clock', async () => {
    const clock = busyClock();
    const busy = busyTool(async ({ session, filesystem }) => {
      for (let round = 0; round < 10; round += 1) session.slice(ToolCallLog).latest();
      await filesystem.write('b.md', 'b');
      return ToolResult.ok(null);
    }, 10_000);
    await using session = new Session({ clock });
    await model().evaluate(promptOf(busy), {
      session,
      clock,
      limits: { deadline: Deadline.after(100_000, clock) },
    });
    expect(session.slice(ToolCallLog).latest()).toMatchObject({ outcome: 'committed' });
  });
});

import { expect, test } from 'vitest';
import { type Clock, ToolResult, tool } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { systemClock } from '../../../../../src/core/session/clock.ts';
import { evaluationFailure } from '../../../../support/failure.ts';
import { calling, delegate, modelFor, promptWith } from '../../../../support/nested-setup.ts';
import { promptOf } from '../../../../support/prompt-of.ts';

/** A clock that is a millisecond further at each look, and does this whenever a run pauses. */
const busyClock = (onYield: () => void): Clock => {
  let now = 0;
  return {
    now: () => (now += 1),
    schedule: () => () => undefined,
    yieldToTimers: async () => onYield(),
  };
};

const work = tool({
  name: 'work',
  description: 'Works.',
  effects: 'state',
  execute: () => ToolResult.ok(null),
});
const prompt = promptOf({ tools: [work] });
const endless = scriptedAdapter(() => ({ toolCalls: [{ name: 'work' }] }));

test('a run that never waits for anything outside hears of its abort', async () => {
  const abort = new AbortController();
  const clock = busyClock(() => abort.abort());
  const error = await evaluationFailure(
    endless.evaluate(prompt, { clock, signal: abort.signal, limits: { maxTurns: 1_000 } }),
  );
  expect(error.code).toBe('evaluation-aborted');
});

test('so does one that only evaluates inside its calls, for a short time each', async () => {
  const abort = new AbortController();
  const clock = busyClock(() => abort.abort());
  let evaluated = 0;
  const outer = delegate('read', async (context) => {
    for (; evaluated < 1_000; evaluated += 1) await context.adapter.evaluate(promptWith('inner', []));
    return ToolResult.ok(null);
  });
  const error = await evaluationFailure(
    modelFor({ outer: [calling('delegate')] }).evaluate(promptWith('outer', [outer]), {
      clock,
      signal: abort.signal,
    }),
  );
  expect(error.code).toBe('evaluation-aborted');
  expect(evaluated).toBeLessThan(100);
});

test('a run does not pause in every turn', async () => {
  let yields = 0;
  let turns = 0;
  const clock = busyClock(() => (yields += 1));
  const adapter = scriptedAdapter((_conversation, { turn }) => {
    turns = turn;
    return turn < 500 ? { toolCalls: [{ name: 'work' }] } : { text: 'done' };
  });
  await adapter.evaluate(prompt, { clock, limits: { maxTurns: 1_000 } });
  expect(yields).toBeGreaterThan(10);
  expect(yields).toBeLessThan(turns);
});

test('a run that waits for its model does not pause, until it waits no more', async () => {
  let yields = 0;
  let due: (() => void)[] = [];
  let now = 0;
  const clock: Clock = {
    now: () => (now += 50),
    schedule: (_delayMs, callback) => {
      due.push(callback);
      return () => {
        due = due.filter((each) => each !== callback);
      };
    },
    yieldToTimers: async () => void (yields += 1),
  };
  const yieldsBefore: number[] = [];
  const adapter = scriptedAdapter((_conversation, { turn }) => {
    yieldsBefore.push(yields);
    const isWaiting = turn <= 5;
    if (isWaiting) for (const callback of due.splice(0)) callback();
    return turn < 8 ? { toolCalls: [{ name: 'work' }] } : { text: 'done' };
  });
  await adapter.evaluate(prompt, { clock });
  // The turns from the sixth on fire no timer.
  expect(yieldsBefore).toEqual([0, 0, 0, 0, 0, 0, 1, 2]);
});

test('a clock that cannot yield is not asked to', async () => {
  let now = 0;
  const clock: Clock = { now: () => (now += 50), schedule: () => () => undefined };
  const adapter = scriptedAdapter((_conversation, { turn }) =>
    turn < 100 ? { toolCalls: [{ name: 'work' }] } : { text: 'done' },
  );
  const response = await adapter.evaluate(prompt, { clock });
  expect(response).toMatchObject({ text: 'done' });
});

test('the clock of the machine lets timers that are due go first', async () => {
  const order: string[] = [];
  systemClock.schedule(0, () => order.push('timer'));
  await systemClock.yieldToTimers?.();
  order.push('run');
  expect(order).toEqual(['timer', 'run']);
});

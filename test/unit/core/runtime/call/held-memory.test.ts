import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import {
  Deadline,
  promptTemplate,
  Session,
  section,
  ToolCallLog,
  ToolInvoked,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';

setFlagsFromString('--expose-gc');
const collectGarbage: unknown = runInNewContext('gc');

test('a bounded run holds nothing of the turns that are over', async () => {
  if (typeof collectGarbage !== 'function') throw new TypeError('There is no gc().');
  const steps = 400;
  const retain = 10;
  const values: WeakRef<object>[] = [];
  const step = tool({
    name: 'step',
    description: 'Makes a step.',
    effects: 'state',
    timeoutMs: 60_000,
    execute: async (_params, { signal }) => {
      const value = { step: values.length, isAborted: signal.aborted };
      values.push(new WeakRef(value));
      return ToolResult.ok(value);
    },
  });
  const template = promptTemplate({
    ns: 'test',
    key: 'held',
    sections: [section({ title: 'Task', key: 'task', template: 'Walk.', tools: [step] })],
  });
  let held: readonly number[] = [];
  const adapter = scriptedAdapter(async (_conversation, { turn }) => {
    if (turn <= steps) return { toolCalls: [{ name: 'step' }] };
    await nextTurnOfTheLoop();
    collectGarbage();
    held = [...values.keys()].filter((index) => values[index]?.deref() !== undefined);
    return { text: 'Done.' };
  });
  await using session = new Session();
  session.install(ToolCallLog, { retain });
  session.dispatcher.subscribe(ToolInvoked, () => undefined);
  for await (const _event of adapter.stream(template.bind(), {
    session,
    limits: { maxTurns: steps + 1, idleTimeoutMs: 60_000, deadline: Deadline.after(600_000) },
    context: { maxTurns: 10 },
    signal: new AbortController().signal,
  }));
  expect(values).toHaveLength(steps);
  // The records hold the last ten, and as many again that are dropped together; how many more the engine has not let go of yet depends on
  // how long it has paused. A run that holds its turns holds all of them.
  expect(held.length).toBeLessThan(steps / 4);
  expect(held.at(-1)).toBe(steps - 1);
});

import { expect, it } from 'vitest';
import {
  defineAgent,
  type ProviderAdapter,
  promptTemplate,
  Session,
  section,
  streamAgent,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { bareTemplate } from './agents.ts';

it('streams the events of a run, and ends with its result', async () => {
  const agent = defineAgent({ template: bareTemplate, conclude: () => ({ summary: 'said' }) });
  const types: string[] = [];
  for await (const event of streamAgent(agent, { adapter: scriptedAdapter([{ text: 'Hello.' }]) })) {
    types.push(event.type);
    if (event.type === 'run-result') {
      expect(event.response).toMatchObject({ text: 'Hello.', conclusion: { summary: 'said' } });
    }
  }
  expect(types[0]).toBe('run-start');
  expect(types).toContain('text-delta');
  expect(types.slice(-2)).toEqual(['run-end', 'run-result']);
});

it('begins with the first event that is asked for, and not before', async () => {
  let asked = 0;
  const adapter = scriptedAdapter(() => {
    asked += 1;
    return { text: 'Hello.' };
  });
  const stream = streamAgent(defineAgent({ template: bareTemplate }), { adapter });
  await Promise.resolve();
  expect(asked).toBe(0);
  await stream.return();
  expect(asked).toBe(0);
});

it('waits for the one who takes the events', async () => {
  let turns = 0;
  const look = tool({
    name: 'look',
    description: 'Look.',
    inputSchema: z.object({}),
    execute: () => ToolResult.ok(null),
  });
  const template = promptTemplate({
    ns: 'agents',
    key: 'looking',
    sections: [section({ title: 'T', key: 't', template: 'Look.', tools: [look] })],
  });
  const adapter = scriptedAdapter(() => {
    turns += 1;
    return turns < 90 ? { toolCalls: [{ name: 'look', arguments: {} }] } : { text: 'Done.' };
  });
  const stream = streamAgent(defineAgent({ template }), { adapter });
  await stream.next();
  for (let round = 0; round < 2000; round += 1) await Promise.resolve();
  expect(turns).toBeLessThan(45);
  for await (const event of stream) void event;
  expect(turns).toBe(90);
});

it('ends the run when it is left, and lets go of the session', async () => {
  await using session = new Session();
  const agent = defineAgent({ template: bareTemplate });
  for await (const _event of streamAgent(agent, { adapter: scriptedAdapter([{ text: 'A.' }]), session }))
    break;
  const rest: unknown[] = [];
  for await (const event of streamAgent(agent, { adapter: scriptedAdapter([{ text: 'B.' }]), session }))
    rest.push(event);
  expect(rest.at(-1)).toMatchObject({ type: 'run-result', response: { text: 'B.' } });
});

it('ends with the signal of the caller', async () => {
  const controller = new AbortController();
  const stream = streamAgent(defineAgent({ template: bareTemplate }), {
    adapter: scriptedAdapter([{ text: 'A.' }]),
    signal: controller.signal,
  });
  await stream.next();
  controller.abort(new Error('enough'));
  await expect(
    (async () => {
      for await (const event of stream) void event;
    })(),
  ).rejects.toMatchObject({ code: 'evaluation-aborted' });
});

it('rejects when the stream of the adapter ends without a result', async () => {
  const model = scriptedAdapter([{ text: 'A.' }]);
  const cut: ProviderAdapter = {
    ...model,
    stream: (prompt, options) => {
      const stream = model.stream(prompt, options);
      const next = async () => {
        const taken = await stream.next();
        return taken.value?.type === 'run-result' ? ({ done: true, value: undefined } as const) : taken;
      };
      return Object.assign(Object.create(stream), { next, [Symbol.asyncIterator]: () => ({ next }) });
    },
  };
  const stream = streamAgent(defineAgent({ template: bareTemplate }), { adapter: cut });
  await expect(
    (async () => {
      for await (const event of stream) void event;
    })(),
  ).rejects.toThrow('The stream of "scripted model" ended without a result.');
});

import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAI as createOpenAIV3 } from 'ai-sdk-openai-v3';
import { expect, test } from 'vitest';
import { section, ToolResult, tool } from 'weakincentives';
import { aiSdk } from 'weakincentives/ai-sdk';
import { z } from 'zod';
import { functionCall } from '../../../support/openai-responses.ts';
import {
  answeringItems,
  type Item,
  listIn,
  type MakeAdapter,
  outputsIn,
  patchCall,
  typedPrompt,
} from '../../../support/typed-wires.ts';

const whole: Readonly<Record<string, MakeAdapter>> = {
  'AI SDK 7': (fetch) => inWhole(createOpenAI({ apiKey: 'k', fetch }).responses('gpt-5.4')),
  'AI SDK 6': (fetch) => inWhole(createOpenAIV3({ apiKey: 'k', fetch }).responses('gpt-5.4')),
};

/** Items go back as they are only where the provider stores none. */
const inWhole = (model: Parameters<typeof aiSdk>[0]['model']) =>
  aiSdk({ model, openedTools: 'tool-search', providerOptions: { openai: { store: false } } });

const search = (callId: string, key: string): Item => ({
  id: `ts_${key}`,
  type: 'tool_search_call',
  call_id: callId,
  status: 'completed',
  execution: 'client',
  arguments: { section_keys: [key], reason: 'Needed.' },
});

const hidden = ['disk', 'mail'].map((key) =>
  section({
    title: key,
    key,
    template: `All of ${key}.`,
    summary: `Some of ${key}.`,
    visibility: 'summary',
    tools: [
      tool({
        name: `${key}_read`,
        description: 'Reads.',
        effects: 'read',
        execute: () => ToolResult.ok(null, ''),
      }),
    ],
  }),
);

// The package has the id of these calls in their input, too, and sends that one back.
test.each(Object.entries(whole))(
  '%s: calls with one id go back with the ids of their answers',
  async (_name, make) => {
    const { adapter, requests } = answeringItems(make, [
      patchCall('c', { type: 'create_file', path: 'a', diff: '+1' }, { id: 'ap_1' }),
      patchCall('c', { type: 'create_file', path: 'b', diff: '+1' }, { id: 'ap_2' }),
      search('c', 'disk'),
      search('c', 'mail'),
    ]);
    await adapter.evaluate(typedPrompt({ sections: hidden, typed: { openai: { applyPatch: true } } }), {
      input: 'Begin.',
    });
    const calls = listIn(requests[1], 'input').filter(({ type }) => String(type).endsWith('_call'));
    const ids = calls.map((call) => call['call_id']);
    expect(calls.map(({ type }) => type)).toEqual([
      'apply_patch_call',
      'apply_patch_call',
      'tool_search_call',
      'tool_search_call',
    ]);
    expect(new Set(ids).size).toBe(4);
    expect(ids[0]).toBe('c');
    expect(outputsIn(requests[1]).map((output) => output['call_id'])).toEqual(ids);
  },
);

test.each(Object.entries(whole))('%s: a tool of the prompt keeps its arguments', async (_name, make) => {
  const seen: unknown[] = [];
  const own = section({
    title: 'Own',
    key: 'own',
    template: 'Own.',
    tools: [
      tool({
        name: 'note',
        description: 'Notes.',
        inputSchema: z.strictObject({ callId: z.string() }),
        effects: 'read',
        execute: (input) => {
          seen.push(input);
          return ToolResult.ok(null, '');
        },
      }),
    ],
  });
  const note = (id: string): Item => functionCall('c', 'note', { callId: 'c' }, { id });
  const { adapter, requests } = answeringItems(make, [note('fc_1'), note('fc_2')]);
  await adapter.evaluate(typedPrompt({ sections: [own] }), { input: 'Begin.' });
  expect(seen).toEqual([{ callId: 'c' }, { callId: 'c' }]);
  expect(
    listIn(requests[1], 'input')
      .filter(({ type }) => type === 'function_call')
      .map((call) => call['arguments']),
  ).toEqual(['{"callId":"c"}', '{"callId":"c"}']);
});

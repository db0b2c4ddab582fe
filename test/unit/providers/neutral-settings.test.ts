import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createGroq } from '@ai-sdk/groq';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAI as createOpenAIOfV3 } from 'ai-sdk-openai-v3';
import { describe, expect, it } from 'vitest';
import {
  type EvaluateOptions,
  hostedTool,
  type JsonObject,
  type JsonValue,
  type ModelSettings,
  type ProviderAdapter,
  promptTemplate,
  type RunEvent,
  section,
  type ToolChoice,
  ToolResult,
  tool,
} from 'weakincentives';
import { aiSdk } from 'weakincentives/ai-sdk';
import { anthropic } from 'weakincentives/anthropic';
import { openai } from 'weakincentives/openai';
import { fallbackAdapter } from 'weakincentives/provider';
import { recordedAdapter, scriptedAdapter } from 'weakincentives/testing';
import { webSearchTool } from 'weakincentives/tools';
import { z } from 'zod';
import * as claude from '../../support/anthropic-messages.ts';
import { type CapturedAnswer, capturingFetch } from '../../support/captured-requests.ts';
import { evaluationFailure } from '../../support/failure.ts';
import * as responses from '../../support/openai-responses.ts';
import { promptOf } from '../../support/prompt-of.ts';
import { recordOf } from '../../support/replays.ts';

type Fetch = typeof fetch;
interface Vendor {
  readonly make: (fetch: Fetch, settings: ModelSettings, model?: string) => ProviderAdapter;
  readonly answer: CapturedAnswer;
  /** An answer that calls a tool. */
  readonly calling: (name: string) => CapturedAnswer;
}

const chat = (message: object): object => ({
  id: 'chat_1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  service_tier: 'flex',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});
const ofResponses = {
  answer: responses.response([responses.message('Done.')], { service_tier: 'flex' }),
  calling: (name: string) => responses.response([responses.functionCall('c1', name, {})]),
};
const ofMessages = {
  answer: claude.message([claude.text('Done.')]),
  calling: (name: string) => claude.message([claude.toolUse('c1', name, {})]),
};
const ofChat = {
  answer: chat({ content: 'Done.' }),
  calling: (name: string) =>
    chat({ tool_calls: [{ id: 'c1', type: 'function', function: { name, arguments: '{}' } }] }),
};
const gemini = (part: object): object => ({
  responseId: 'g1',
  candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2, serviceTier: 'flex' },
});

const vendors = {
  openai: {
    ...ofResponses,
    make: (fetch, settings, model = 'gpt-5.4') => openai({ model, apiKey: 'k', fetch, settings }),
  },
  anthropic: {
    ...ofMessages,
    make: (fetch, settings, model = 'claude-sonnet-5') => anthropic({ model, apiKey: 'k', fetch, settings }),
  },
  'openai.responses': {
    ...ofResponses,
    make: (fetch, settings, model = 'gpt-5.4') =>
      aiSdk({ model: createOpenAI({ apiKey: 'k', fetch }).responses(model), settings }),
  },
  'openai.responses of AI SDK 6': {
    ...ofResponses,
    make: (fetch, settings, model = 'gpt-5.4') =>
      aiSdk({ model: createOpenAIOfV3({ apiKey: 'k', fetch }).responses(model), settings }),
  },
  'openai.chat': {
    ...ofChat,
    make: (fetch, settings, model = 'gpt-4.1') =>
      aiSdk({ model: createOpenAI({ apiKey: 'k', fetch }).chat(model), settings }),
  },
  'anthropic.messages': {
    ...ofMessages,
    make: (fetch, settings, model = 'claude-sonnet-4-6') =>
      aiSdk({ model: createAnthropic({ apiKey: 'k', fetch })(model), settings }),
  },
  'google.generative-ai': {
    answer: gemini({ text: 'Done.' }),
    calling: (name) => gemini({ functionCall: { name, args: {} } }),
    make: (fetch, settings, model = 'gemini-3-flash') =>
      aiSdk({ model: createGoogleGenerativeAI({ apiKey: 'k', fetch })(model), settings }),
  },
  'groq.chat': {
    ...ofChat,
    make: (fetch, settings, model = 'm') =>
      aiSdk({ model: createGroq({ apiKey: 'k', fetch })(model), settings }),
  },
} satisfies Readonly<Record<string, Vendor>>;
type Name = keyof typeof vendors;
const all = Object.keys(vendors) as Name[]; // They are what was written there.
const vendorOf = (name: Name): Vendor => vendors[name];

const make = (name: string) =>
  tool({ name, description: 'Does it.', execute: () => ToolResult.ok(null, `Did ${name}.`) });
const prompt = promptOf({ tools: [make('a'), make('b')] });

interface Given {
  readonly adapter?: ModelSettings;
  readonly model?: string;
  readonly answers?: readonly CapturedAnswer[];
  readonly of?: typeof prompt;
}

async function sent(name: Name, options: EvaluateOptions, given: Given = {}) {
  const vendor = vendorOf(name);
  const { adapter = {}, model, answers = [vendor.answer], of = prompt } = given;
  const { fetch, requests } = capturingFetch(...answers);
  const events: RunEvent[] = [];
  const response = await vendor.make(fetch, adapter, model).evaluate(of, {
    input: 'Go',
    retry: false,
    observers: [{ onEvent: (event) => void events.push(event) }],
    ...options,
  });
  return { bodies: requests.map(({ body }) => body), events, response };
}

async function refusal(name: Name, options: EvaluateOptions, given: Given = {}) {
  const { fetch, requests } = capturingFetch(vendorOf(name).answer);
  const made = vendorOf(name).make(fetch, given.adapter ?? {}, given.model);
  const failure = await evaluationFailure(made.evaluate(given.of ?? prompt, { input: 'Go', ...options }));
  expect(failure.phase).toBe('render');
  expect(requests).toEqual([]);
  return failure.cause;
}

/** The value of a body at a path. */
function at(body: JsonValue | undefined, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
      body,
    );
}

/** The path in the body and its value; undefined: the setting is refused by its name. */
type Expected = readonly [path: string, value: unknown] | undefined;
const column = (value: Expected, names: readonly Name[]): Readonly<Record<string, Expected>> =>
  Object.fromEntries(names.map((name) => [name, value]));

const both6And7 = ['openai.responses', 'openai.responses of AI SDK 6'] as const;
const ofOpenAI = ['openai', ...both6And7] as const;
const ofAnthropic = ['anthropic', 'anthropic.messages'] as const;
const ofChats = ['openai.chat', 'groq.chat'] as const;

const table: readonly (readonly [ModelSettings, Readonly<Partial<Record<Name, Expected>>>])[] = [
  [
    { maxOutputTokens: 99 },
    {
      ...column(['max_output_tokens', 99], ofOpenAI),
      ...column(['max_tokens', 99], [...ofAnthropic, ...ofChats]),
      'google.generative-ai': ['generationConfig.maxOutputTokens', 99],
    },
  ],
  [
    { temperature: 0.5 },
    {
      openai: ['temperature', 0.5],
      ...column(['temperature', 0.5], ['anthropic.messages', ...ofChats]),
      'google.generative-ai': ['generationConfig.temperature', 0.5],
    },
  ],
  [
    { stopSequences: ['END'] },
    {
      ...column(['stop_sequences', ['END']], ofAnthropic),
      ...column(['stop', ['END']], ofChats),
      'google.generative-ai': ['generationConfig.stopSequences', ['END']],
    },
  ],
  [{ seed: 7 }, { ...column(['seed', 7], ofChats), 'google.generative-ai': ['generationConfig.seed', 7] }],
  [
    { reasoningEffort: 'low' },
    {
      ...column(['reasoning.effort', 'low'], ['openai', 'openai.responses']),
      ...column(['output_config.effort', 'low'], ofAnthropic),
      'google.generative-ai': ['generationConfig.thinkingConfig.thinkingLevel', 'low'],
    },
  ],
  [
    { parallelToolCalls: false },
    {
      ...column(['parallel_tool_calls', false], [...ofOpenAI, ...ofChats]),
      ...column(['tool_choice.disable_parallel_tool_use', true], ofAnthropic),
    },
  ],
  [
    { serviceTier: 'standard' },
    {
      ...column(['service_tier', 'default'], [...ofOpenAI, 'openai.chat']),
      ...column(['service_tier', 'standard_only'], ofAnthropic),
      'google.generative-ai': ['serviceTier', 'standard'],
    },
  ],
  [
    { serviceTier: 'flex' },
    {
      ...column(['service_tier', 'flex'], ofOpenAI),
      'google.generative-ai': ['serviceTier', 'flex'],
    },
  ],
  [
    { serviceTier: 'priority' },
    {
      ...column(['service_tier', 'priority'], [...ofOpenAI, 'openai.chat']),
      ...column(['service_tier', 'auto'], ofAnthropic),
      'google.generative-ai': ['serviceTier', 'priority'],
    },
  ],
];

/** What depends on the model: packages leave it out with a warning. */
const byModel = new Set(['temperature openai.responses', 'temperature openai.responses of AI SDK 6']);
byModel.add('reasoningEffort openai.chat').add('reasoningEffort groq.chat').add('"flex" openai.chat');

const rows = table.flatMap(([settings, expected]) =>
  all
    .map((name) => [settings, name, expected[name]] as const)
    .filter(([, name]) =>
      Object.entries(settings).every(
        ([key, value]) => !byModel.has(`${key} ${name}`) && !byModel.has(`${JSON.stringify(value)} ${name}`),
      ),
    ),
);

describe('a neutral setting', () => {
  it.each(rows.flatMap(([settings, name, to]) => (to === undefined ? [] : [[settings, name, to] as const])))(
    '%j goes to %s in its words',
    async (settings, name, [path, value]) => {
      const { bodies } = await sent(name, { settings });
      expect(at(bodies[0], path)).toEqual(value);
      const ofAdapter = await sent(name, {}, { adapter: settings });
      expect(at(ofAdapter.bodies[0], path)).toEqual(value);
    },
  );

  it.each(rows.flatMap(([settings, name, to]) => (to === undefined ? [[settings, name] as const] : [])))(
    '%j is refused by its name for %s, before any request',
    async (settings, name) => {
      const [setting = ''] = Object.keys(settings);
      expect(await refusal(name, { settings })).toMatchObject({
        message: expect.stringContaining(setting),
        details: { option: `settings.${setting}` },
      });
      expect(() => vendorOf(name).make(fetch, settings)).toThrow(setting);
    },
  );

  it.each<[Name, ModelSettings, string]>([
    ['openai', { parallelToolCalls: true, parallel_tool_calls: true }, 'parallelToolCalls'],
    ['openai', { serviceTier: 'flex', service_tier: 'flex' }, 'serviceTier'],
    ['anthropic', { maxOutputTokens: 9, max_tokens: 9 }, 'maxOutputTokens'],
    ['anthropic', { stopSequences: ['a'], stop_sequences: ['a'] }, 'stopSequences'],
    ['anthropic', { reasoningEffort: 'low', output_config: { effort: 'low' } }, 'reasoningEffort'],
    ['anthropic', { reasoningEffort: 'none', thinking: { type: 'adaptive' } }, 'reasoningEffort'],
    ['anthropic', { parallelToolCalls: false, disable_parallel_tool_use: true }, 'parallelToolCalls'],
    ['anthropic', { serviceTier: 'standard', service_tier: 'auto' }, 'serviceTier'],
    ...(
      [
        ['openai.responses', 'reasoningEffort', 'low', { openai: { reasoningEffort: 'low' } }],
        ['openai.responses', 'parallelToolCalls', false, { openai: { parallelToolCalls: false } }],
        ['openai.responses of AI SDK 6', 'serviceTier', 'flex', { openai: { serviceTier: 'flex' } }],
        ['anthropic.messages', 'parallelToolCalls', true, { anthropic: { disableParallelToolUse: true } }],
        ['anthropic.messages', 'reasoningEffort', 'low', { anthropic: { effort: 'low' } }],
        ['anthropic.messages', 'reasoningEffort', 'none', { anthropic: { thinking: { type: 'adaptive' } } }],
        [
          'google.generative-ai',
          'reasoningEffort',
          'low',
          { google: { thinkingConfig: { thinkingLevel: 'low' } } },
        ],
        ['google.generative-ai', 'serviceTier', 'flex', { google: { serviceTier: 'flex' } }],
      ] as const
    ).map(([name, setting, value, providerOptions]): [Name, ModelSettings, string] => [
      name,
      { [setting]: value, providerOptions },
      setting,
    ]),
  ])('is refused by %s in both forms at once: %j', async (name, settings, setting) => {
    const error = { details: { option: `settings.${setting}` }, message: expect.stringContaining('both') };
    expect(await refusal(name, { settings })).toMatchObject(error);
    expect(() => vendorOf(name).make(fetch, settings)).toThrow(/both/);
  });

  it.each<[Name, ModelSettings, ModelSettings, string, unknown]>([
    ['openai', { parallel_tool_calls: false }, { parallelToolCalls: true }, 'parallel_tool_calls', true],
    [
      'anthropic',
      { disable_parallel_tool_use: true },
      { parallelToolCalls: true },
      'tool_choice.disable_parallel_tool_use',
      undefined,
    ],
    [
      'openai.responses',
      { providerOptions: { openai: { serviceTier: 'flex', reasoningEffort: 'high' } } },
      { serviceTier: 'standard', reasoningEffort: 'low' },
      'service_tier',
      'default',
    ],
    [
      'openai.responses',
      { providerOptions: { openai: { reasoningEffort: 'high' } } },
      { reasoningEffort: 'low' },
      'reasoning.effort',
      'low',
    ],
    [
      'google.generative-ai',
      { providerOptions: { google: { thinkingConfig: { thinkingLevel: 'high' } } } },
      { reasoningEffort: 'low' },
      'generationConfig.thinkingConfig.thinkingLevel',
      'low',
    ],
    [
      'anthropic.messages',
      { parallelToolCalls: false },
      { providerOptions: { anthropic: { disableParallelToolUse: false } } },
      'tool_choice.disable_parallel_tool_use',
      false,
    ],
  ])(
    'of an evaluation goes over that of %s in the other form',
    async (name, adapter, settings, path, value) => {
      const { bodies } = await sent(name, { settings }, { adapter });
      expect(at(bodies[0], path)).toEqual(value);
    },
  );

  it('goes through fallbackAdapter() only where each model takes it', async () => {
    const { fetch, requests } = capturingFetch(vendors.openai.answer);
    const adapter = fallbackAdapter({
      adapters: [vendors.openai.make(fetch, {}), vendors.anthropic.make(fetch, {})],
    });
    await adapter.evaluate(prompt, { settings: { parallelToolCalls: false, serviceTier: 'priority' } });
    expect(requests[0]?.body).toMatchObject({ parallel_tool_calls: false, service_tier: 'priority' });
    const failure = await evaluationFailure(adapter.evaluate(prompt, { settings: { serviceTier: 'flex' } }));
    expect(failure.cause).toMatchObject({ details: { option: 'settings.serviceTier' } });
    expect(requests).toHaveLength(1);
  });
});

describe('the service tier of an answer', () => {
  it.each<[Name, string | undefined]>([
    ['openai', 'flex'],
    ['anthropic', 'standard'],
    ['openai.responses', 'flex'],
    ['openai.responses of AI SDK 6', 'flex'],
    ['anthropic.messages', 'standard'],
    ['google.generative-ai', 'flex'],
  ])('of %s is in the event of its end', async (name, tier) => {
    const { events } = await sent(name, {});
    const ends = events.flatMap((event) => (event.type === 'model-call-end' ? [event.serviceTier] : []));
    expect(ends).toEqual([tier]);
  });

  it('is in the record, and comes again from it', async () => {
    const { fetch } = capturingFetch(vendors.openai.answer);
    const record = await recordOf(vendors.openai.make(fetch, {}), prompt);
    expect(record.root.turns[0]?.response?.serviceTier).toBe('flex');
    const events: RunEvent[] = [];
    const onEvent = (event: RunEvent): void => void events.push(event);
    await recordedAdapter({ record }).evaluate(prompt, { observers: [{ onEvent }] });
    expect(events.find(({ type }) => type === 'model-call-end')).toMatchObject({ serviceTier: 'flex' });
  });

  it('is absent where the provider does not say', async () => {
    const events: RunEvent[] = [];
    const onEvent = (event: RunEvent): void => void events.push(event);
    await scriptedAdapter([{ text: 'done' }]).evaluate(prompt, { observers: [{ onEvent }] });
    expect(events.find(({ type }) => type === 'model-call-end')).not.toHaveProperty('serviceTier');
  });
});

const search = webSearchTool({ name: 'search' });
const withSearch = promptOf({ tools: [make('a'), make('b')], hostedTools: [search] });

describe('a choice of allowed tools', () => {
  const allowed = (mode: string, ...tools: readonly JsonObject[]) => ({ type: 'allowed_tools', mode, tools });
  const a = { type: 'function', name: 'a' };

  it.each(ofOpenAI)('goes to %s beside all tools', async (name) => {
    const answers = [vendorOf(name).calling('b'), vendorOf(name).answer];
    const toolChoice = { allowed: ['a'], required: true };
    const { bodies, response } = await sent(name, { toolChoice }, { answers });
    expect(bodies.map((body) => body['tool_choice'])).toEqual([allowed('required', a), allowed('auto', a)]);
    const tools = bodies.map((body) =>
      (body['tools'] as readonly { name: string }[]).map((each) => each.name),
    );
    expect(tools).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
    expect(response.conversation).toContainEqual(
      expect.objectContaining({ toolName: 'b', isError: true, text: expect.stringContaining('allowed: a.') }),
    );
  });

  it.each(all.filter((name) => !ofOpenAI.some((each) => each === name)))(
    'leaves a request to %s as it is, and a call of another tool fails',
    async (name) => {
      const answers = [vendorOf(name).calling('b'), vendorOf(name).answer];
      const { bodies, response } = await sent(name, { toolChoice: { allowed: ['a'] } }, { answers });
      const plain = await sent(name, {});
      for (const key of ['tools', 'tool_choice', 'toolConfig'])
        expect(bodies.map((body) => body[key])).toEqual([plain.bodies[0]?.[key], plain.bodies[0]?.[key]]);
      expect(response.conversation).toContainEqual(
        expect.objectContaining({
          toolName: 'b',
          isError: true,
          text: expect.stringContaining('allowed: a.'),
        }),
      );
    },
  );

  it.each(ofAnthropic)('requires some call of %s in the first turn', async (name) => {
    const answers = [vendorOf(name).calling('a'), vendorOf(name).answer];
    const toolChoice = { allowed: ['a'], required: true };
    const { bodies } = await sent(name, { toolChoice }, { answers });
    expect(bodies.map((body) => at(body, 'tool_choice.type'))).toEqual(['any', 'auto']);
  });

  it.each(ofOpenAI)('names a hosted tool to %s by its type, and keeps it from others', async (name) => {
    const first = await sent(name, { toolChoice: { allowed: ['search', 'a'] } }, { of: withSearch });
    expect(first.bodies[0]?.['tool_choice']).toEqual(allowed('auto', { type: 'web_search' }, a));
    const second = await sent(name, { toolChoice: { allowed: ['a'] } }, { of: withSearch });
    expect(second.bodies[0]?.['tool_choice']).toEqual(allowed('auto', a));
  });

  it.each(ofAnthropic)('must allow the hosted tools of %s, which the run cannot refuse', async (name) => {
    expect(await refusal(name, { toolChoice: { allowed: ['a'] } }, { of: withSearch })).toMatchObject({
      message: expect.stringContaining('"search"'),
      details: { option: 'toolChoice', tool: 'search' },
    });
    const { bodies } = await sent(name, { toolChoice: { allowed: ['a', 'search'] } }, { of: withSearch });
    expect(at(bodies[0], 'tool_choice.type')).toBe('auto');
  });

  it('cannot have a hosted tool for which OpenAI has no name', async () => {
    const { fetch, requests } = capturingFetch(vendors.openai.answer);
    const look = hostedTool({ kind: 'look', name: 'look', description: 'Looks.', config: {} });
    const codec = {
      kind: 'look',
      serialize: () => ({ tools: [{ type: 'look' }] }),
      parseOutput: () => undefined,
    };
    const adapter = openai({ model: 'm', apiKey: 'k', fetch, hostedToolCodecs: { look: codec } });
    const of = promptOf({ tools: [make('a')], hostedTools: [look] });
    const failure = await evaluationFailure(adapter.evaluate(of, { toolChoice: { allowed: ['look'] } }));
    expect(failure.cause).toMatchObject({ details: { option: 'toolChoice', tool: 'look', kind: 'look' } });
    await adapter.evaluate(of, { toolChoice: { allowed: ['a'] } });
    expect(requests).toHaveLength(1);
  });

  it('is not given beside that of the package', async () => {
    const settings = { providerOptions: { openai: { allowedTools: { toolNames: ['b'] } } } };
    const choice = { settings, toolChoice: { allowed: ['a'] } };
    expect(await refusal('openai.responses', choice)).toMatchObject({ details: { option: 'toolChoice' } });
  });
});

describe('what a model refuses', () => {
  const forced: readonly ToolChoice[] = ['required', { tool: 'a' }, { allowed: ['a'], required: true }];
  const newest = ['claude-sonnet-5-5', 'claude-opus-5-5-20261001', 'claude-fable-5-1', 'claude-fable-5-2'];

  it.each(ofAnthropic.flatMap((name) => newest.map((model) => [name, model] as const)))(
    'is refused before the request of %s to %s',
    async (name, model) => {
      for (const toolChoice of forced) {
        expect(await refusal(name, { toolChoice }, { model })).toMatchObject({
          message: expect.stringContaining(model),
          details: { option: 'toolChoice', model },
        });
      }
      expect(await refusal(name, { settings: { reasoningEffort: 'none' } }, { model })).toMatchObject({
        details: { option: 'settings.reasoningEffort', model },
      });
      const { bodies } = await sent(name, { toolChoice: { allowed: ['a'] } }, { model });
      expect(at(bodies[0], 'tool_choice.type')).toBe('auto');
    },
  );

  it.each(ofAnthropic)('does not make structured answers of %s depend on a forced call', async (name) => {
    const task = section({ title: 'Task', key: 'task', template: 'Do it.', tools: [make('a')] });
    const output = z.object({ sum: z.number() });
    const of = promptTemplate({ ns: 'test', key: 'sum', sections: [task], output }).bind();
    const answers = [claude.message([claude.text('{"sum":3}')])];
    const vendor = vendorOf(name);
    const { fetch, requests } = capturingFetch(...answers);
    const response = await vendor.make(fetch, {}, 'claude-sonnet-5-5').evaluate(of, { input: 'Go' });
    expect(response.output).toEqual({ sum: 3 });
    expect(requests.map(({ body }) => at(body, 'tool_choice.type'))).toEqual(['auto']);
    expect(at(requests[0]?.body, 'output_config.format.type')).toBe('json_schema');
  });

  it.each(['claude-opus-5', 'claude-opus-5-20260801', 'claude-haiku-5-5'])(
    'is, of %s, thinking that is turned off beside an effort above high',
    async (model) => {
      const off = { type: 'disabled' };
      const own = { thinking: off, output_config: { effort: 'max' } };
      const expected = { message: expect.stringContaining('"max"'), details: { effort: 'max', model } };
      expect(await refusal('anthropic', { settings: own }, { model })).toMatchObject(expected);
      const effort = { adapter: { output_config: { effort: 'max' } }, model };
      expect(await refusal('anthropic', { settings: { reasoningEffort: 'none' } }, effort)).toMatchObject({
        details: { option: 'settings.reasoningEffort', effort: 'max' },
      });
      const providerOptions = { anthropic: { thinking: off, effort: 'max' } };
      expect(await refusal('anthropic.messages', { settings: { providerOptions } }, { model })).toMatchObject(
        {
          ...expected,
          details: { option: 'settings.providerOptions.anthropic.thinking' },
        },
      );
      const { bodies } = await sent('anthropic', { settings: { reasoningEffort: 'none' } }, { model });
      expect(bodies[0]?.['thinking']).toEqual(off);
    },
  );

  it('is, of models without adaptive thinking, a forced call beside an effort that becomes a budget', async () => {
    const choice = { toolChoice: 'required', settings: { reasoningEffort: 'low' } } as const;
    const model = 'claude-sonnet-4-5';
    expect(await refusal('anthropic.messages', choice, { model })).toMatchObject({
      details: { option: 'toolChoice' },
    });
    const { bodies } = await sent('anthropic.messages', choice, { model: 'claude-sonnet-4-6' });
    expect(at(bodies[0], 'tool_choice.type')).toBe('any');
  });

  it('is sampling, of some models', async () => {
    const settings = { temperature: 0 };
    expect(await refusal('anthropic.messages', { settings }, { model: 'claude-opus-5-5' })).toMatchObject({
      details: { option: 'settings.temperature' },
    });
  });

  it.each(['claude-opus-6', 'claude-opus-5-6', 'claude-sonnet-5', 'claude-opus-4-8', 'm'])(
    'is not known of %s, which is asked',
    async (model) => {
      const options = { toolChoice: 'required', settings: { reasoningEffort: 'none' } } as const;
      const { bodies } = await sent('anthropic', options, { model });
      expect(bodies[0]).toMatchObject({ tool_choice: { type: 'any' }, thinking: { type: 'disabled' } });
    },
  );
});

it('a request in the background is refused by each of its names', async () => {
  for (const settings of [{ background: true }, { background_options: { completion_window: '2h' } }]) {
    const [name = ''] = Object.keys(settings);
    expect(await refusal('openai', { settings })).toMatchObject({ details: { option: `settings.${name}` } });
  }
});

import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAI as createOpenAIv3 } from 'ai-sdk-openai-v3';
import { describe, expect, it } from 'vitest';
import {
  type ProviderAdapter,
  promptTemplate,
  type RunEvent,
  resumeRun,
  Session,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { type AiSdkOptions, aiSdk } from 'weakincentives/ai-sdk';
import { anthropic } from 'weakincentives/anthropic';
import { openai } from 'weakincentives/openai';
import { memoryJournal } from 'weakincentives/testing';
import { webSearchTool } from 'weakincentives/tools';
import { z } from 'zod';
import type { AnthropicModelOptions } from '../../../src/providers/anthropic/anthropic.ts';
import type { OpenAIModelOptions } from '../../../src/providers/openai/openai.ts';
import { answeringModel } from '../../support/ai-sdk-models.ts';
import { message as claudeMessage, text, toolUse } from '../../support/anthropic-messages.ts';
import { answering } from '../../support/anthropic-stream.ts';
import { type CapturedRequest, capturingFetch } from '../../support/captured-requests.ts';
import { functionCall, message, response } from '../../support/openai-responses.ts';
import { inEitherMode } from '../../support/openai-stream.ts';
import { promptOf } from '../../support/prompt-of.ts';

const look = tool({
  name: 'look',
  description: 'Looks at something.',
  inputSchema: z.object({ at: z.string() }),
  effects: 'read',
  execute: ({ at }) => ToolResult.ok(null, `Looked at ${at}.`),
});
const prompt = promptOf({ tools: [look] });
const instructed = (template: string) =>
  promptTemplate({
    ns: 'test',
    key: 'keys',
    sections: [section({ title: 'Task', key: 'task', template })],
  }).bind();

/** Answers of so many turns, with ids of their own. */
const openaiTurns = (turns: number, more: (turn: number) => object = () => ({})) =>
  Array.from({ length: turns }, (_, index) => {
    const turn = index + 1;
    const output = turn === turns ? message('Done.') : functionCall(`c${turn}`, 'look', { at: `x${turn}` });
    return inEitherMode(response([output], { id: `resp_${turn}`, model: 'gpt-6', ...more(turn) }));
  });
const claudeTurns = (turns: number, more: (turn: number) => object = () => ({})) =>
  Array.from({ length: turns }, (_, index) => {
    const turn = index + 1;
    const block = turn === turns ? text('Done.') : toolUse(`c${turn}`, 'look', { at: `x${turn}` });
    return answering(claudeMessage([block], { id: `msg_${turn}`, ...more(turn) }));
  });

interface Run {
  readonly turns?: number;
  readonly more?: (turn: number) => object;
  readonly settings?: object;
  readonly streaming?: boolean;
}

async function run(
  open: (fetch: typeof globalThis.fetch) => ProviderAdapter,
  answers: typeof openaiTurns,
  { turns = 1, more, settings = {}, streaming = false }: Run,
) {
  const { fetch, requests } = capturingFetch(...answers(turns, more));
  const events: RunEvent[] = [];
  const result = await open(fetch).evaluate(prompt, {
    input: 'Go',
    settings: settings as never,
    streaming,
    observers: [{ onEvent: (event) => void events.push(event) }],
  });
  const caches = events.flatMap((event) => (event.type === 'model-call-end' ? [event.cache] : []));
  return { result, requests, bodies: requests.map(({ body }) => body), caches };
}

const native = (options: Partial<OpenAIModelOptions>, how: Run = {}) =>
  run((fetch) => openai({ model: 'gpt-6', apiKey: 'key', fetch, ...options }), openaiTurns, how);
const packages = { 'AI SDK 7': createOpenAI, 'AI SDK 6': createOpenAIv3 } as const;
const throughSdk =
  (name: keyof typeof packages) =>
  (options: Partial<AiSdkOptions>, how: Run = {}) =>
    run(
      (fetch) => aiSdk({ model: packages[name]({ apiKey: 'key', fetch }).responses('gpt-6'), ...options }),
      openaiTurns,
      how,
    );
const claude = (options: Partial<AnthropicModelOptions>, how: Run = {}) =>
  run((fetch) => anthropic({ model: 'm', apiKey: 'key', fetch, ...options }), claudeTurns, how);
const claudeSdk = (options: Partial<AiSdkOptions>, how: Run = {}) =>
  run(
    (fetch) => aiSdk({ model: createAnthropic({ apiKey: 'key', fetch })('claude-sonnet-4-5'), ...options }),
    claudeTurns,
    how,
  );

const cacheOf = ({ prompt_cache_key: key, prompt_cache_options: options }: CapturedRequest['body'] = {}) => ({
  key,
  options,
});
const mark = { mode: 'explicit', ttl: '12h' };
const breakpoint = /,"prompt_cache_breakpoint":\{[^}]*\}/g;
const marksOf = (body: unknown): number => JSON.stringify(body).match(breakpoint)?.length ?? 0;
const controlsOf = (body: unknown): readonly unknown[] =>
  [...JSON.stringify(body).matchAll(/"cache_control":(\{[^}]*\})/g)].map(([, control]) =>
    JSON.parse(String(control)),
  );

describe.each([
  ['openai()', native],
  ['aiSdk() with AI SDK 7', throughSdk('AI SDK 7')],
  ['aiSdk() with AI SDK 6', throughSdk('AI SDK 6')],
])('the cache of OpenAI, told by %s', (_name, ask) => {
  it('is told nothing unless it is asked for', async () => {
    for (const promptCaching of [undefined, true, {}] as const) {
      const { bodies } = await ask(promptCaching === undefined ? {} : { promptCaching }, { turns: 2 });
      expect(JSON.stringify(bodies)).not.toContain('prompt_cache');
    }
  });

  it('has a key and a lifetime', async () => {
    const { bodies } = await ask({ promptCaching: { key: 'support', ttl: '12h' } }, { turns: 2 });
    expect(bodies.map(cacheOf)).toEqual(Array(2).fill({ key: 'support', options: { ttl: '12h' } }));
    expect(bodies.map(marksOf)).toEqual([0, 0]);
    const { bodies: keyed } = await ask({ promptCaching: { key: 'support' } });
    expect(keyed.map(cacheOf)).toEqual([{ key: 'support', options: undefined }]);
  });

  it('is off without a mark', async () => {
    const { bodies } = await ask({ promptCaching: false }, { turns: 2 });
    expect(bodies.map(cacheOf)).toEqual(Array(2).fill({ key: undefined, options: { mode: 'explicit' } }));
    expect(bodies.map(marksOf)).toEqual([0, 0]);
  });

  it('has marks where the two requests before ended, with a lifetime of their own', async () => {
    const { bodies } = await ask({ promptCaching: { conversation: '12h' } }, { turns: 4 });
    expect(bodies.map(marksOf)).toEqual([0, 1, 2, 2]);
    expect(bodies.map(cacheOf)).toEqual(Array(4).fill({ key: undefined, options: undefined }));
    // The package sends the instructions as a first message.
    const [, second, third] = bodies.map(({ input }) =>
      (input as readonly { readonly role?: string }[]).filter(({ role }) => role !== 'developer'),
    );
    expect(second).toMatchObject([
      { role: 'user', content: [{ type: 'input_text', text: 'Go', prompt_cache_breakpoint: mark }] },
      {},
      { type: 'function_call_output', output: [{ type: 'input_text', text: 'Looked at x1.' }] },
    ]);
    expect(third).toMatchObject([
      { content: [{ prompt_cache_breakpoint: mark }] },
      {},
      { output: [{ text: 'Looked at x1.', prompt_cache_breakpoint: mark }] },
      {},
      { output: [{ text: 'Looked at x2.' }] },
    ]);
  });

  it('finds every request at the beginning of the next one, whatever is marked', async () => {
    const { bodies } = await ask({ promptCaching: { conversation: '12h' } }, { turns: 5 });
    const inputs = bodies.map(({ input }) => JSON.stringify(input).replace(breakpoint, '').slice(0, -1));
    for (const [index, input] of inputs.entries()) {
      expect(input.startsWith(inputs[index - 1] ?? '')).toBe(true);
    }
  });

  it.each([1, 2, 20])('has at most 4 breakpoints with %i turns', async (turns) => {
    const { bodies } = await ask({ promptCaching: { conversation: '12h' } }, { turns });
    expect(bodies).toHaveLength(turns);
    expect(Math.max(...bodies.map(marksOf))).toBe(Math.min(turns - 1, 2));
  });

  it('needs no mark with the lifetime that the end of the conversation has', async () => {
    for (const promptCaching of [{ conversation: '30m' }, { ttl: '12h', conversation: '12h' }] as const) {
      expect((await ask({ promptCaching }, { turns: 3 })).bodies.map(marksOf)).toEqual([0, 0, 0]);
    }
    await expect(ask({ promptCaching: { ttl: '12h', conversation: '30m' } })).rejects.toThrow(
      /promptCaching\.conversation cannot be shorter than ttl/,
    );
  });

  it.each([false, true])('says why it was missed, streamed: %s', async (streaming) => {
    const said = [
      undefined,
      { type: 'cache_hit' },
      { type: 'cache_miss', reason: 'tools_changed', cache_missed_tokens: 900 },
      { type: 'comparison_response_not_found' },
    ];
    const more = (turn: number): object =>
      said[turn - 1] === undefined ? {} : { prompt_cache_diagnostics: said[turn - 1] };
    const { bodies, caches, result } = await ask(
      { promptCaching: { diagnose: true } },
      { turns: 4, more, streaming },
    );
    expect(bodies.map(cacheOf).map(({ options }) => options)).toEqual([
      undefined,
      { comparison_response_id: 'resp_1' },
      { comparison_response_id: 'resp_2' },
      { comparison_response_id: 'resp_3' },
    ]);
    expect(caches).toEqual([
      undefined,
      { hit: true },
      { hit: false, missed: 900, reason: 'tools_changed' },
      undefined,
    ]);
    expect(JSON.stringify(result.conversation)).toContain('"responseId":"resp_4"');
  });

  it('is told nothing by settings that would turn it, or the answer, off', async () => {
    for (const [mode, expected] of [
      [{ mode: 'explicit' }, /mode 'explicit' turns the cache off.*promptCaching: false/],
      [{ prewarm: true }, /prewarm asks for no answer/],
    ] as const) {
      const settings =
        ask === native
          ? { prompt_cache_options: mode }
          : { providerOptions: { openai: { promptCacheOptions: mode } } };
      await expect(ask({}, { settings })).rejects.toMatchObject({
        phase: 'render',
        cause: { message: expect.stringMatching(expected) },
      });
      await expect(ask({ settings })).rejects.toThrow(expected);
    }
  });

  it.each([
    ['prompt_cache_key', 'promptCacheKey', 'a'],
    ['prompt_cache_options', 'promptCacheOptions', { ttl: '12h' }],
    ['prompt_cache_retention', 'promptCacheRetention', '24h'],
  ])('is told by the option or by %s, not by both', async (wire, own, value) => {
    const settings = ask === native ? { [wire]: value } : { providerOptions: { openai: { [own]: value } } };
    const named = ask === native ? wire : own;
    const both = new RegExp(`option promptCaching and .*${named}\\. Keep one`);
    for (const promptCaching of [{ key: true }, false] as const) {
      await expect(ask({ promptCaching }, { settings })).rejects.toMatchObject({
        phase: 'render',
        cause: { message: expect.stringMatching(both) },
      });
      await expect(ask({ promptCaching, settings })).rejects.toThrow(both);
    }
    // The package leaves it out for this model, with a warning.
    const isSent = ask === native || wire !== 'prompt_cache_retention';
    const { bodies } = await ask({ promptCaching: true }, { settings });
    expect(Object.hasOwn(bodies[0] ?? {}, wire)).toBe(isSent);
  });

  it.each([
    [{ key: '' }, /promptCaching\.key must be a non-empty string, or true/],
    [{ key: false }, /promptCaching\.key must be/],
    [{ ttl: '1h' }, /promptCaching\.ttl must be '30m' or '12h'/],
    [{ lifetime: '12h' }, /no option "promptCaching\.lifetime"/],
    ['12h', /promptCaching must be true, false or an object/],
  ])('cannot be told %j', async (promptCaching, expected) => {
    await expect(ask({ promptCaching: promptCaching as never })).rejects.toThrow(expected);
  });
});

describe('the key of the cache of OpenAI', () => {
  it('may be made of the instructions: the same for the same, another for others', async () => {
    const keyOf = async (template: string): Promise<unknown> => {
      const { fetch, requests } = capturingFetch(...openaiTurns(1));
      const adapter = openai({ model: 'gpt-4o', apiKey: 'key', fetch, promptCaching: { key: true } });
      await adapter.evaluate(instructed(template), { input: 'Go' });
      return requests[0]?.body['prompt_cache_key'];
    };
    const key = await keyOf('Do it.');
    expect(key).toMatch(/^weakincentives-[0-9a-f-]{1,40}$/);
    expect(await keyOf('Do it.')).toBe(key);
    expect(await keyOf('Do that.')).not.toBe(key);
  });

  it('has no option of its own any more', () => {
    expect(() => openai({ model: 'm', promptCacheKey: true } as never)).toThrow(
      /no option "promptCacheKey"; use promptCaching\.key/,
    );
  });
});

describe('models that take no options of the cache', () => {
  const older = [
    'gpt-4o',
    'gpt-4.1-mini',
    'o3',
    'o4-mini',
    'gpt-5',
    'gpt-5-mini',
    'gpt-5.1',
    'gpt-5.5-pro',
    'ft:gpt-4o:a',
  ];

  it.each(older)('are known by their names: %s', (model) => {
    for (const [promptCaching, part] of [
      [{ ttl: '12h' }, '.ttl cannot be set'],
      [{ conversation: '12h' }, '.conversation cannot be set'],
      [{ diagnose: true }, '.diagnose cannot be set'],
      [false, ' cannot be false'],
    ] as const) {
      expect(() => openai({ model, promptCaching })).toThrow(
        `openai(): promptCaching${part}: ${model} takes no options`,
      );
    }
    expect(() => openai({ model, promptCaching: { key: true } })).not.toThrow();
  });

  it.each(['gpt-5.6', 'gpt-5.6-mini', 'gpt-5.10', 'gpt-6', 'gpt-50', 'my-deployment'])(
    'are not %s',
    (model) => {
      expect(() => openai({ model, promptCaching: { ttl: '12h' } })).not.toThrow();
    },
  );
});

describe.each([
  ['anthropic()', claude],
  ['aiSdk()', claudeSdk],
])('the cache of Claude, told by %s', (_name, ask) => {
  it('keeps tools and instructions longer than the conversation', async () => {
    const { bodies } = await ask({ promptCaching: { ttl: '1h', conversation: '5m' } }, { turns: 3 });
    for (const { tools, system, messages } of bodies) {
      expect(controlsOf([tools, system])).toEqual(Array(2).fill({ type: 'ephemeral', ttl: '1h' }));
      expect(new Set(controlsOf(messages).map((control) => JSON.stringify(control)))).toEqual(
        new Set(['{"type":"ephemeral","ttl":"5m"}']),
      );
    }
  });

  it.each([1, 2, 20])('has at most 4 marks with %i turns', async (turns) => {
    const { bodies } = await ask({}, { turns });
    expect(bodies.map((body) => controlsOf(body).length)).toEqual(
      bodies.map((_, index) => (index === 0 ? 3 : 4)),
    );
  });

  it('is the same with true, and has no marks with false', async () => {
    const [plain, on, off] = await Promise.all([
      ask({}),
      ask({ promptCaching: true }),
      ask({ promptCaching: false }),
    ]);
    expect(on.bodies).toEqual(plain.bodies);
    expect(controlsOf(off.bodies)).toEqual([]);
  });

  it.each([
    [
      { conversation: '1h' },
      /promptCaching\.conversation cannot be longer than ttl.*\{ ttl: '1h', conversation: '5m' \}/,
    ],
    [{ ttl: '5m', conversation: '1h' }, /promptCaching\.conversation cannot be longer than ttl/],
    [{ ttl: '12h' }, /promptCaching\.ttl must be '5m' or '1h'/],
    [{ key: 'a' }, /promptCaching\.key cannot be set: Claude finds/],
  ])('cannot be told %j', async (promptCaching, expected) => {
    await expect(ask({ promptCaching: promptCaching as never })).rejects.toThrow(expected);
  });
});

describe('the diagnosis of Claude', () => {
  it.each([false, true])('says why the cache was missed, streamed: %s', async (streaming) => {
    const said = [
      null,
      null,
      { cache_miss_reason: { type: 'system_changed', cache_missed_input_tokens: 700 } },
      { cache_miss_reason: null },
      { cache_miss_reason: { type: 'previous_message_not_found' } },
      { cache_miss_reason: { type: 'unavailable' } },
    ];
    const more = (turn: number): object => ({ diagnostics: said[turn - 1] });
    const options = { promptCaching: { diagnose: true }, betas: ['a'] } as const;
    const { bodies, caches, requests } = await claude(options, { turns: 6, more, streaming });
    expect(bodies.map(({ diagnostics }) => diagnostics)).toEqual(
      [null, 'msg_1', 'msg_2', 'msg_3', 'msg_4', 'msg_5'].map((id) => ({ previous_message_id: id })),
    );
    expect(requests[0]?.headers.get('anthropic-beta')).toBe('a,cache-diagnosis-2026-04-07');
    expect(caches).toEqual([
      undefined,
      { hit: true },
      { hit: false, missed: 700, reason: 'system_changed' },
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('is not asked for by itself, and nothing is said then', async () => {
    const { bodies, caches, requests, result } = await claude({}, { turns: 2 });
    expect(JSON.stringify(bodies)).not.toContain('diagnostics');
    expect(requests[0]?.headers.get('anthropic-beta')).toBeNull();
    expect(caches).toEqual([undefined, undefined]);
    expect(JSON.stringify(result.conversation)).not.toContain('responseId');
  });

  it('is refused where the package does not ask for it', async () => {
    await expect(claudeSdk({ promptCaching: { diagnose: true } })).rejects.toThrow(
      /promptCaching\.diagnose cannot be set: packages for Claude do not ask for it; anthropic\(\) does/,
    );
  });
});

describe('models of the AI SDK whose caches cannot be told', () => {
  it.each([
    [{ key: 'a' }, 'promptCaching.key cannot be set'],
    [{ ttl: '1h' }, 'promptCaching.ttl cannot be set'],
    [{ conversation: '5m' }, 'promptCaching.conversation cannot be set'],
    [{ diagnose: true }, 'promptCaching.diagnose cannot be set'],
    [false, 'promptCaching cannot be false'],
  ] as const)('refuse %j by name', (promptCaching, expected) => {
    const { model } = answeringModel('v4', [], 'google.generative-ai');
    expect(() => aiSdk({ model, promptCaching })).toThrow(
      `aiSdk(): ${expected}: models of "google.generative-ai"`,
    );
    expect(() => aiSdk({ model, promptCaching: true })).not.toThrow();
  });

  it('take what Chat Completions of OpenAI have', async () => {
    const model = createOpenAI({ apiKey: 'key' }).chat('gpt-6');
    for (const promptCaching of [{ key: 'a' }, { ttl: '30m' }, false] as const) {
      expect(() => aiSdk({ model, promptCaching })).not.toThrow();
    }
    expect(() => aiSdk({ model, promptCaching: { ttl: '12h' } })).toThrow(/promptCaching\.ttl must be '30m'/);
    expect(() => aiSdk({ model, promptCaching: { conversation: '12h' } })).toThrow(
      /Chat Completions have no marks/,
    );
  });
});

describe('a comparison with the answer before', () => {
  it.each([
    [
      'openai()',
      'resp',
      (fetch: typeof globalThis.fetch) =>
        openai({ model: 'gpt-6', apiKey: 'key', fetch, promptCaching: { diagnose: true } }),
      openaiTurns,
    ],
    [
      'anthropic()',
      'msg',
      (fetch: typeof globalThis.fetch) =>
        anthropic({ model: 'm', apiKey: 'key', fetch, promptCaching: { diagnose: true } }),
      claudeTurns,
    ],
    [
      'aiSdk()',
      'resp',
      (fetch: typeof globalThis.fetch) =>
        aiSdk({
          model: createOpenAI({ apiKey: 'key', fetch }).responses('gpt-6'),
          promptCaching: { diagnose: true },
        }),
      openaiTurns,
    ],
  ] as const)('is there when a run is resumed: %s', async (_name, id, open, turns) => {
    const said = (turn: number): object =>
      turn < 2
        ? {}
        : {
            prompt_cache_diagnostics: { type: 'cache_miss', reason: 'input_changed', cache_missed_tokens: 5 },
            diagnostics: { cache_miss_reason: { type: 'messages_changed', cache_missed_input_tokens: 5 } },
          };
    const answers = turns(4, said);
    const whole = capturingFetch(...answers);
    await open(whole.fetch).evaluate(prompt, { input: 'Go', session: new Session({ id: 'session' }) });
    const journal = memoryJournal();
    const ending = new AbortController();
    const dying = open(capturingFetch(...answers).fetch).evaluate(prompt, {
      input: 'Go',
      journal,
      runId: 'run',
      session: new Session({ id: 'session' }),
      signal: ending.signal,
      observers: [
        { onEvent: (event) => void (event.type === 'turn-end' && event.turn === 2 && ending.abort()) },
      ],
    });
    await expect(dying).rejects.toMatchObject({ code: 'evaluation-aborted' });
    const living = capturingFetch(...answers.slice(2));
    await resumeRun({ journal, runId: 'run', adapter: open(living.fetch), prompt });
    expect(living.requests.map(({ text: body }) => body)).toEqual(
      whole.requests.slice(2).map(({ text: body }) => body),
    );
    expect(living.requests[0]?.text).toContain(`"${id}_2"`);
    const rows = (await journal.read('run')).map(({ line }): object => JSON.parse(line));
    expect(rows.filter((row) => Reflect.get(row, 'type') === 'response')).toMatchObject([
      { raw: { responseId: `${id}_1` } },
      { raw: { responseId: `${id}_2` }, cache: { hit: false, missed: 5 } },
      { raw: { responseId: `${id}_3` }, cache: { hit: false, missed: 5 } },
      { raw: { responseId: `${id}_4` }, cache: { hit: false, missed: 5 } },
    ]);
  });
});

describe('the marks of a prompt with a section that opens', () => {
  const opening = promptTemplate({
    ns: 'test',
    key: 'opens',
    sections: [
      section({ title: 'Task', key: 'task', template: 'Do it.', tools: [look] }),
      section({ title: 'Web', key: 'web', template: 'Search.', hostedTools: [webSearchTool()] }),
      section({
        title: 'Disk',
        key: 'disk',
        template: 'The disk.',
        summary: 'A disk.',
        visibility: 'summary',
        tools: [
          tool({
            name: 'disk_read',
            description: 'Reads.',
            effects: 'read',
            execute: () => ToolResult.ok(null, 'Read.'),
          }),
        ],
      }),
    ],
  }).bind();
  const answers = [
    claudeMessage([toolUse('o', 'open_sections', { section_keys: ['disk'], reason: 'To read it.' })]),
    claudeMessage([toolUse('r', 'disk_read', {})]),
    claudeMessage([text('Done.')]),
  ];
  interface Made {
    readonly fetch: typeof globalThis.fetch;
    readonly openedTools: 'append' | 'in-place';
  }
  const adapters = [
    ['anthropic()', (options: Made) => anthropic({ model: 'm', apiKey: 'key', ...options })],
    [
      'aiSdk()',
      ({ fetch, openedTools }: Made) =>
        aiSdk({ model: createAnthropic({ apiKey: 'key', fetch })('claude-sonnet-4-5'), openedTools }),
    ],
  ] as const;
  const wheres = ['in-place', 'append'] as const;

  it.each(
    adapters.flatMap(([name, make]) => wheres.map((openedTools) => [name, openedTools, make] as const)),
  )('are at most 4, and on no tool that is deferred: %s, %s', async (_name, openedTools, make) => {
    const { fetch, requests } = capturingFetch(...answers);
    const result = await make({ fetch, openedTools }).evaluate(opening, { input: 'Go' });
    expect(result.text).toBe('Done.');
    expect(requests.map(({ body }) => controlsOf(body).length)).toEqual([3, 4, 4]);
    for (const { body } of requests) {
      const tools = body['tools'] as readonly Readonly<Record<string, unknown>>[];
      expect(tools[0]).toMatchObject({ name: 'web_search' });
      const marked = tools.filter((one) => one['cache_control'] !== undefined);
      const last = tools.findLast((one) => one['defer_loading'] !== true);
      expect(marked).toEqual([last]);
    }
    const declared = requests.map(({ body }) => JSON.stringify(body['tools']).includes('disk_read'));
    expect(declared).toEqual(openedTools === 'in-place' ? [true, true, true] : [false, true, true]);
  });
});

it('leaves the tools to the mark of the instructions when the package marks no hosted ones', async () => {
  const only = promptTemplate({
    ns: 'test',
    key: 'hosted',
    sections: [section({ title: 'Task', key: 'task', template: 'Look.', hostedTools: [webSearchTool()] })],
  }).bind();
  const { fetch, requests } = capturingFetch(...claudeTurns(1));
  const model = createAnthropic({ apiKey: 'key', fetch })('claude-sonnet-4-5');
  await aiSdk({ model }).evaluate(only, { input: 'Go' });
  const [{ body } = {}] = requests;
  expect(controlsOf(body?.['tools'])).toEqual([]);
  expect(controlsOf(body?.['system'])).toEqual([{ type: 'ephemeral' }]);
});

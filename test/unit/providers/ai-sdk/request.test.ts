import { describe, expect, it } from 'vitest';
import {
  type AnyTool,
  type ConversationItem,
  type EvaluateOptions,
  type ModelSettings,
  PromptEvaluationError,
  promptTemplate,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { type AiSdkOptions, aiSdk } from 'weakincentives/ai-sdk';
import { z } from 'zod';
import type { AiSdkVersion } from '../../../../src/providers/ai-sdk/wire/call-options.ts';
import { answeringModel, call, type ModelAnswer, reasoning, text } from '../../../support/ai-sdk-models.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

const promptOf = (tools: readonly AnyTool[] = []) =>
  promptTemplate({
    ns: 'test',
    key: 'request',
    sections: [section({ title: 'Task', key: 'task', template: 'Do it.', tools })],
  }).bind();

const instructions = '## 1. Task (task)\n\nDo it.';

const add = tool({
  name: 'add',
  description: 'Add two numbers.',
  inputSchema: z.object({ left: z.number(), right: z.number() }),
  effects: 'read',
  execute: ({ left, right }) => ToolResult.ok(left + right, 'Added.'),
});

const done: ModelAnswer = { content: [text('Done.')] };

/** Runs a prompt on a model that answers from a list, and gives what it was asked. */
async function run(
  version: AiSdkVersion,
  answers: readonly ModelAnswer[],
  options: EvaluateOptions = {},
  { tools = [], ...adapter }: Partial<AiSdkOptions> & { readonly tools?: readonly AnyTool[] } = {},
) {
  const { model, calls } = answeringModel(version, answers);
  const result = await aiSdk({ model, ...adapter }).evaluate(promptOf(tools), options);
  return { result, calls };
}

describe.each(['v4', 'v3'] as const)('a call of a model of version %s', (version) => {
  it('holds the instructions and what the user said, and nothing else', async () => {
    const { calls } = await run(version, [done], { input: 'Hello' });
    expect(calls).toEqual([
      {
        prompt: [
          { role: 'system', content: instructions },
          { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
        ],
        abortSignal: expect.any(AbortSignal),
      },
    ]);
  });

  it('stands in for a user who said nothing', async () => {
    const { calls } = await run(version, [done]);
    expect(calls[0]?.prompt[1]).toEqual({ role: 'user', content: [{ type: 'text', text: 'Please begin.' }] });
  });

  const search = tool({
    name: 'search',
    description: 'Search.',
    inputSchema: z.object({ words: z.string().min(2), limit: z.number().optional() }),
    execute: () => ToolResult.ok(null),
  });
  const strictIn = (asked: { readonly tools?: readonly object[] } | undefined): readonly unknown[] =>
    (asked?.tools ?? []).map((one) => 'strict' in one && one.strict);

  it.each([
    ['somebody.chat', undefined, [add], [true]],
    ['somebody.chat', undefined, [add, search], [false, false]],
    ['somebody.chat', 'all-or-none', [search, add], [false, false]],
    ['somebody.chat', 'each', [add, search], [true, false]],
    ['somebody.chat', 'none', [add], [false]],
    ['deepseek.chat', undefined, [add], [false]],
    ['deepseek.chat', 'all-or-none', [add], [true]],
  ] as const)(
    'is strict about tools of %s as strictTools %j says',
    async (provider, strictTools, tools, strict) => {
      const { model, calls } = answeringModel(version, [done], provider);
      const option = strictTools === undefined ? {} : { strictTools };
      await aiSdk({ model, ...option }).evaluate(promptOf(tools));
      expect(strictIn(calls[0])).toEqual(strict);
    },
  );

  it('refuses a strictTools that is none of the three', () => {
    const { model } = answeringModel(version, [done]);
    // @ts-expect-error Not one of the three.
    expect(() => aiSdk({ model, strictTools: true })).toThrow(/strictTools must be .*; received true/);
  });

  it('is strict about all tools or none in each request by itself', async () => {
    const more = section({
      title: 'More',
      key: 'more',
      template: 'More.',
      summary: 'More tools.',
      visibility: 'summary',
      tools: [search],
    });
    const template = promptTemplate({
      ns: 'test',
      key: 'opened',
      sections: [section({ title: 'Base', key: 'base', template: 'Base.', tools: [add] }), more],
    });
    const { model, calls } = answeringModel(version, [
      { content: [call('c1', 'open_sections', { section_keys: ['more'], reason: 'Now.' })] },
      done,
    ]);
    await aiSdk({ model }).evaluate(template.bind());
    expect(calls.map(({ tools = [] }) => tools.length)).toEqual([2, 3]);
    expect(calls.map(({ tools = [] }) => new Set(strictIn({ tools })).size)).toEqual([1, 1]);
    expect(strictIn(calls.at(-1))).toContain(false);
  });

  it('holds each tool with its schema, strict where it can be, and what was chosen', async () => {
    const { calls } = await run(
      version,
      [done],
      { toolChoice: { tool: 'add' } },
      { tools: [add, search], strictTools: 'each' },
    );
    expect(calls[0]?.tools).toEqual([
      {
        type: 'function',
        name: 'add',
        description: 'Add two numbers.',
        strict: true,
        inputSchema: {
          type: 'object',
          properties: { left: { type: 'number' }, right: { type: 'number' } },
          required: ['left', 'right'],
          additionalProperties: false,
        },
      },
      {
        type: 'function',
        name: 'search',
        description: 'Search.',
        strict: false,
        inputSchema: {
          type: 'object',
          properties: { words: { type: 'string', minLength: 2 }, limit: { type: 'number' } },
          required: ['words'],
          additionalProperties: false,
        },
      },
    ]);
    expect(calls[0]?.toolChoice).toEqual({ type: 'tool', toolName: 'add' });
  });

  it('is strict about no more tools than every provider takes', async () => {
    const many = Array.from({ length: 22 }, (_, index) =>
      tool({
        name: `add-${index}`,
        description: 'Add.',
        execute: () => ToolResult.ok(null),
        inputSchema: z.object({ left: z.number(), right: z.number() }),
      }),
    );
    const { calls } = await run(version, [done], {}, { tools: many, strictTools: 'each' });
    const strict = strictIn(calls[0]);
    expect(strict.filter(Boolean)).toHaveLength(20);
    expect(strict.lastIndexOf(true)).toBe(19);
  });

  it('holds the settings under the names of the interface, those of the evaluation over those of the adapter', async () => {
    const { calls } = await run(
      version,
      [done],
      {
        settings: {
          temperature: 0.5,
          stopSequences: ['END'],
          presencePenalty: 0.1,
          providerOptions: { somebody: { mode: 'fast', user: 'u1' } },
          headers: { 'x-run': '1' },
        },
      },
      {
        settings: {
          maxOutputTokens: 100,
          temperature: 0.1,
          topP: 0.9,
          topK: 5,
          seed: 7,
          frequencyPenalty: 0.2,
        },
        providerOptions: { somebody: { mode: 'slow', tier: 'flex' }, another: { on: true } },
        headers: { 'x-run': '0', 'x-app': 'test' },
      },
    );
    expect(calls[0]).toMatchObject({
      maxOutputTokens: 100,
      temperature: 0.5,
      topP: 0.9,
      topK: 5,
      seed: 7,
      stopSequences: ['END'],
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      providerOptions: { somebody: { mode: 'fast', tier: 'flex', user: 'u1' }, another: { on: true } },
      headers: { 'x-run': '1', 'x-app': 'test' },
    });
  });

  it.each<[string, object]>([
    ['max_tokens', { max_tokens: 5 }],
    ['topK', { topK: 'many' }],
    ['providerOptions', { providerOptions: { openai: 'fast' } }],
    ['headers', { headers: { 'x-run': 1 } }],
    ['temperature', { temperature: 'hot' }],
  ])('is not made with a wrong setting %s', async (key, wrong) => {
    // Whoever sets it may be written without types.
    const settings = wrong as ModelSettings;
    const { model, calls } = answeringModel(version, [done]);
    const details = { option: `settings.${key}` };
    const failure = { code: 'evaluation-render-failed', cause: { details } };
    await expect(aiSdk({ model }).evaluate(promptOf(), { settings })).rejects.toMatchObject(failure);
    expect(calls).toEqual([]);
    expect(() => aiSdk({ model, settings })).toThrow(
      expect.objectContaining({ details: expect.objectContaining(details) }),
    );
  });

  it('gives back what the model said, with what its provider hung on it, and the results behind it', async () => {
    const first: ModelAnswer = {
      content: [
        reasoning('Hm.', { providerMetadata: { somebody: { signature: 's1' } } }),
        { type: 'source', sourceType: 'url', id: 'x', url: 'https://example.com' },
        text('Let me see.', { providerMetadata: { somebody: { itemId: 'i1' } } }),
        call('h1', 'hosted', { q: 1 }, { providerExecuted: true, dynamic: true }),
        { type: 'tool-result', toolCallId: 'h1', toolName: 'hosted', result: { found: [] } },
        {
          type: 'tool-result',
          toolCallId: 'h2',
          toolName: 'hosted',
          result: { errorCode: 'no' },
          isError: true,
        },
        call(
          'c1',
          'add',
          { left: 1, right: 2 },
          { providerMetadata: { somebody: { thoughtSignature: 't1' } } },
        ),
        call('c2', 'add', '{"left":'),
      ],
    };
    const { calls } = await run(version, [first, done], { input: 'Go' }, { tools: [add] });
    expect(calls[1]?.prompt.slice(2)).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm.', providerOptions: { somebody: { signature: 's1' } } },
          { type: 'text', text: 'Let me see.', providerOptions: { somebody: { itemId: 'i1' } } },
          {
            type: 'tool-call',
            toolCallId: 'h1',
            toolName: 'hosted',
            input: { q: 1 },
            providerExecuted: true,
          },
          {
            type: 'tool-result',
            toolCallId: 'h1',
            toolName: 'hosted',
            output: { type: 'json', value: { found: [] } },
          },
          {
            type: 'tool-result',
            toolCallId: 'h2',
            toolName: 'hosted',
            output: { type: 'error-json', value: { errorCode: 'no' } },
          },
          {
            type: 'tool-call',
            toolCallId: 'c1',
            toolName: 'add',
            input: { left: 1, right: 2 },
            providerOptions: { somebody: { thoughtSignature: 't1' } },
          },
          { type: 'tool-call', toolCallId: 'c2', toolName: 'add', input: {} },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'c1',
            toolName: 'add',
            output: { type: 'text', value: 'Added.\n\n3' },
          },
          {
            type: 'tool-result',
            toolCallId: 'c2',
            toolName: 'add',
            output: { type: 'error-text', value: expect.stringContaining('JSON') },
          },
        ],
      },
    ]);
  });

  it('tells what another model said from its text and its calls', async () => {
    const history: ConversationItem[] = [
      { type: 'user', content: [{ type: 'text', text: 'Sum?' }] },
      {
        type: 'assistant',
        content: [
          { type: 'reasoning', text: 'Secret.' },
          { type: 'text', text: 'Wait.' },
          { type: 'tool-call', callId: 'c1', name: 'add', arguments: '' },
          { type: 'approval-request', approvalId: 'a1', toolName: 'docs', name: 'read', arguments: '{}' },
        ],
        raw: { provider: 'another', items: [{ type: 'text', text: 'Not for others.' }] },
      },
      { type: 'tool-result', callId: 'c1', toolName: 'add', text: '3', isError: false },
      { type: 'approval', approvalId: 'a1', approved: true },
    ];
    const { calls } = await run(version, [done], { history });
    expect(calls[0]?.prompt.slice(2)).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Wait.' },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'add', input: {} },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'c1', toolName: 'add', output: { type: 'text', value: '3' } },
        ],
      },
    ]);
  });

  it('asks for a structured answer, without strictness where the schema has none', async () => {
    const { model, calls } = answeringModel(
      version,
      [{ content: [text('{"free":{"a":1}}')] }],
      'openai.chat',
    );
    const template = promptTemplate({
      ns: 'test',
      key: 'structured',
      sections: [section({ title: 'Task', key: 'task', template: 'Do it.' })],
      output: z.object({ free: z.record(z.string(), z.number()) }),
    });
    const { output } = await aiSdk({ model, providerOptions: { openai: { store: false } } }).evaluate(
      template.bind(),
    );
    expect(output).toEqual({ free: { a: 1 } });
    expect(calls[0]).toMatchObject({
      responseFormat: { type: 'json', name: 'answer', schema: { type: 'object', required: ['free'] } },
      providerOptions: { openai: { strictJsonSchema: false, store: false } },
    });
    expect(calls[0]?.prompt[0]?.content).not.toContain('JSON');
  });

  it('asks for it in words of a model that knows no schemas', async () => {
    const { model, calls } = answeringModel(version, [{ content: [text('[1, 2]')] }]);
    const template = promptTemplate({
      ns: 'test',
      key: 'told',
      sections: [section({ title: 'Task', key: 'task', template: 'Do it.' })],
      output: z.array(z.number()),
    });
    const { output } = await aiSdk({ model, takesOutputSchema: false }).evaluate(template.bind());
    expect(output).toEqual([1, 2]);
    expect(calls[0]?.responseFormat).toBeUndefined();
    expect(calls[0]?.prompt[0]?.content).toContain('JSON');
  });
});

describe('files', () => {
  const image = { type: 'image', mediaType: 'image/png', data: 'data:image/png;base64,AAAA' } as const;
  const page = {
    type: 'file',
    mediaType: 'application/pdf',
    data: 'https://example.com/a.pdf',
    name: 'a.pdf',
  } as const;
  const history: ConversationItem[] = [
    { type: 'user', content: [image, page] },
    { type: 'assistant', content: [{ type: 'tool-call', callId: 'c1', name: 'look', arguments: '{}' }] },
    {
      type: 'tool-result',
      callId: 'c1',
      toolName: 'look',
      text: 'Seen.',
      isError: false,
      attachments: [image, page],
    },
  ];

  it('go into a prompt of version 4', async () => {
    const { calls } = await run('v4', [done], { history });
    const url = new URL('https://example.com/a.pdf');
    const files = [
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } },
      { type: 'file', mediaType: 'application/pdf', filename: 'a.pdf', data: { type: 'url', url } },
    ];
    expect(calls[0]?.prompt[1]?.content).toEqual(files);
    expect(calls[0]?.prompt[3]?.content).toMatchObject([
      { output: { type: 'content', value: [{ type: 'text', text: 'Seen.' }, ...files] } },
    ]);
  });

  it('go into a prompt of version 3', async () => {
    const { calls } = await run('v3', [done], { history });
    expect(calls[0]?.prompt[1]?.content).toEqual([
      { type: 'file', mediaType: 'image/png', data: 'AAAA' },
      {
        type: 'file',
        mediaType: 'application/pdf',
        filename: 'a.pdf',
        data: new URL('https://example.com/a.pdf'),
      },
    ]);
    expect(calls[0]?.prompt[3]?.content).toMatchObject([
      {
        output: {
          type: 'content',
          value: [
            { type: 'text', text: 'Seen.' },
            { type: 'image-data', mediaType: 'image/png', data: 'AAAA' },
            { type: 'file-url', url: 'https://example.com/a.pdf' },
          ],
        },
      },
    ]);
  });

  it('that a model made are kept as plain JSON and go back as its version has them', async () => {
    const bytes = new Uint8Array([1, 2, 3]);
    const made = (data: unknown, type = 'file'): ModelAnswer => ({
      content: [
        { type, mediaType: 'image/png', data, providerMetadata: { somebody: { id: 'f1' } } },
        call('c1', 'add', { left: 1, right: 1 }),
      ],
    });
    const hung = { providerOptions: { somebody: { id: 'f1' } } };
    const cases = [
      [
        'v4',
        made({ type: 'data', data: bytes }),
        { type: 'data', data: 'AQID' },
        { type: 'data', data: 'AQID' },
      ],
      [
        'v4',
        made({ type: 'url', url: new URL('https://example.com/i') }, 'reasoning-file'),
        { type: 'url', url: 'https://example.com/i' },
        { type: 'url', url: new URL('https://example.com/i') },
      ],
      ['v3', made(bytes), { type: 'data', data: 'AQID' }, 'AQID'],
    ] as const;
    for (const [version, answer, kept, back] of cases) {
      const { calls, result } = await run(version, [answer, done], { input: 'Go' }, { tools: [add] });
      const item = result.conversation[1];
      const raw = item?.type === 'assistant' ? item.raw : undefined;
      expect(raw?.items[0]).toMatchObject({ data: kept });
      expect(JSON.parse(JSON.stringify(raw))).toEqual(raw);
      const type = answer.content[0]?.type;
      expect(calls[1]?.prompt[2]?.content).toContainEqual({
        type,
        mediaType: 'image/png',
        data: back,
        ...hung,
      });
    }
  });
});

describe('what only one version knows', () => {
  it('is how much a model thinks', async () => {
    const { calls } = await run('v4', [done], { settings: { reasoningEffort: 'high' } });
    expect(calls[0]).toMatchObject({ reasoning: 'high' });
    await expect(run('v3', [done], { settings: { reasoningEffort: 'high' } })).rejects.toMatchObject({
      code: 'evaluation-render-failed',
      cause: {
        details: { option: 'settings.reasoningEffort' },
        message: expect.stringContaining('providerOptions'),
      },
    });
  });

  it('is a part of its own kind', async () => {
    const custom = {
      type: 'custom',
      kind: 'somebody.compaction',
      providerMetadata: { somebody: { data: 'd1' } },
    };
    const { calls } = await run(
      'v4',
      [{ content: [custom, call('c1', 'add', { left: 1, right: 1 })] }, done],
      {},
      { tools: [add] },
    );
    expect(calls[1]?.prompt[2]?.content).toContainEqual({
      type: 'custom',
      kind: 'somebody.compaction',
      providerOptions: { somebody: { data: 'd1' } },
    });
  });
});

describe('the model', () => {
  it.each<[string, unknown, RegExp]>([
    ['the name of one', 'openai/gpt-5', /got the string "openai\/gpt-5"/],
    ['nothing', undefined, /got none/],
    ['one of AI SDK 5', { specificationVersion: 'v2', provider: 'p', modelId: 'm' }, /this one has "v2"/],
    ['no model', {}, /this one has none/],
    [
      'half of one',
      { specificationVersion: 'v4', provider: 'p', modelId: 'm', doGenerate: () => undefined },
      /doStream/,
    ],
  ])('cannot be %s', (_name, model, message) => {
    // Whoever calls it may be written without types.
    const options = { model } as AiSdkOptions;
    expect(() => aiSdk(options)).toThrow(
      expect.objectContaining({
        name: 'PromptValidationError',
        details: { option: 'model' },
        message: expect.stringMatching(message),
      }),
    );
  });

  it.each([
    ['timeoutMs', { timeoutMs: 0 }],
    ['unsupportedConfig', { unsupportedConfig: 'ignore' as 'warn' }],
  ])('cannot be had with a wrong %s', (option, options) => {
    const { model } = answeringModel('v4', [done]);
    expect(() => aiSdk({ model, ...options })).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ option }) }),
    );
  });

  it('goes by its provider and name, or by a name of your own', async () => {
    const { model } = answeringModel('v4', [new Error('No.')]);
    const message = async (name?: string): Promise<string> => {
      const adapter = aiSdk({ model, ...(name === undefined ? {} : { name }) });
      const error: unknown = await adapter.evaluate(promptOf()).catch((failure: unknown) => failure);
      return PromptEvaluationError.isInstance(error) ? error.message : '';
    };
    expect(await message()).toContain('"somebody.chat/model-1"');
    expect(await message('mine')).toContain('"mine"');
  });
});

describe('warnings', () => {
  const warning = { type: 'unsupported', feature: 'seed', details: 'This model has none.' };

  it('are logged once', async () => {
    const logger = recordingLogger();
    const answers = [
      { content: [call('c1', 'add', { left: 1, right: 1 })], warnings: [warning] },
      { ...done, warnings: [warning] },
    ];
    for (const streaming of [false, true]) {
      const { model } = answeringModel('v4', answers);
      await aiSdk({ model }).evaluate(promptOf([add]), { logger, streaming });
    }
    const lines = logger.lines.filter(({ message }) => message.includes('This model has none.'));
    expect(lines).toMatchObject([{ level: 'warn' }, { level: 'warn' }]);
  });

  it.each([
    'provider-defined tool somebody.search',
    'combination of function and provider-defined tools',
    'tools',
  ])('that a tool was left out end the run: %s', async (feature) => {
    for (const streaming of [false, true]) {
      const { model } = answeringModel('v4', [{ ...done, warnings: [{ type: 'unsupported', feature }] }]);
      await expect(aiSdk({ model }).evaluate(promptOf([add]), { streaming })).rejects.toMatchObject({
        phase: 'request',
        cause: { name: 'PromptValidationError', message: expect.stringContaining(feature) },
      });
    }
  });
});

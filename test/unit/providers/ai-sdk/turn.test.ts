import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  type AnyTool,
  type EvaluateOptions,
  hostedTool,
  type PromptEvaluationError,
  promptTemplate,
  type RunEvent,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { aiSdk, aiSdkHostedToolCodecs } from 'weakincentives/ai-sdk';
import { z } from 'zod';
import {
  answeringModel,
  call,
  type ModelAnswer,
  reasoning,
  streamOf,
  text,
} from '../../../support/ai-sdk-models.ts';

const add = tool({
  name: 'add',
  description: 'Add two numbers.',
  inputSchema: z.object({ left: z.number(), right: z.number() }),
  effects: 'read',
  execute: ({ left, right }) => ToolResult.ok(left + right, 'Added.'),
});

const promptOf = (tools: readonly AnyTool[] = [add]) =>
  promptTemplate({
    ns: 'test',
    key: 'turn',
    sections: [section({ title: 'Task', key: 'task', template: 'Do it.', tools })],
  }).bind();

/** What a run came to, the same in both modes. */
async function run(
  answers: readonly (ModelAnswer | Error)[],
  options: EvaluateOptions = {},
  provider?: string,
) {
  const outcomes = await Promise.all(
    (['v3', 'v4'] as const).flatMap((version) =>
      [false, true].map(async (streaming) => {
        const { model } = answeringModel(version, answers, provider);
        const adapter = aiSdk({ model, name: 'm' });
        return adapter.evaluate(promptOf(), { input: 'Go', retry: false, ...options, streaming }).then(
          ({ text: said, finishReason, usage, conversation }) => ({
            text: said,
            finishReason,
            usage,
            conversation,
          }),
          (error: unknown) => ({ error }),
        );
      }),
    ),
  );
  const [first, ...others] = outcomes;
  for (const other of others) {
    if (first !== undefined && 'error' in first) expect(other).toMatchObject({ error: first.error });
    else expect(other).toEqual(first);
  }
  return first;
}

/** The parts of the first turn of a run. */
async function firstTurn(content: ModelAnswer['content'], more: Partial<ModelAnswer> = {}) {
  const outcome = await run([{ content, ...more }, { content: [text('Done.')] }]);
  const item = outcome !== undefined && 'conversation' in outcome ? outcome.conversation[1] : undefined;
  return item?.type === 'assistant' ? { content: item.content, items: item.raw?.items } : undefined;
}

describe('a turn, the same in both modes and both versions', () => {
  it('has the texts, the reasoning, the calls and the tokens', async () => {
    const outcome = await run([
      { content: [reasoning('One and one.'), text('I add.'), call('c1', 'add', { left: 1, right: 1 })] },
      { content: [text('It is '), text('2.')] },
    ]);
    expect(outcome).toMatchObject({
      text: 'It is 2.',
      finishReason: 'stop',
      usage: {
        inputTokens: 200,
        outputTokens: 24,
        cachedInputTokens: 120,
        cacheWriteInputTokens: 20,
        reasoningTokens: 8,
      },
      conversation: [
        { type: 'user' },
        {
          type: 'assistant',
          content: [
            { type: 'reasoning', text: 'One and one.' },
            { type: 'text', text: 'I add.' },
            { type: 'tool-call', callId: 'c1', name: 'add', arguments: '{"left":1,"right":1}' },
          ],
          raw: { provider: 'm' },
        },
        { type: 'tool-result', callId: 'c1', text: 'Added.\n\n2' },
        { type: 'assistant' },
      ],
    });
  });

  it('leaves out counts that the provider does not tell', async () => {
    const none = { total: undefined };
    const outcome = await run([
      { content: [text('Hi.')], usage: { inputTokens: { total: 3 }, outputTokens: none } },
    ]);
    expect(outcome).toMatchObject({ usage: { inputTokens: 3 } });
    expect(outcome).not.toHaveProperty('usage.outputTokens');
  });

  it.each<[string, Partial<ModelAnswer>, string]>([
    ['stop', { unified: 'stop' }, 'stop'],
    ['tool-calls without calls', { unified: 'tool-calls' }, 'stop'],
    ['length', { unified: 'length', raw: 'max_tokens' }, 'length'],
    ['a full context', { unified: 'length', raw: 'model_context_window_exceeded' }, 'context-window'],
    ['a filter', { unified: 'content-filter', raw: 'SAFETY' }, 'content-filter'],
    ['a refusal', { unified: 'content-filter', raw: 'refusal' }, 'refusal'],
    ['something else', { unified: 'other', raw: 'of_tomorrow' }, 'other'],
  ])('ends with %s', async (_name, more, finishReason) => {
    expect(await run([{ content: [text('So.')], ...more }])).toMatchObject({ finishReason });
  });

  it('tells a refusal where the package tells it as filtered without a reason', async () => {
    const refused: ModelAnswer = { content: [text('I will not.')], unified: 'content-filter' };
    expect(await run([refused], {}, 'openai.responses')).toMatchObject({ finishReason: 'refusal' });
    expect(await run([refused], {}, 'google.generative-ai')).toMatchObject({
      finishReason: 'content-filter',
    });
  });

  it('continues where the provider paused, with what it said so far', async () => {
    const paused = { content: [text('Searching.')], unified: 'stop', raw: 'pause_turn' };
    const outcome = await run([paused, { content: [text('Found.')] }]);
    expect(outcome).toMatchObject({
      text: 'Searching.Found.',
      conversation: [{}, { type: 'assistant' }, { type: 'assistant' }],
    });
  });

  it('comes of a file that the model made, and of nothing else without a text', async () => {
    const file = { type: 'file', mediaType: 'image/png', data: 'AAAA' };
    const v4 = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } };
    for (const [version, part] of [
      ['v3', file],
      ['v4', v4],
    ] as const) {
      const { model } = answeringModel(version, [{ content: [part] }]);
      for (const streaming of [false, true]) {
        expect(await aiSdk({ model }).evaluate(promptOf(), { streaming })).toMatchObject({ text: '' });
      }
    }
    for (const content of [[], [reasoning('Hm.')], [text('')]]) {
      expect(await run([{ content }])).toMatchObject({
        error: { phase: 'response', cause: { code: 'model-response-empty' } },
      });
    }
  });

  it('does not come of an answer that ended in an error', async () => {
    expect(await run([{ content: [], unified: 'error', raw: 'MALFORMED_FUNCTION_CALL' }])).toMatchObject({
      error: {
        phase: 'response',
        cause: { code: 'model-response-failed', message: expect.stringContaining('MALFORMED_FUNCTION_CALL') },
      },
    });
    expect(await run([{ content: [], unified: 'interrupted' }])).toMatchObject({
      error: { cause: { name: 'ThrottleError', kind: 'server-error' } },
    });
  });

  it('has calls under ids of their own, in what is kept as well', async () => {
    const turn = await firstTurn([
      call('', 'add', { left: 1, right: 1 }),
      call('same', 'add', { left: 2, right: 2 }),
      call('same', 'add', { left: 3, right: 3 }),
    ]);
    const ids = turn?.content.map((part) => part.type === 'tool-call' && part.callId);
    expect(new Set(ids).size).toBe(3);
    expect(turn?.items).toMatchObject(ids?.map((toolCallId) => ({ toolCallId })) ?? []);
  });

  it.each(['{"left": 1, "ri', '{}'])(
    'is without a call that a filter cut off at %s, and without the reasoning that led to it',
    async (written) => {
      const turn = await firstTurn(
        [
          reasoning('First.'),
          call('c1', 'add', { left: 1, right: 1 }),
          reasoning('Second.'),
          call('c2', 'add', written),
        ],
        { unified: 'content-filter', raw: 'SAFETY' },
      );
      expect(turn?.content.map(({ type }) => type)).toEqual(['reasoning', 'tool-call']);
      // Another call followed it, so it came whole.
      expect(turn?.content[1]).toMatchObject({ callId: 'c1', isComplete: true });
      expect(turn?.items).toHaveLength(2);
    },
  );

  it('has a call that a stream began and the package left out when the length cut it off', async () => {
    const pieces = (unified: string) => [
      { type: 'stream-start', warnings: [] },
      { type: 'tool-input-start', id: 'h1', toolName: 'web_search', providerExecuted: true },
      { type: 'tool-input-start', id: 'c1', toolName: 'add' },
      { type: 'tool-input-delta', id: 'c1', delta: '{"left": 1, "ri' },
      { type: 'finish', finishReason: { unified, raw: unified }, usage: {} },
    ];
    const first = [pieces('length'), pieces('stop')];
    for (const [index, expected] of [['c1'], []].entries()) {
      const { model } = answeringModel('v4', [{ content: [text('Done.')] }]);
      let asked = 0;
      const { doStream } = model;
      Object.assign(model, {
        doStream: async (options: never) => {
          asked += 1;
          return asked === 1 ? { stream: streamOf(first[index] ?? []) } : doStream(options);
        },
      });
      const outcome = await aiSdk({ model })
        .evaluate(promptOf(), { streaming: true })
        .catch((error: PromptEvaluationError) => error);
      const answered = outcome.conversation.flatMap((item) =>
        item.type === 'tool-result' ? [item.callId] : [],
      );
      expect(answered).toEqual(expected);
    }
  });

  it('keeps what is empty for the provider, but does not tell it', async () => {
    const signed = reasoning('', { providerMetadata: { somebody: { redactedData: 'x' } } });
    const turn = await firstTurn([signed, text(''), call('c1', 'add', { left: 1, right: 1 })]);
    expect(turn?.content.map(({ type }) => type)).toEqual(['tool-call']);
    expect(turn?.items).toMatchObject([signed, { type: 'text', text: '' }, { type: 'tool-call' }]);
  });

  it('does not take what is said on the way to an answer for the answer', async () => {
    const phased = (value: string, phase: string) =>
      text(value, { providerMetadata: { openai: { itemId: 'm', phase } } });
    expect(
      await run([{ content: [phased('Let me think.', 'commentary'), phased('42.', 'final_answer')] }]),
    ).toMatchObject({ text: '42.' });
    expect(await run([{ content: [phased('Only this.', 'commentary')] }])).toMatchObject({
      text: 'Only this.',
    });
  });

  it('drops results that are not final yet', async () => {
    const result = (value: string, more: object = {}) => ({
      type: 'tool-result',
      toolCallId: 'h1',
      toolName: 'hosted',
      result: value,
      ...more,
    });
    const turn = await firstTurn([
      result('half', { preliminary: true }),
      result('whole'),
      call('c1', 'add', { left: 1, right: 1 }),
    ]);
    expect(turn?.items).toMatchObject([{ result: 'whole' }, { type: 'tool-call' }]);
  });

  it('cannot be made of what is no answer', async () => {
    for (const bad of [undefined, {}, { content: 'Hi.' }]) {
      const { model } = answeringModel('v4', []);
      Object.assign(model, { doGenerate: async () => bad });
      await expect(aiSdk({ model }).evaluate(promptOf())).rejects.toMatchObject({
        phase: 'response',
        cause: { code: 'model-response-invalid' },
      });
    }
    expect(
      await run([{ content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'add' }] }]),
    ).toMatchObject({
      error: { cause: { code: 'model-response-invalid' } },
    });
  });
});

describe('a structured answer', () => {
  const template = promptTemplate({
    ns: 'test',
    key: 'structured',
    sections: [section({ title: 'Task', key: 'task', template: 'Do it.' })],
    output: z.array(z.number()),
  });
  const outputOf = async (answer: ModelAnswer, streaming = false) => {
    const { model } = answeringModel('v4', [answer]);
    const { output, text: said } = await aiSdk({ model }).evaluate(template.bind(), { streaming });
    return { output, text: said };
  };

  it('comes back in its own shape, however many texts it is spread over', async () => {
    const content = [text('{"val'), text('ue":[1,'), reasoning('Hm.'), text('2]}')];
    for (const streaming of [false, true]) {
      expect(await outputOf({ content }, streaming)).toEqual({ output: [1, 2], text: '[1,2]' });
    }
  });

  it('is what the package says it is, when it says so', async () => {
    const content = [text('A draft: [9]'), text('{"value":[1]}')];
    expect(await outputOf({ content, structuredOutputText: '{"value":[1]}' })).toEqual({
      output: [1],
      text: '[1]',
    });
  });
});

describe('approval', () => {
  const docs = hostedTool({
    kind: 'mcp',
    name: 'docs',
    description: 'Documents.',
    config: { label: 'docs', url: 'https://example.com/mcp' },
  });
  const prompt = promptTemplate({
    ns: 'test',
    key: 'approval',
    sections: [section({ title: 'Task', key: 'task', template: 'Do it.', hostedTools: [docs] })],
  }).bind();
  const asking: ModelAnswer = {
    content: [
      call('d1', 'mcp.read', { path: 'a' }, { providerExecuted: true, dynamic: true }),
      { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'd1' },
    ],
  };
  const ran: ModelAnswer = {
    content: [
      call('d2', 'mcp.read', { path: 'a' }, { providerExecuted: true, dynamic: true }),
      {
        type: 'tool-result',
        toolCallId: 'd2',
        toolName: 'mcp.read',
        result: {
          type: 'call',
          serverLabel: 'docs',
          name: 'read',
          arguments: '{"path":"a"}',
          output: 'Text.',
        },
      },
      text('Read.'),
    ],
  };

  it.each([true, false])('is asked for, and answered with %s', async (approved) => {
    for (const streaming of [false, true]) {
      const { model, calls } = answeringModel('v4', [asking, ran], 'openai.responses');
      const asked: unknown[] = [];
      const { hostedOutputs } = await aiSdk({ model }).evaluate(prompt, {
        streaming,
        approve: async (request) => {
          asked.push(request.toolName, request.params);
          return approved ? { approved } : { approved, reason: 'Not now.' };
        },
      });
      expect(asked).toEqual(['docs', { name: 'read', arguments: { path: 'a' } }]);
      expect(calls[1]?.prompt.slice(2)).toEqual([
        {
          role: 'assistant',
          content: [
            {
              type: 'tool-call',
              toolCallId: 'd1',
              toolName: 'mcp.read',
              input: { path: 'a' },
              providerExecuted: true,
            },
          ],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-approval-response',
              approvalId: 'a1',
              approved,
              ...(approved ? {} : { reason: 'Not now.' }),
            },
          ],
        },
      ]);
      expect(hostedOutputs['docs']?.invocations).toEqual([
        {
          turn: 2,
          status: 'completed',
          invocationId: 'd2',
          server: 'docs',
          name: 'read',
          arguments: { path: 'a' },
          output: 'Text.',
        },
      ]);
    }
  });

  it('cannot be asked for a call that is not there', async () => {
    const [, request] = asking.content;
    if (request === undefined) throw new Error('There is a request.');
    const { model } = answeringModel('v4', [{ content: [request] }], 'openai.responses');
    await expect(aiSdk({ model }).evaluate(prompt)).rejects.toMatchObject({
      cause: { code: 'model-response-invalid' },
    });
  });
});

describe('a stream', () => {
  const finish = {
    type: 'finish',
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
  };
  const said = [
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'Hel' },
    { type: 'text-delta', id: '0', delta: 'lo.' },
  ];

  async function read(pieces: readonly unknown[], options: EvaluateOptions = {}) {
    const { model } = answeringModel('v4', []);
    Object.assign(model, { doStream: async () => ({ stream: streamOf(pieces) }) });
    return aiSdk({ model })
      .evaluate(promptOf([]), { retry: false, ...options, streaming: true })
      .then(
        (response) => ({ text: response.text, error: undefined }),
        (error: unknown) => ({ text: undefined, error }),
      );
  }

  it('is told piece by piece', async () => {
    const pieces: string[] = [];
    const onEvent = (event: RunEvent): void => {
      if (event.type === 'text-delta' || event.type === 'reasoning-delta')
        pieces.push(`${event.type} ${event.text}`);
    };
    const thought = [
      { type: 'reasoning-start', id: '0' },
      { type: 'reasoning-delta', id: '0', delta: 'Hm.' },
      { type: 'reasoning-end', id: '0' },
    ];
    const { text: whole } = await read(
      [...thought, ...said, { type: 'ping' }, { type: 'raw', rawValue: 1 }, finish],
      { observers: [{ onEvent }] },
    );
    expect(whole).toBe('Hello.');
    expect(pieces).toEqual(['reasoning-delta Hm.', 'text-delta Hel', 'text-delta lo.']);
  });

  it.each<[string, readonly unknown[]]>([
    ['without a finish', said],
    [
      'with a finish that knows nothing',
      [...said, { ...finish, finishReason: { unified: 'other' }, usage: {} }],
    ],
    ['interrupted', [...said, { ...finish, finishReason: { unified: 'interrupted' } }]],
    ['with a failure that may pass', [...said, { type: 'error', error: 'Something broke.' }, finish]],
    ['with a failure of the server', [{ type: 'error', error: { message: 'Busy.', statusCode: 529 } }]],
    ['with broken JSON', [...said, { type: 'error', error: new SyntaxError('Unexpected end.') }, finish]],
    [
      'with the provider’s own frame',
      [{ type: 'error', error: { type: 'error', error: { type: 'overloaded_error', message: 'Busy.' } } }],
    ],
  ])('that ends %s failed on the server', async (_name, pieces) => {
    const { error } = await read(pieces);
    expect(error).toMatchObject({ phase: 'request', cause: { name: 'ThrottleError', kind: 'server-error' } });
  });

  it.each<[string, unknown, object]>([
    [
      'a limit',
      { message: 'Slow down.', code: 'rate_limit_exceeded', statusCode: 429, isRetryable: true, data: {} },
      { name: 'ThrottleError', kind: 'rate-limit' },
    ],
    [
      'a limit by a code of another vendor',
      { message: 'Slow down.', code: 'slow_down' },
      { name: 'ThrottleError', kind: 'rate-limit' },
    ],
    [
      'too long a conversation',
      { message: 'prompt is too long: 9 tokens > 8 maximum', statusCode: 400, isRetryable: false },
      { name: 'ModelResponseError', code: 'model-context-exceeded' },
    ],
    ['a refused request', { message: 'No such model.', statusCode: 404 }, { code: 'model-response-failed' }],
  ])('that reports %s ends with it', async (_name, failure, cause) => {
    const { error } = await read([{ type: 'error', error: failure }]);
    expect(error).toMatchObject({ cause });
  });

  it('keeps what the provider hung on the pieces of a block', async () => {
    const hung = (data: object) => ({ providerMetadata: { somebody: data } });
    const pieces = [
      { type: 'reasoning-start', id: '0', ...hung({ itemId: 'r1', secret: null }) },
      { type: 'reasoning-delta', id: '0', delta: 'Hm.', ...hung({ signature: 's1' }) },
      { type: 'reasoning-end', id: '0', ...hung({ secret: 'x' }) },
      ...said,
      { type: 'text-end', id: '0', providerMetadata: { another: { phase: 'final_answer' } } },
      finish,
    ];
    const { model } = answeringModel('v4', []);
    Object.assign(model, { doStream: async () => ({ stream: streamOf(pieces) }) });
    const { conversation } = await aiSdk({ model }).evaluate(promptOf([]), { streaming: true });
    expect(conversation.at(-1)).toMatchObject({
      raw: {
        items: [
          { type: 'reasoning', text: 'Hm.', ...hung({ itemId: 'r1', secret: 'x', signature: 's1' }) },
          { type: 'text', text: 'Hello.', providerMetadata: { another: { phase: 'final_answer' } } },
        ],
      },
    });
  });

  it('ends at once when the run is aborted, whether or not the model heeds it', async () => {
    let cancelled: unknown;
    const { model } = answeringModel('v4', []);
    const controller = new AbortController();
    const stream = new ReadableStream({
      start: (out) => {
        for (const piece of said) out.enqueue(piece);
      },
      cancel: (reason) => {
        cancelled = reason;
      },
    });
    Object.assign(model, { doStream: async () => ({ stream }) });
    const outcome = aiSdk({ model }).evaluate(promptOf([]), {
      streaming: true,
      signal: controller.signal,
      observers: [
        {
          onEvent: (event) => {
            if (event.type === 'text-delta' && event.text === 'lo.') controller.abort(new Error('Enough.'));
          },
        },
      ],
    });
    await expect(outcome).rejects.toMatchObject({
      code: 'evaluation-aborted',
      cause: { message: 'Enough.' },
    });
    expect(cancelled).toBeDefined();
  });
});

describe('a model that takes too long', () => {
  it('has as much time as a timer can have, however much it is given', async () => {
    const warnings: string[] = [];
    const listen = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', listen);
    const { model } = answeringModel('v4', [{ content: [text('In time.')] }]);
    await aiSdk({ model, timeoutMs: 1e12 }).evaluate(promptOf());
    await setImmediate();
    process.off('warning', listen);
    expect(warnings).not.toContain('TimeoutOverflowWarning');
  });

  it.each([false, true])('is given up, streaming: %s', async (streaming) => {
    const { model } = answeringModel('v4', []);
    const never = (options: { readonly abortSignal?: AbortSignal }) =>
      new Promise<never>((_resolve, reject) => {
        options.abortSignal?.addEventListener('abort', () => reject(options.abortSignal?.reason));
      });
    Object.assign(model, { doGenerate: never, doStream: never });
    await expect(
      aiSdk({ model, timeoutMs: 1 }).evaluate(promptOf(), { streaming, retry: false }),
    ).rejects.toMatchObject({
      cause: { name: 'ThrottleError', kind: 'timeout', message: expect.stringContaining('1 ms') },
    });
  });
});

describe('the built-in codecs', () => {
  it('can be used for a model that goes by another name', async () => {
    const search = hostedTool({ kind: 'web_search', name: 'web', description: 'Search.', config: {} });
    const prompt = promptTemplate({
      ns: 'test',
      key: 'gateway',
      sections: [section({ title: 'Task', key: 'task', template: 'Do it.', hostedTools: [search] })],
    }).bind();
    const { model, calls } = answeringModel('v4', [{ content: [text('Done.')] }], 'gateway');
    await expect(aiSdk({ model }).evaluate(prompt)).rejects.toMatchObject({
      phase: 'render',
      cause: { message: expect.stringContaining('AI SDK (gateway)') },
    });
    expect(calls).toEqual([]);
    await aiSdk({ model, hostedToolCodecs: aiSdkHostedToolCodecs.anthropic }).evaluate(prompt, {
      toolChoice: { tool: 'web' },
    });
    expect(calls[0]).toMatchObject({
      tools: [{ type: 'provider', id: 'anthropic.web_search_20250305', name: 'web_search', args: {} }],
      toolChoice: { type: 'tool', toolName: 'web_search' },
    });
  });
});

describe('observers', () => {
  it.each<[string, string]>([
    ['openai.responses', 'openai'],
    ['anthropic.messages', 'anthropic'],
    ['google.generative-ai', 'gcp.gemini'],
    ['amazon-bedrock', 'aws.bedrock'],
    ['somebody.chat', 'somebody'],
  ])('learn which model is asked and which one answered: %s', async (provider, name) => {
    for (const version of ['v3', 'v4'] as const) {
      for (const streaming of [false, true]) {
        const events: RunEvent[] = [];
        const response = { id: 'answer-1', modelId: 'model-1-2026' };
        const { model } = answeringModel(version, [{ content: [text('Done.')], response }], provider);
        await aiSdk({ model, name: 'm', settings: { temperature: 0 } }).evaluate(promptOf(), {
          streaming,
          settings: { maxOutputTokens: 9 },
          observers: [{ onEvent: (event) => events.push(event) }],
        });
        expect(events[0]).toMatchObject({
          provider: name,
          model: 'model-1',
          settings: { temperature: 0, maxOutputTokens: 9 },
        });
        expect(events.find(({ type }) => type === 'model-call-end')).toMatchObject({
          responseId: 'answer-1',
          responseModel: 'model-1-2026',
        });
      }
    }
  });
});

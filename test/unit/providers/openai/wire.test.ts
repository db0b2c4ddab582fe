import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import {
  type AnySection,
  type AnyTool,
  type ConversationItem,
  type EvaluateOptions,
  jsonSchema,
  PromptEvaluationError,
  promptTemplate,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { openai } from 'weakincentives/openai';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import type { OpenAIModelOptions } from '../../../../src/providers/openai/openai.ts';
import {
  type CapturedAnswer,
  type CapturedRequest,
  capturingFetch,
} from '../../../support/captured-requests.ts';
import { functionCall, message, reasoning, response } from '../../../support/openai-responses.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

const task = (
  tools: readonly AnyTool[] = [],
  more: Partial<Parameters<typeof section>[0]> = {},
): AnySection => section({ title: 'Task', key: 'task', template: 'Do it.', tools, ...more });

const promptOf = (only: AnySection) => promptTemplate({ ns: 'test', key: 'wire', sections: [only] }).bind();

const add = tool({
  name: 'add',
  description: 'Add two numbers.',
  inputSchema: z.object({ left: z.int32(), right: z.int32().optional() }),
  effects: 'read',
  execute: ({ left, right = 1 }) => ToolResult.ok(left + right, 'Added.'),
});

/** Runs the adapter on the vendor's own client, whose requests are captured. */
async function run(
  prompt: ReturnType<typeof promptOf>,
  answers: readonly CapturedAnswer[],
  options: EvaluateOptions = {},
  adapter: Partial<OpenAIModelOptions> = {},
) {
  const captured = capturingFetch(...answers);
  const model = openai({ model: 'gpt-5', apiKey: 'key-1', fetch: captured.fetch, ...adapter });
  const result = await model.evaluate(prompt, options);
  return { result, requests: captured.requests, bodies: captured.requests.map(({ body }) => body) };
}

const answer = response([message('Done.')]);

function inputOf(body: CapturedRequest['body'] | undefined): readonly unknown[] {
  const input = body?.['input'];
  if (!Array.isArray(input)) throw new Error('The request has no input.');
  return input;
}

describe('a request', () => {
  it('without tools holds instructions, one message and nothing that is kept', async () => {
    const { bodies, requests, result } = await run(promptOf(task()), [answer], { input: 'Hello' });
    expect(bodies).toEqual([
      {
        model: 'gpt-5',
        instructions: '## 1. Task (task)\n\nDo it.',
        input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }],
        store: false,
        include: ['reasoning.encrypted_content'],
      },
    ]);
    expect(requests[0]?.url).toBe('https://api.openai.com/v1/responses');
    expect(requests[0]?.headers.get('authorization')).toBe('Bearer key-1');
    expect(requests[0]?.headers.get('x-stainless-retry-count')).toBe('0');
    expect(result.text).toBe('Done.');
  });

  it('holds each tool with its strict schema', async () => {
    const { bodies } = await run(promptOf(task([add])), [answer], { input: 'Hello' });
    expect(bodies[0]?.['tools']).toEqual([
      {
        type: 'function',
        name: 'add',
        description: 'Add two numbers.',
        strict: true,
        parameters: {
          type: 'object',
          properties: {
            left: { type: 'integer', minimum: -2147483648, maximum: 2147483647 },
            right: {
              type: ['integer', 'null'],
              minimum: -2147483648,
              maximum: 2147483647,
              description: 'null: not given.',
            },
          },
          required: ['left', 'right'],
          additionalProperties: false,
        },
      },
    ]);
    expect(bodies[0]).toMatchObject({ tool_choice: 'auto', parallel_tool_calls: true });
  });

  it('tells the model descriptions and defaults, takes null for what is optional, and closes nested objects', async () => {
    const seen: unknown[] = [];
    const book = tool({
      name: 'book',
      description: 'Books a room.',
      inputSchema: z.object({
        nights: z.number().default(1).describe('How long.'),
        note: z.string().optional().describe('For the registry.'),
        guest: z.object({ name: z.string().describe('Full name.') }),
      }),
      execute: (params) => {
        seen.push(params);
        return ToolResult.ok(null);
      },
    });
    const { bodies } = await run(promptOf(task([book])), [
      response([functionCall('c1', 'book', { nights: null, note: null, guest: { name: 'Ada' } })]),
      answer,
    ]);
    expect(bodies[0]?.['tools']).toMatchObject([
      {
        parameters: {
          properties: {
            nights: { type: ['number', 'null'], description: expect.stringMatching(/^How long\..*1/s) },
            note: { type: ['string', 'null'], description: expect.stringMatching(/^For the registry\./) },
            guest: { properties: { name: { description: 'Full name.' } }, additionalProperties: false },
          },
        },
      },
    ]);
    expect(seen).toEqual([{ nights: 1, guest: { name: 'Ada' } }]);
  });

  it('says something for a user who said nothing', async () => {
    const { bodies } = await run(promptOf(task([add])), [
      response([functionCall('c1', 'add', { left: 1, right: 2 })]),
      answer,
    ]);
    const opening = {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: 'Please begin.' }],
    };
    expect(bodies.map((body) => inputOf(body)[0])).toEqual([opening, opening]);
  });

  it('holds images and files as data or by address', async () => {
    const { bodies } = await run(promptOf(task()), [answer], {
      input: [
        { type: 'text', text: 'See' },
        { type: 'image', mediaType: 'image/png', data: 'aGk=' },
        { type: 'image', mediaType: 'image/png', data: 'https://example.com/a.png' },
        { type: 'image', mediaType: 'image/png', data: 'data:image/gif;base64,aGk=' },
        { type: 'file', mediaType: 'application/pdf', data: 'aGk=', name: 'a.pdf' },
        { type: 'file', mediaType: 'application/pdf', data: 'aGk=' },
        { type: 'file', mediaType: 'application/pdf', data: 'https://example.com/a.pdf' },
      ],
    });
    expect(bodies[0]?.['input']).toEqual([
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'See' },
          { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,aGk=' },
          { type: 'input_image', detail: 'auto', image_url: 'https://example.com/a.png' },
          { type: 'input_image', detail: 'auto', image_url: 'data:image/gif;base64,aGk=' },
          { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,aGk=' },
          { type: 'input_file', filename: 'file', file_data: 'data:application/pdf;base64,aGk=' },
          { type: 'input_file', file_url: 'https://example.com/a.pdf' },
        ],
      },
    ]);
  });

  it.each([
    ['none', 'none', ['none', 'none']],
    ['required', 'required', ['required', 'auto']],
    [{ tool: 'add' }, { type: 'function', name: 'add' }, [{ type: 'function', name: 'add' }, 'auto']],
  ] as const)('forces a tool in the first turn only: %j', async (toolChoice, _wire, expected) => {
    const { bodies } = await run(
      promptOf(task([add])),
      [response([functionCall('c1', 'add', { left: 1, right: 2 })]), answer],
      { toolChoice },
    );
    expect(bodies.map(({ tool_choice: choice }) => choice)).toEqual(expected);
  });

  it('holds the settings of adapter and evaluation, and refuses those that are its own', async () => {
    const { bodies } = await run(
      promptOf(task([add])),
      [answer],
      { settings: { temperature: 0, parallel_tool_calls: false, text: { verbosity: 'low' } } },
      {
        settings: { temperature: 1, reasoning: { effort: 'low' }, include: ['message.output_text.logprobs'] },
      },
    );
    expect(bodies[0]).toMatchObject({
      temperature: 0,
      reasoning: { effort: 'low' },
      parallel_tool_calls: false,
      text: { verbosity: 'low' },
      include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
    });
    const own = run(promptOf(task()), [answer], { settings: { input: 'other' } });
    await expect(own).rejects.toMatchObject({ phase: 'render', cause: { message: /settings\.input/ } });
    const format = run(promptOf(task()), [answer], { settings: { text: { format: { type: 'text' } } } });
    await expect(format).rejects.toMatchObject({ cause: { message: /settings\.text\.format/ } });
  });

  it.each([
    ['gpt-4o', {}, undefined],
    ['gpt-4.1-mini', {}, undefined],
    ['gpt-5-chat-latest', {}, undefined],
    ['o4-mini', {}, ['reasoning.encrypted_content']],
    ['gpt-40', {}, ['reasoning.encrypted_content']],
    ['gpt-4o', { encryptedReasoning: true }, ['reasoning.encrypted_content']],
    ['gpt-5', { encryptedReasoning: false }, undefined],
    ['gpt-5', { settings: { store: true } }, undefined],
  ])('asks %s with %j for its reasoning: %j', async (model, options, expected) => {
    const { bodies } = await run(promptOf(task()), [answer], {}, { model, ...options });
    expect(bodies[0]?.['include']).toEqual(expected);
  });
});

describe('a conversation', () => {
  const first = [
    reasoning('rs_1', 'Think.'),
    message('Let me add.', { phase: 'commentary' }),
    functionCall('c1', 'add', { left: 1, right: null }),
    { type: 'compaction', id: 'cmp_1', encrypted_content: 'x' },
    functionCall('c2', 'add', { left: 2, right: 3 }),
  ];

  it('brings the own items back exactly as they came, then the results', async () => {
    const { bodies, result } = await run(promptOf(task([add])), [response(first), answer], { input: 'Go' });
    expect(bodies[1]?.['input']).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go' }] },
      ...first,
      { type: 'function_call_output', call_id: 'c1', output: 'Added.\n\n2' },
      { type: 'function_call_output', call_id: 'c2', output: 'Added.\n\n5' },
    ]);
    expect(result.usage).toEqual({
      inputTokens: 200,
      outputTokens: 20,
      cachedInputTokens: 120,
      reasoningTokens: 8,
    });
    expect(result.conversation[1]).toMatchObject({
      content: [
        { type: 'reasoning', text: 'Think.' },
        { type: 'reasoning', text: 'Let me add.' },
        { type: 'tool-call', callId: 'c1', name: 'add', arguments: '{"left":1,"right":null}' },
        { type: 'tool-call', callId: 'c2', name: 'add', arguments: '{"left":2,"right":3}' },
      ],
    });
  });

  it('continues from a history of its own', async () => {
    const { result } = await run(promptOf(task([add])), [response(first), answer], { input: 'Go' });
    const { bodies } = await run(promptOf(task([add])), [answer], {
      history: result.conversation,
      input: 'More',
    });
    expect(inputOf(bodies[0]).slice(1, 6)).toEqual(first);
    expect(inputOf(bodies[0]).slice(8)).toEqual([
      message('Done.'),
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'More' }] },
    ]);
  });

  it('continues from a history of another provider by what was said and called', async () => {
    const other = scriptedAdapter([
      { text: 'Let me add.', toolCalls: [{ name: 'add', arguments: { left: 1 } }, { name: 'none' }] },
      { text: 'It is 2.' },
    ]);
    const { conversation } = await other.evaluate(promptOf(task([add])), { input: 'Go' });
    const foreign: readonly ConversationItem[] = [
      ...conversation,
      {
        type: 'assistant',
        content: [{ type: 'reasoning', text: 'Hm.' }],
        raw: { provider: 'other', items: [{ type: 'thinking' }] },
      },
    ];
    const { bodies } = await run(promptOf(task([add])), [answer], { history: foreign });
    expect(bodies[0]?.['input']).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go' }] },
      { type: 'message', role: 'assistant', content: 'Let me add.' },
      { type: 'function_call', call_id: 'call-1-1', name: 'add', arguments: '{"left":1}' },
      { type: 'function_call', call_id: 'call-1-2', name: 'none', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call-1-1', output: 'Added.\n\n2' },
      {
        type: 'function_call_output',
        call_id: 'call-1-2',
        output: 'There is no tool "none". The tools are: add.',
      },
      { type: 'message', role: 'assistant', content: 'It is 2.' },
    ]);
  });

  it('of a server with another name counts as that of another provider', async () => {
    const { result } = await run(promptOf(task()), [response([message('Hi.')])], {}, { name: 'local' });
    const { bodies } = await run(promptOf(task()), [answer], { history: result.conversation });
    expect(bodies[0]?.['input']).toContainEqual({ type: 'message', role: 'assistant', content: 'Hi.' });
  });
});

describe('a structured answer', () => {
  const withOutput = <Output>(output: z.ZodType<Output>) =>
    promptTemplate({ ns: 'test', key: 'output', sections: [task()], output }).bind();
  const ask = async <Output>(output: z.ZodType<Output>, text: string, more = {}) => {
    const captured = capturingFetch(response([message(text)], more));
    const adapter = openai({
      model: 'gpt-5',
      apiKey: 'key',
      fetch: captured.fetch,
      settings: { text: { verbosity: 'low' } },
    });
    return { ...(await adapter.evaluate(withOutput(output))), body: captured.requests[0]?.body };
  };

  it('is asked for by its schema; a null for an optional key is taken out', async () => {
    const { body, output } = await ask(
      z.object({ name: z.string(), note: z.string().optional() }),
      '{"name":"a","note":null}',
    );
    expect(body?.['text']).toEqual({
      verbosity: 'low',
      format: {
        type: 'json_schema',
        name: 'answer',
        strict: true,
        schema: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            note: { type: ['string', 'null'], description: 'null: not given.' },
          },
          required: ['name', 'note'],
          additionalProperties: false,
        },
      },
    });
    expect(output).toEqual({ name: 'a' });
    // The model is not told the same in words.
    expect(body?.['instructions']).not.toContain('Answer format');
  });

  it('may be a list, which goes over the wire in an object', async () => {
    const { body, output, text } = await ask(z.array(z.number()), '{"value":[1,2]}');
    expect(body).toMatchObject({ text: { format: { schema: { type: 'object', required: ['value'] } } } });
    expect(output).toEqual([1, 2]);
    expect(text).toBe('[1,2]');
  });

  it('stands apart from what was said before it', async () => {
    const captured = capturingFetch(
      response([
        message('Now I know.', { phase: 'commentary' }),
        message('{"ok":true}', { phase: 'final_answer' }),
      ]),
    );
    const adapter = openai({ model: 'gpt-5', apiKey: 'key', fetch: captured.fetch });
    const { output, conversation } = await adapter.evaluate(withOutput(z.object({ ok: z.boolean() })));
    expect(output).toEqual({ ok: true });
    expect(conversation[0]).toMatchObject({
      content: [{ type: 'reasoning', text: 'Now I know.' }, { type: 'text' }],
    });
  });
});

describe('losses of a schema', () => {
  it('are logged once per tool and adapter', async () => {
    const logger = recordingLogger();
    const free = tool({
      name: 'free',
      description: 'Free keys.',
      inputSchema: jsonSchema<object>({ type: 'object', additionalProperties: true }),
      effects: 'read',
      execute: () => ToolResult.ok(null),
    });
    const link = tool({
      name: 'link',
      description: 'A link.',
      inputSchema: z.object({ url: z.url() }),
      effects: 'read',
      execute: () => ToolResult.ok(null),
    });
    const captured = capturingFetch(response([functionCall('c1', 'free', { a: 1 })]), answer);
    const adapter = openai({ model: 'gpt-5', apiKey: 'key', fetch: captured.fetch });
    const prompt = promptOf(task([free, link, add]));
    await adapter.evaluate(prompt, { logger });
    await adapter.evaluate(prompt, { logger });
    const lines = logger.lines.filter(({ message: line }) => line.startsWith('OpenAI'));
    expect(lines.map(({ level, message: line, fields }) => [level, line, fields['losses']])).toEqual([
      [
        'warn',
        expect.stringContaining('"free"'),
        [expect.objectContaining({ keyword: 'additionalProperties' })],
      ],
      [
        'info',
        expect.stringContaining('"link"'),
        [expect.objectContaining({ path: '/properties/url', keyword: 'format' })],
      ],
    ]);
    const [{ tools } = {}] = captured.requests.map(({ body }) => body);
    expect((tools as readonly { strict: boolean }[]).map(({ strict }) => strict)).toEqual([
      false,
      true,
      true,
    ]);
  });
});

describe('the client', () => {
  const prompt = promptOf(task());

  it('may be given; its own retries and timeout are overruled', async () => {
    let asked = 0;
    const captured = capturingFetch(() => {
      asked += 1;
      return Response.json({ error: { message: 'down' } }, { status: 500 });
    });
    const client = new OpenAI({ apiKey: 'key', fetch: captured.fetch, maxRetries: 3 });
    const failed = openai({ model: 'gpt-5', client }).evaluate(prompt, { retry: false });
    await expect(failed).rejects.toBeInstanceOf(PromptEvaluationError);
    expect(asked).toBe(1);
  });

  it('may be an object of your own, which gets signal, timeout and no retries', async () => {
    const calls: unknown[] = [];
    const client = {
      responses: {
        create: async (body: { model: string }, options: object) => {
          calls.push([body.model, options]);
          return answer;
        },
      },
    };
    for (const timeoutMs of [5, 4.5, 1e12]) {
      const { text } = await openai({ model: 'm', client, timeoutMs }).evaluate(prompt);
      expect(text).toBe('Done.');
    }
    // Whole numbers that timers take: the vendor's client refuses others.
    const options = { signal: expect.any(AbortSignal), maxRetries: 0 };
    expect(calls).toEqual([5, 5, 2_147_483_647].map((timeout) => ['m', { ...options, timeout }]));
  });

  it('takes address and headers as options', async () => {
    const captured = capturingFetch(answer);
    const adapter = openai({
      model: 'gpt-5',
      apiKey: async () => 'fetched',
      baseURL: 'http://127.0.0.1:1/v1',
      organization: 'org-1',
      project: 'p-1',
      defaultHeaders: { 'x-own': '1' },
      fetch: captured.fetch,
    });
    await adapter.evaluate(prompt);
    const { url, headers } = captured.requests[0] ?? { url: '', headers: new Headers() };
    expect(url).toBe('http://127.0.0.1:1/v1/responses');
    expect(
      ['authorization', 'openai-organization', 'openai-project', 'x-own'].map((name) => headers.get(name)),
    ).toEqual(['Bearer fetched', 'org-1', 'p-1', '1']);
  });

  it.each([
    [{ model: 'm', client: {}, apiKey: 'key' }, /given a client and the option apiKey/],
    [{ model: '' }, /name of a model/],
    [{ model: 'm', timeoutMs: 0 }, /timeoutMs must be/],
    [{ model: 'm', settings: { stream: true } }, /settings\.stream/],
    [{ model: 'm', settings: { include: 'x' } }, /include must be a list/],
  ])('is refused with options that cannot be: %j', (options, expected) => {
    expect(() => openai(options as never)).toThrow(
      expect.objectContaining({ name: 'PromptValidationError', message: expect.stringMatching(expected) }),
    );
  });
});

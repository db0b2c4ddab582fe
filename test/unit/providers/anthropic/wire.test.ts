import { describe, expect, it } from 'vitest';
import {
  type AnySection,
  type AnyTool,
  type ConversationItem,
  type EvaluateOptions,
  jsonSchema,
  promptTemplate,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { anthropic } from 'weakincentives/anthropic';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import type { AnthropicModelOptions } from '../../../../src/providers/anthropic/anthropic.ts';
import { message, text, thinking, toolUse } from '../../../support/anthropic-messages.ts';
import { type CapturedAnswer, capturingFetch } from '../../../support/captured-requests.ts';
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

/** Runs the adapter on the vendor's own client, whose requests are captured. Nothing is marked to be kept unless asked for. */
async function run(
  prompt: ReturnType<typeof promptOf>,
  answers: readonly CapturedAnswer[],
  options: EvaluateOptions = {},
  adapter: Partial<AnthropicModelOptions> = {},
) {
  const captured = capturingFetch(...answers);
  const model = anthropic({
    model: 'claude-sonnet-5',
    apiKey: 'key-1',
    fetch: captured.fetch,
    promptCaching: false,
    ...adapter,
  });
  const result = await model.evaluate(prompt, options);
  return { result, requests: captured.requests, bodies: captured.requests.map(({ body }) => body) };
}

const answer = message([text('Done.')]);
const said = (...words: readonly string[]) => ({
  role: 'user',
  content: words.map((word) => ({ type: 'text', text: word })),
});

describe('a request', () => {
  it('without tools holds instructions, one message and nothing else', async () => {
    const { bodies, requests, result } = await run(promptOf(task()), [answer], { input: 'Hello' });
    expect(bodies).toEqual([
      {
        model: 'claude-sonnet-5',
        max_tokens: 16_000,
        system: [{ type: 'text', text: '## 1. Task (task)\n\nDo it.' }],
        messages: [said('Hello')],
      },
    ]);
    expect(requests[0]?.url).toBe('https://api.anthropic.com/v1/messages');
    expect(requests[0]?.headers.get('authorization')).toBe('Bearer key-1');
    expect(requests[0]?.headers.get('x-stainless-retry-count')).toBe('0');
    expect(requests[0]?.headers.get('anthropic-beta')).toBeNull();
    expect(result.text).toBe('Done.');
  });

  it('holds each tool with its strict schema, in which bounds are told', async () => {
    const { bodies } = await run(promptOf(task([add])), [answer], { input: 'Hello' });
    expect(bodies[0]?.['tools']).toEqual([
      {
        name: 'add',
        description: 'Add two numbers.',
        strict: true,
        input_schema: {
          type: 'object',
          properties: {
            left: { type: 'integer', description: expect.stringContaining('2147483647') },
            right: { type: 'integer', description: expect.stringContaining('2147483647') },
          },
          required: ['left'],
          additionalProperties: false,
        },
      },
    ]);
    expect(bodies[0]?.['tool_choice']).toEqual({ type: 'auto' });
  });

  it('holds a tool whose schema cannot be strict as it is', async () => {
    const logger = recordingLogger();
    const free = tool({
      name: 'free',
      description: 'Free keys.',
      inputSchema: jsonSchema<object>({ type: 'object', additionalProperties: true }),
      effects: 'read',
      execute: () => ToolResult.ok(null),
    });
    const { bodies } = await run(promptOf(task([free])), [answer], { logger });
    expect(bodies[0]?.['tools']).toEqual([
      {
        name: 'free',
        description: 'Free keys.',
        input_schema: { type: 'object', additionalProperties: true },
      },
    ]);
    expect(logger.lines.map(({ level, message: line }) => [level, line])).toContainEqual([
      'warn',
      expect.stringContaining('Anthropic cannot enforce the schema of the tool "free"'),
    ]);
  });

  it('holds the examples of a tool, which are then no part of the instructions', async () => {
    const shout = tool({
      name: 'shout',
      description: 'Says it loudly.',
      inputSchema: z.object({ words: z.string() }),
      outputSchema: z.string(),
      examples: [{ description: 'A greeting.', input: { words: 'hello' }, output: 'HELLO' }],
      effects: 'read',
      execute: ({ words }) => ToolResult.ok(words.toUpperCase()),
    });
    const { bodies } = await run(promptOf(task([shout])), [answer]);
    expect(bodies[0]?.['tools']).toMatchObject([{ name: 'shout', input_examples: [{ words: 'hello' }] }]);
    expect(JSON.stringify(bodies[0]?.['system'])).not.toContain('greeting');
  });

  it('says something for a user who said nothing', async () => {
    const { bodies } = await run(promptOf(task([add])), [
      message([toolUse('c1', 'add', { left: 1, right: 2 })]),
      answer,
    ]);
    expect(bodies.map(({ messages }) => (Array.isArray(messages) ? messages[0] : undefined))).toEqual([
      said('Please begin.'),
      said('Please begin.'),
    ]);
  });

  it('holds images and documents as data or by address, and leaves empty texts out', async () => {
    const { bodies } = await run(promptOf(task()), [answer], {
      input: [
        { type: 'text', text: 'See' },
        { type: 'text', text: ' ' },
        { type: 'image', mediaType: 'image/png', data: 'aGk=' },
        { type: 'image', mediaType: 'image/png', data: 'https://example.com/a.png' },
        { type: 'image', mediaType: 'image/png', data: 'data:image/gif;base64,aGk=' },
        { type: 'file', mediaType: 'application/pdf', data: 'aGk=', name: 'a.pdf' },
        { type: 'file', mediaType: 'application/pdf', data: 'https://example.com/a.pdf' },
        { type: 'file', mediaType: 'text/markdown', data: 'w6Q=', name: 'a.md' },
        { type: 'file', mediaType: 'image/webp', data: 'aGk=' },
      ],
    });
    expect(bodies[0]?.['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
          { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
          { type: 'image', source: { type: 'base64', media_type: 'image/gif', data: 'aGk=' } },
          {
            type: 'document',
            source: { type: 'base64', media_type: 'application/pdf', data: 'aGk=' },
            title: 'a.pdf',
          },
          { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'ä' }, title: 'a.md' },
          { type: 'image', source: { type: 'base64', media_type: 'image/webp', data: 'aGk=' } },
        ],
      },
    ]);
  });

  it.each([
    { type: 'image', mediaType: 'image/tiff', data: 'aGk=' },
    { type: 'file', mediaType: 'application/zip', data: 'aGk=' },
    { type: 'file', mediaType: 'text/plain', data: 'https://example.com/a.txt' },
  ] as const)('is refused with $type of $mediaType at $data', async (part) => {
    await expect(run(promptOf(task()), [answer], { input: [part] })).rejects.toMatchObject({
      phase: 'request',
      cause: { name: 'PromptValidationError', message: expect.stringContaining(part.mediaType) },
    });
  });

  it.each([
    ['none', [{ type: 'none' }, { type: 'none' }]],
    ['required', [{ type: 'any' }, { type: 'auto' }]],
    [{ tool: 'add' }, [{ type: 'tool', name: 'add' }, { type: 'auto' }]],
  ] as const)('forces a tool in the first turn only: %j', async (toolChoice, expected) => {
    const { bodies } = await run(
      promptOf(task([add])),
      [message([toolUse('c1', 'add', { left: 1, right: 2 })]), answer],
      { toolChoice },
    );
    expect(bodies.map(({ tool_choice: choice }) => choice)).toEqual(expected);
  });

  it('asks for one call at a time by a setting', async () => {
    const { bodies } = await run(promptOf(task([add])), [answer], {
      settings: { disable_parallel_tool_use: true },
    });
    expect(bodies[0]?.['tool_choice']).toEqual({ type: 'auto', disable_parallel_tool_use: true });
    expect(bodies[0]).not.toHaveProperty('disable_parallel_tool_use');
  });
});

describe('settings', () => {
  const bodyWith = async (
    evaluation: EvaluateOptions['settings'],
    adapter: Partial<AnthropicModelOptions> = {},
  ) => {
    const options = evaluation === undefined ? {} : { settings: evaluation };
    const { bodies } = await run(promptOf(task()), [answer], options, adapter);
    const { model: _model, system: _system, messages: _messages, ...rest } = bodies[0] ?? {};
    return rest;
  };

  it("are told in the provider's words, those of the evaluation over those of the adapter", async () => {
    const settings = { maxOutputTokens: 50, metadata: { user_id: 'u' }, output_config: { effort: 'low' } };
    expect(
      await bodyWith({ maxOutputTokens: 70, stopSequences: ['END'], reasoningEffort: 'max' }, { settings }),
    ).toEqual({
      max_tokens: 70,
      stop_sequences: ['END'],
      metadata: { user_id: 'u' },
      output_config: { effort: 'max' },
    });
  });

  it.each([
    [undefined, {}, 16_000],
    [undefined, { maxTokens: 9 }, 9],
    [undefined, { maxTokens: 9, settings: { maxOutputTokens: 8 } }, 8],
    [{ maxOutputTokens: 7 }, { maxTokens: 9, settings: { max_tokens: 8 } }, 7],
    [{ max_tokens: 6 }, { settings: { maxOutputTokens: 8 } }, 6],
  ])('%j over %j let an answer have %i tokens', async (evaluation, adapter, expected) => {
    expect(await bodyWith(evaluation, adapter)).toEqual({ max_tokens: expected });
  });

  it.each([
    [{ reasoningEffort: 'none' }, {}, { thinking: { type: 'disabled' } }],
    [{ reasoningEffort: 'high' }, { reasoningEffort: 'none' }, { output_config: { effort: 'high' } }],
    [{ reasoningEffort: 'none' }, { reasoningEffort: 'low' }, { thinking: { type: 'disabled' } }],
    [{}, { reasoningEffort: 'xhigh' }, { output_config: { effort: 'xhigh' } }],
    [
      { reasoningEffort: 'low' },
      { thinking: { type: 'adaptive' } },
      { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
    ],
  ] as const)('%j over %j make a model think as told', async (evaluation, settings, expected) => {
    expect(await bodyWith(evaluation, { settings })).toEqual({ max_tokens: 16_000, ...expected });
  });

  it.each([
    [{ temperature: 0 }, /no setting "temperature".*does not support/],
    [{ topP: 1 }, /no setting "topP"/],
    [{ seed: 1 }, /no setting "seed".*does not support it/],
    [{ reasoningEffort: 'minimal' }, /"reasoningEffort: minimal".*nearest is low/],
    [{ maxOutputTokens: 0 }, /maxOutputTokens must be/],
    [{ max_tokens: 'many' }, /max_tokens must be a whole number/],
    [{ messages: [] }, /settings\.messages/],
    [{ cache_control: { type: 'ephemeral' } }, /settings\.cache_control/],
    [{ output_config: { format: {} } }, /settings\.output_config\.format/],
    [{ output_config: 'high' }, /output_config must be an object/],
  ] as const)('%j are refused before any request', async (settings, expected) => {
    await expect(run(promptOf(task()), [answer], { settings })).rejects.toMatchObject({
      phase: 'render',
      cause: { name: 'PromptValidationError', message: expect.stringMatching(expected) },
    });
    expect(() => anthropic({ model: 'm', settings })).toThrow(expected);
  });
});

describe('a conversation', () => {
  const first = [
    thinking('Think.'),
    { type: 'redacted_thinking', data: 'x' },
    text('Let me add.'),
    toolUse('c1', 'add', { left: 1 }),
    { type: 'of tomorrow', secret: 'y' },
    toolUse('c2', 'add', { left: 2, right: 3 }),
  ];

  it('brings the own blocks back exactly as they came, then all results in one message', async () => {
    const { bodies, result } = await run(promptOf(task([add])), [message(first), answer], { input: 'Go' });
    expect(bodies[1]?.['messages']).toEqual([
      said('Go'),
      { role: 'assistant', content: first },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'c1', content: 'Added.\n\n2' },
          { type: 'tool_result', tool_use_id: 'c2', content: 'Added.\n\n5' },
        ],
      },
    ]);
    expect(result.usage).toEqual({
      inputTokens: 200,
      outputTokens: 20,
      cachedInputTokens: 120,
      cacheWriteInputTokens: 40,
      reasoningTokens: 8,
    });
    expect(result.conversation[1]).toMatchObject({
      content: [
        { type: 'reasoning', text: 'Think.' },
        { type: 'text', text: 'Let me add.' },
        { type: 'tool-call', callId: 'c1', name: 'add', arguments: '{"left":1}' },
        { type: 'tool-call', callId: 'c2', name: 'add', arguments: '{"left":2,"right":3}' },
      ],
      raw: { provider: 'anthropic', items: first },
    });
  });

  it('continues from a history of its own, results before what the user says', async () => {
    const { result } = await run(promptOf(task([add])), [message(first), answer], { input: 'Go' });
    const { bodies } = await run(promptOf(task([add])), [answer], {
      history: result.conversation.slice(0, 4),
      input: 'More',
    });
    expect(bodies[0]?.['messages']).toEqual([
      said('Go'),
      { role: 'assistant', content: first },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'c1', content: 'Added.\n\n2' },
          { type: 'tool_result', tool_use_id: 'c2', content: 'Added.\n\n5' },
          { type: 'text', text: 'More' },
        ],
      },
    ]);
  });

  it('tells failures, images and files of results', async () => {
    const history: readonly ConversationItem[] = [
      {
        type: 'assistant',
        content: [
          { type: 'tool-call', callId: 'a', name: 'x', arguments: '' },
          { type: 'tool-call', callId: 'b', name: 'x', arguments: '{' },
          { type: 'tool-call', callId: 'c.c', name: 'x', arguments: '{"n":1}' },
        ],
      },
      { type: 'tool-result', callId: 'a', toolName: 'x', text: 'No.', isError: true },
      { type: 'tool-result', callId: 'b', toolName: 'x', text: '', isError: false },
      {
        type: 'tool-result',
        callId: 'c.c',
        toolName: 'x',
        text: 'See',
        isError: false,
        attachments: [
          { type: 'image', mediaType: 'image/png', data: 'aGk=' },
          { type: 'file', mediaType: 'application/pdf', data: 'aGk=' },
          { type: 'file', mediaType: 'application/zip', data: 'aGk=' },
        ],
      },
    ];
    const { bodies } = await run(promptOf(task()), [answer], { history });
    expect(bodies[0]?.['messages']).toEqual([
      said('Please begin.'),
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'a', name: 'x', input: {} },
          { type: 'tool_use', id: 'b', name: 'x', input: {} },
          { type: 'tool_use', id: 'c_c', name: 'x', input: { n: 1 } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: 'No.', is_error: true },
          { type: 'tool_result', tool_use_id: 'b' },
          {
            type: 'tool_result',
            tool_use_id: 'c_c',
            content: [
              { type: 'text', text: 'See' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
              { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'aGk=' } },
              {
                type: 'text',
                text: '(Omitted: the provider does not support the type application/zip of this file.)',
              },
            ],
          },
        ],
      },
    ]);
  });

  it('continues from a history of another provider by what was said and called', async () => {
    const other = scriptedAdapter([
      { text: 'Let me add.', toolCalls: [{ name: 'add', arguments: { left: 1 } }] },
      { text: 'It is 2.' },
    ]);
    const { conversation } = await other.evaluate(promptOf(task([add])), { input: 'Go' });
    const foreign: readonly ConversationItem[] = [
      ...conversation,
      {
        type: 'assistant',
        content: [{ type: 'reasoning', text: 'Hm.' }],
        raw: { provider: 'other', items: [{ type: 'reasoning' }] },
      },
    ];
    const { bodies } = await run(promptOf(task([add])), [answer], { history: foreign });
    expect(bodies[0]?.['messages']).toEqual([
      said('Go'),
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Let me add.' },
          { type: 'tool_use', id: 'call-1-1', name: 'add', input: { left: 1 } },
        ],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'call-1-1', content: 'Added.\n\n2' }],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'It is 2.' }] },
      said('Please continue.'),
    ]);
  });

  it('that ends with an answer continues with a word of the user, in later turns as well', async () => {
    const { result } = await run(promptOf(task()), [answer], { input: 'Go' });
    const { bodies } = await run(
      promptOf(task([add])),
      [message([toolUse('c1', 'add', { left: 1 })]), answer],
      { history: result.conversation },
    );
    const begin = [said('Go'), { role: 'assistant', content: answer.content }, said('Please continue.')];
    expect(bodies[0]?.['messages']).toEqual(begin);
    expect(bodies[1]?.['messages']).toEqual([
      ...begin,
      { role: 'assistant', content: [toolUse('c1', 'add', { left: 1 })] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'Added.\n\n2' }] },
    ]);
  });

  it('of a server with another name counts as that of another provider', async () => {
    const { result } = await run(promptOf(task()), [message([text('Hi.', [])])], {}, { name: 'local' });
    const { bodies } = await run(promptOf(task()), [answer], { history: result.conversation });
    expect(bodies[0]?.['messages']).toContainEqual({
      role: 'assistant',
      content: [{ type: 'text', text: 'Hi.' }],
    });
  });

  it('leaves out the own texts that the provider would refuse to get back', async () => {
    const blocks = [text(''), text('\n\n'), toolUse('c1', 'add', { left: 1 })];
    const { bodies, result } = await run(promptOf(task([add])), [message(blocks), answer]);
    expect(bodies[1]?.['messages']).toContainEqual({ role: 'assistant', content: blocks.slice(2) });
    expect(result.conversation[0]).toMatchObject({ raw: { items: blocks } });
  });
});

describe('a structured answer', () => {
  const ask = async <Output>(output: z.ZodType<Output>, ...blocks: readonly string[]) => {
    const captured = capturingFetch(message(blocks.map((words) => text(words))));
    const adapter = anthropic({
      model: 'claude-sonnet-5',
      apiKey: 'key',
      fetch: captured.fetch,
      promptCaching: false,
      settings: { output_config: { effort: 'low' } },
    });
    const prompt = promptTemplate({ ns: 'test', key: 'output', sections: [task()], output }).bind();
    return { ...(await adapter.evaluate(prompt)), body: captured.requests[0]?.body };
  };

  it('is asked for by its schema, not in words', async () => {
    const { body, output } = await ask(
      z.object({ name: z.string().min(1), note: z.string().optional() }),
      '{"name":',
      '"a"}',
    );
    expect(body?.['output_config']).toEqual({
      effort: 'low',
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: {
            name: { type: 'string', description: expect.stringContaining('1') },
            note: { type: 'string' },
          },
          required: ['name'],
          additionalProperties: false,
        },
      },
    });
    expect(output).toEqual({ name: 'a' });
    expect(JSON.stringify(body?.['system'])).not.toContain('Answer format');
  });

  it('may be a list, which goes over the wire in an object', async () => {
    const { body, output, text: words } = await ask(z.array(z.number()), '{"value":', '[1,2]}');
    expect(body).toMatchObject({
      output_config: { format: { schema: { type: 'object', required: ['value'] } } },
    });
    expect(output).toEqual([1, 2]);
    expect(words).toBe('[1,2]');
  });

  it('is asked for in words where the provider would refuse its schema', async () => {
    const { body, output } = await ask(z.record(z.string(), z.number()), 'Here it is: {"a":1}');
    expect(body?.['output_config']).toEqual({ effort: 'low' });
    expect(body?.['system']).toEqual([
      { type: 'text', text: '## 1. Task (task)\n\nDo it.' },
      {
        type: 'text',
        text: expect.stringMatching(/^## Answer format\n.*one JSON object.*"additionalProperties"/s),
      },
    ]);
    expect(output).toEqual({ a: 1 });
  });
});

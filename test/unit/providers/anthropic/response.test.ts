import { describe, expect, it } from 'vitest';
import { anthropicDialect } from 'weakincentives/anthropic';
import {
  type HostedToolCodecTable,
  HostedToolRegistry,
  type ModelTurn,
  projectSchema,
} from 'weakincentives/provider';
import type { PreparedAnthropicRequest } from '../../../../src/providers/anthropic/request.ts';
import { readMessage } from '../../../../src/providers/anthropic/response.ts';
import { readMessageStream } from '../../../../src/providers/anthropic/stream.ts';
import {
  type AnthropicMessage,
  type Block,
  message,
  serverToolUse,
  text,
  thinking,
  toolUse,
} from '../../../support/anthropic-messages.ts';
import { toEvents } from '../../../support/anthropic-stream.ts';

const codecs: HostedToolCodecTable = {};
const registry = new HostedToolRegistry({ adapter: 'Anthropic', model: 'm', codecs });

const preparedWith = (prepared: Partial<PreparedAnthropicRequest>): PreparedAnthropicRequest => ({
  body: { model: 'm', max_tokens: 1, messages: [] },
  headers: {},
  asked: { turn: 3, conversation: [] },
  hostedTools: [],
  toolSchemas: new Map(),
  answerSchema: undefined,
  ...prepared,
});

const readPlain = (body: unknown, prepared: Partial<PreparedAnthropicRequest> = {}): ModelTurn =>
  readMessage(body, 'anthropic', preparedWith(prepared), registry);

async function* asStream(events: readonly unknown[]): AsyncGenerator {
  yield* events;
}

/** The turn that a message comes to, the same whether it is streamed or not. */
async function read(
  body: AnthropicMessage,
  prepared: Partial<PreparedAnthropicRequest> = {},
): Promise<ModelTurn> {
  const { signal } = new AbortController();
  const streamed = await readMessageStream(asStream(toEvents(body)), { signal });
  const turn = readPlain(body, prepared);
  expect(readMessage(streamed, 'anthropic', preparedWith(prepared), registry)).toEqual(turn);
  return turn;
}

describe('what a message says', () => {
  it('becomes parts in its order; every block is kept as it came', async () => {
    const blocks = [
      thinking('First. Then.'),
      thinking(''),
      { type: 'redacted_thinking', data: 'x' },
      text('Hello'),
      serverToolUse('s1', 'web_search', { query: 'a "quoted" ü' }),
      { type: 'web_search_tool_result', tool_use_id: 's1', content: [{ encrypted_content: 'e' }] },
      { type: 'of tomorrow', data: { deep: [1] } },
      text(' you.', [{ type: 'web_search_result_location', url: 'https://a.example', encrypted_index: 'i' }]),
      toolUse('c1', 'known', { a: ['x', { b: null }] }),
      toolUse('c2', 'other', {}),
    ];
    expect(await read(message(blocks))).toEqual({
      content: [
        { type: 'reasoning', text: 'First. Then.' },
        { type: 'text', text: 'Hello' },
        { type: 'text', text: ' you.' },
        { type: 'tool-call', callId: 'c1', name: 'known', arguments: '{"a":["x",{"b":null}]}' },
        { type: 'tool-call', callId: 'c2', name: 'other', arguments: '{}' },
      ],
      finishReason: 'tool-calls',
      usage: {
        inputTokens: 100,
        outputTokens: 10,
        cachedInputTokens: 60,
        cacheWriteInputTokens: 20,
        reasoningTokens: 4,
      },
      raw: { provider: 'anthropic', items: blocks },
      responseId: 'msg_1',
      responseModel: 'claude-sonnet-5-5',
      serviceTier: 'standard',
    });
  });

  it('may lack usage and a reason to stop, as answers of other servers do', async () => {
    expect(readPlain({ content: [text('x')] })).toMatchObject({ finishReason: 'stop' });
    expect(readPlain({ content: [text('x')] }).usage).toBeUndefined();
    expect(readPlain({ content: [toolUse('a', 'b', {})], stop_reason: null }).finishReason).toBe(
      'tool-calls',
    );
    expect(readPlain({ content: [], usage: { input_tokens: 3 } }).usage).toEqual({ inputTokens: 3 });
  });

  it('names calls without a name, and those that share one, in the kept blocks as well', async () => {
    const turn = await read(
      message([toolUse('c1', 'a', {}), toolUse('c1', 'b', {}), { ...toolUse('', 'c', {}), id: undefined }]),
    );
    const ids = ['c1', 'call-3-2', 'call-3-3'];
    expect(turn.content.map((part) => 'callId' in part && part.callId)).toEqual(ids);
    expect(turn.raw?.items).toMatchObject(ids.map((id) => ({ type: 'tool_use', id })));
  });

  it('hands broken JSON on as it is and keeps an object for the provider', async () => {
    const turn = await read(message([toolUse('c1', 'a', '{"left": '), text('So.')]));
    expect(turn.content[0]).toMatchObject({ arguments: '{"left": ' });
    expect(turn.raw?.items[0]).toEqual(toolUse('c1', 'a', {}));
  });

  it('unwraps arguments and answers whose schema was put into an object', async () => {
    const list = projectSchema({ type: 'array', items: { type: 'number' } }, anthropicDialect);
    const called = await read(message([toolUse('c1', 'sum', { value: [1, 2] })]), {
      toolSchemas: new Map([['sum', list]]),
    });
    expect(called.content).toMatchObject([{ arguments: '[1,2]' }]);
    const answered = await read(message([text('{"value":'), text('[1]}')]), { answerSchema: list });
    expect(answered.content).toEqual([{ type: 'text', text: '[1]' }]);
  });

  it('before a hosted tool ran is no part of an answer by a schema', async () => {
    const blocks = [
      text('I will look.'),
      serverToolUse('s1', 'web_search', { query: 'x' }),
      { type: 'web_search_tool_result', tool_use_id: 's1', content: [] },
      text('{"a":1}'),
    ];
    const schema = {
      type: 'object',
      properties: { a: { type: 'number' } },
      additionalProperties: false,
    } as const;
    const answerSchema = projectSchema(schema, anthropicDialect);
    expect((await read(message(blocks), { answerSchema })).content).toEqual([
      { type: 'reasoning', text: 'I will look.' },
      { type: 'text', text: '{"a":1}' },
    ]);
    expect((await read(message(blocks))).content).toEqual([
      { type: 'text', text: 'I will look.' },
      { type: 'text', text: '{"a":1}' },
    ]);
  });

  it('names the container that its code ran in, behind the blocks, and that it is to continue', async () => {
    const container = { id: 'cont_1', expires_at: '2026-01-01T00:00:00Z', skills: null };
    const turn = await read(message([text('x')], { container }));
    expect(turn.raw?.items).toEqual([text('x'), { type: 'message_end', container: { id: 'cont_1' } }]);
    const paused = await read(message([text('x')], { stop_reason: 'pause_turn' }));
    expect(paused.raw?.items).toEqual([text('x'), { type: 'message_end', stop_reason: 'pause_turn' }]);
  });
});

describe('why it ended', () => {
  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['pause_turn', 'paused'],
    ['model_context_window_exceeded', 'context-window'],
    ['compaction', 'paused'],
  ])('%s: %s', async (stop_reason, expected) => {
    expect((await read(message([text('x')], { stop_reason }))).finishReason).toBe(expected);
  });

  it.each<[string, readonly Block[], object | null, string]>([
    [
      'its explanation',
      [],
      { type: 'refusal', category: 'bio', explanation: 'Too dangerous.' },
      'Too dangerous.',
    ],
    ['its category', [], { type: 'refusal', category: 'bio', explanation: null }, 'bio'],
    ['what the model said', [text('I will not.')], { type: 'refusal', explanation: 'No.' }, 'I will not.'],
    ['nothing', [], null, ''],
  ])('refusal, with %s', async (_name, content, stop_details, expected) => {
    const turn = await read(message(content, { stop_reason: 'refusal', stop_details }));
    expect(turn.finishReason).toBe('refusal');
    expect(turn.content.map((part) => 'text' in part && part.text).join('')).toBe(expected);
    expect(turn.raw?.items).toEqual(content);
  });

  it('keeps a call that the limit on the length cut off, marked, without the search that came to nothing', async () => {
    const whole = [toolUse('c1', 'known', {}), serverToolUse('s1', 'web_search', { query: 'x' })];
    const cut = toolUse('c2', 'known', '{"a');
    const turn = await read(message([...whole, cut], { stop_reason: 'max_tokens' }));
    expect(turn.raw?.items).toEqual([whole[0], { ...cut, input: {} }]);
    expect(turn.content).toMatchObject([
      { type: 'tool-call', callId: 'c1', isComplete: true },
      { type: 'tool-call', callId: 'c2', isComplete: false, arguments: '{"a' },
    ]);
  });

  it('knows that a call came whole that something follows', async () => {
    const blocks = [toolUse('c1', 'known', {}), serverToolUse('s1', 'web_search', { query: 'x' })];
    const turn = await read(message(blocks, { stop_reason: 'max_tokens' }));
    expect(turn.content).toMatchObject([{ type: 'tool-call', callId: 'c1', isComplete: true }]);
  });

  it.each(['model_context_window_exceeded', 'refusal'])(
    'knows that a call came whole whose successor was cut off by %s and is dropped',
    async (stop_reason) => {
      const turn = await read(
        message([toolUse('c1', 'known', {}), toolUse('c2', 'known', {})], { stop_reason }),
      );
      expect(turn.content).toMatchObject([{ type: 'tool-call', callId: 'c1', isComplete: true }]);
    },
  );

  it.each(['model_context_window_exceeded', 'refusal'])(
    'drops what was cut off by %s and could not be sent back',
    async (stop_reason) => {
      const whole = [thinking('One.'), toolUse('c1', 'known', {}), text('and')];
      const cut = [
        serverToolUse('s1', 'web_search', { query: 'x' }),
        thinking('Two.'),
        toolUse('c2', 'known', '{"a'),
      ];
      const turn = await read(message([...whole, ...cut], { stop_reason }));
      expect(turn.raw?.items).toEqual(whole);
      expect(turn.content.filter(({ type }) => type === 'tool-call')).toHaveLength(1);
    },
  );

  it.each([
    ['pause_turn', [{ type: 'message_end', stop_reason: 'pause_turn' }]],
    ['tool_use', []],
  ])('keeps what %s left open', async (stop_reason, end) => {
    const open = [serverToolUse('s1', 'web_search', { query: 'x' }), toolUse('c1', 'known', {})];
    expect((await read(message(open, { stop_reason }))).raw?.items).toEqual([...open, ...end]);
  });
});

describe('a message that cannot be used', () => {
  it.each<[unknown, RegExp]>([
    ['text', /not an object/],
    [null, /not an object/],
    [[], /not an object/],
    [{}, /no content/],
    [{ content: 'x' }, /no content/],
    [{ content: [{ type: 'tool_use', id: 'a' }] }, /tool_use without a name/],
  ])('%j', (body, expected) => {
    expect(() => readPlain(body)).toThrow(
      expect.objectContaining({
        name: 'ModelResponseError',
        code: 'model-response-invalid',
        message: expect.stringMatching(expected),
      }),
    );
  });
});

import { describe, expect, it } from 'vitest';
import { openaiDialect, openaiHostedToolCodecs } from 'weakincentives/openai';
import { HostedToolRegistry, type ModelTurn, projectSchema } from 'weakincentives/provider';
import type { PreparedOpenAIRequest } from '../../../../src/providers/openai/request/request.ts';
import { readResponse } from '../../../../src/providers/openai/response/response.ts';
import { functionCall, message, reasoning, response } from '../../../support/openai-responses.ts';

const optional = projectSchema(
  {
    type: 'object',
    properties: { a: { type: 'string' } },
    additionalProperties: false,
  },
  openaiDialect,
);
const registry = new HostedToolRegistry({ adapter: 'openai', model: 'm', codecs: openaiHostedToolCodecs });
const read = (body: unknown, prepared: Partial<PreparedOpenAIRequest> = {}): ModelTurn =>
  readResponse(
    body,
    {
      toolSchemas: new Map([['known', optional]]),
      answerSchema: undefined,
      hostedTools: [],
      asked: { turn: 3, conversation: [] },
      ...prepared,
    },
    { provider: 'openai', registry },
  );

describe('what a response says', () => {
  it('becomes parts in its order; every item is kept as it came', () => {
    const items = [
      reasoning('rs_1', 'First.', ' Then.'),
      { ...reasoning('rs_2'), content: [{ type: 'reasoning_text', text: 'Open.' }] },
      reasoning('rs_3'),
      message('Hello'),
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search' } },
      { type: 'of tomorrow' },
      functionCall('c1', 'known', '{"a":"x"}'),
    ];
    const turn = read(response(items));
    expect(turn).toEqual({
      content: [
        { type: 'reasoning', text: 'First. Then.' },
        { type: 'reasoning', text: 'Open.' },
        { type: 'text', text: 'Hello' },
        { type: 'tool-call', callId: 'c1', name: 'known', arguments: '{"a":"x"}' },
      ],
      finishReason: 'tool-calls',
      usage: { inputTokens: 100, outputTokens: 10, cachedInputTokens: 60, reasoningTokens: 4 },
      raw: { provider: 'openai', items },
      responseId: 'resp_1',
      responseModel: 'gpt-5',
    });
  });

  it('tells what was written to the cache and thought', () => {
    const counts = {
      input_tokens: 5,
      input_tokens_details: { cached_tokens: 1, cache_write_tokens: 2 },
      output_tokens: 4,
      output_tokens_details: { reasoning_tokens: 3 },
    };
    expect(read(response([], { usage: counts })).usage).toEqual({
      inputTokens: 5,
      cachedInputTokens: 1,
      cacheWriteInputTokens: 2,
      outputTokens: 4,
      reasoningTokens: 3,
    });
  });

  it('may lack usage and status, as answers of other servers do', () => {
    const { usage, finishReason } = read({ output: [message('x')] });
    expect({ usage, finishReason }).toEqual({ usage: undefined, finishReason: 'stop' });
    expect(read({ output: [], usage: { input_tokens: 3 } }).usage).toEqual({ inputTokens: 3 });
  });

  it('joins the parts of a message', () => {
    const parts = ['{"a":', '"b"}'].map((text) => ({ type: 'output_text', text }));
    expect(read(response([message('', { content: parts })])).content).toEqual([
      { type: 'text', text: '{"a":"b"}' },
    ]);
  });

  it.each<[string, string, string]>([
    ['a null for an optional key', '{"a":null}', '{"a":null}'],
    ['an integer that a number does not hold', '{"a":9007199254740993}', '{"a":9007199254740993}'],
    ['nothing to take out', '{ "a" : "x" }', '{ "a" : "x" }'],
    ['malformed JSON', '{"a": ', '{"a": '],
    ['nothing at all', '', ''],
    ['nesting without end', '['.repeat(100_000), '['.repeat(100_000)],
  ])('gives arguments on as the model wrote them: %s', (_name, sent, expected) => {
    const [call] = read(response([functionCall('c1', 'known', sent)])).content;
    expect(call).toMatchObject({ arguments: expected });
  });

  it('leaves the arguments of an unknown tool alone', () => {
    const [call] = read(response([functionCall('c1', 'other', '{"a":null}')])).content;
    expect(call).toMatchObject({ name: 'other', arguments: '{"a":null}' });
  });

  it('takes the final answer out of the object that was put around it, and nothing else', () => {
    const answerSchema = projectSchema({ type: 'array', items: { type: 'string' } }, openaiDialect);
    const written = '{"value":[null]}';
    const [text] = read(response([message(written)]), { answerSchema }).content;
    expect(text).toEqual({ type: 'text', text: '[null]' });
    const [before] = read(response([message(written), functionCall('c', 'known', '{}')]), {
      answerSchema,
    }).content;
    expect(before).toEqual({ type: 'text', text: written });
  });
});

describe('why it ended', () => {
  const incomplete = (reason: string | undefined) => ({
    status: 'incomplete',
    incomplete_details: reason === undefined ? null : { reason },
  });

  it.each([
    ['stop', response([message('x')])],
    ['tool-calls', response([functionCall('c1', 'known', {})])],
    ['length', response([message('x')], incomplete('max_output_tokens'))],
    ['content-filter', response([message('x')], incomplete('content_filter'))],
    ['other', response([message('x')], incomplete('steered'))],
    ['other', response([message('x')], incomplete(undefined))],
  ])('%s', (expected, body) => {
    expect(read(body).finishReason).toBe(expected);
  });

  it('refusal, with the words of it', () => {
    const content = [{ type: 'refusal', refusal: 'I will not.' }];
    const turn = read(response([message('', { content })]));
    expect(turn).toMatchObject({ content: [{ type: 'text', text: 'I will not.' }], finishReason: 'refusal' });
  });

  const whole = [reasoning('rs_1', 'One.'), functionCall('c1', 'known', '{}')];
  const cut = [reasoning('rs_2', 'Two.'), functionCall('c2', 'known', '{"a', { status: 'incomplete' })];

  it('keeps a call that the limit on the length cut off, marked, with arguments that can go back', () => {
    const turn = read(response([...whole, ...cut], incomplete('max_output_tokens')));
    expect(turn.raw?.items).toEqual([...whole, cut[0], { ...cut[1], arguments: '{}' }]);
    expect(turn.content.filter(({ type }) => type === 'tool-call')).toMatchObject([
      { callId: 'c1', isComplete: true },
      { callId: 'c2', isComplete: false, arguments: '{"a' },
    ]);
    expect(turn.finishReason).toBe('length');
  });

  it('says nothing of calls whose status the server does not tell', () => {
    const { status: _status, ...untold } = { status: undefined, ...functionCall('c1', 'known', '{}') };
    const turn = read(response([untold], incomplete('max_output_tokens')));
    expect(turn.content[0]).not.toHaveProperty('isComplete');
  });

  it('drops a call that a filter cut off, with the reasoning that led to it', () => {
    const turn = read(response([...whole, ...cut], incomplete('content_filter')));
    expect(turn.raw?.items).toEqual(whole);
    expect(turn.content.filter(({ type }) => type === 'tool-call')).toHaveLength(1);
    expect(turn.finishReason).toBe('content-filter');
  });
});

describe('what goes back', () => {
  const cutOff = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };

  it('is without reasoning that led to nothing, in an answer that was cut off', () => {
    const whole = [reasoning('rs_1', 'One.'), message('It is')];
    const turn = read(response([...whole, reasoning('rs_2', 'Two.'), reasoning('rs_3')], cutOff));
    expect(turn.raw?.items).toEqual(whole);
    expect(turn.content).toEqual([
      { type: 'reasoning', text: 'One.' },
      { type: 'text', text: 'It is' },
    ]);
  });

  it('keeps reasoning at the end of an answer that is whole', () => {
    const items = [message('Hi.'), reasoning('rs_1')];
    expect(read(response(items)).raw?.items).toEqual(items);
  });

  it('names calls that have no name of their own, by the turn', () => {
    const calls = ['c1', 'c1', ''].map((id) => functionCall(id, 'known', {}));
    const turn = read(response(calls));
    const ids = ['c1', 'call-3-2', 'call-3-3'];
    expect(turn.content).toMatchObject(ids.map((callId) => ({ type: 'tool-call', callId })));
    expect(turn.raw?.items).toEqual(calls.map((call, index) => ({ ...call, call_id: ids[index] })));
    // What needs no other name stays the very item that came.
    expect(turn.raw?.items[0]).toBe(calls[0]);
  });
});

describe('what is said on the way', () => {
  const commentary = message('I look.', { phase: 'commentary' });

  it.each([
    ['to an answer', [commentary, message('It is 3.')], 'It is 3.'],
    ['to a final answer', [commentary, message('It is 3.', { phase: 'final_answer' })], 'It is 3.'],
    ['to a call', [commentary, functionCall('c1', 'known', {})], ''],
    ['to nothing', [commentary, message('')], 'I look.'],
  ])('%s is no part of the text unless it is all there is', (_name, items, expected) => {
    const { content } = read(response(items));
    const textOf = (type: string) =>
      content.flatMap((part) => (part.type === type && 'text' in part ? [part.text] : [])).join('');
    expect(textOf('text')).toBe(expected);
    expect(textOf('reasoning')).toBe(expected === 'I look.' ? '' : 'I look.');
  });
});

describe('a response that cannot be used', () => {
  it.each([
    ['rate_limit_exceeded', 'rate-limit'],
    ['insufficient_quota', 'quota'],
    ['vector_store_timeout', 'timeout'],
    ['server_error', 'server-error'],
  ])('failed for %s: a throttle of the kind %s', (code, kind) => {
    const body = response([], { status: 'failed', error: { code, message: 'Sorry.' } });
    expect(() => read(body)).toThrow(
      expect.objectContaining({
        name: 'ThrottleError',
        kind,
        message: 'Sorry.',
        retrySafe: kind !== 'quota',
      }),
    );
  });

  it.each([
    [
      { status: 'failed', error: { code: 'invalid_prompt', message: 'No.' } },
      'model-response-failed',
      /^No\.$/,
    ],
    [{ status: 'failed', error: null }, 'model-response-failed', /without a reason/],
    [{ status: 'cancelled' }, 'model-response-invalid', /status is cancelled/],
    [{ status: 'in_progress' }, 'model-response-invalid', /status is in_progress/],
    [{ output: undefined }, 'model-response-invalid', /no output/],
    [
      { output: [{ type: 'function_call', name: 'x' }] },
      'model-response-invalid',
      /without name or arguments/,
    ],
  ])('%j', (more, code, text) => {
    expect(() => read(response([], more))).toThrow(
      expect.objectContaining({ name: 'ModelResponseError', code, message: expect.stringMatching(text) }),
    );
  });

  it.each(['text', null, undefined, [], 1])('%j is none', (body) => {
    expect(() => read(body)).toThrow(/not an object/);
  });
});

import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { type Fixture, LLMock } from '@copilotkit/aimock';
import { createOpenAI as createOpenAIV3 } from 'ai-sdk-openai-v3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EvaluateOptions, type RunEvent, Session, ToolCallLog } from 'weakincentives';
import { type AiSdkModel, aiSdk } from 'weakincentives/ai-sdk';
import { createManualClock } from '../../../support/manual-clock.ts';
import { sums } from '../../../support/sums.ts';

// Round trips over HTTP: real provider packages, and a server that somebody else wrote.

const apiKey = 'none';
const providers: readonly (readonly [string, (url: string) => AiSdkModel])[] = [
  ['@ai-sdk/openai', (url) => createOpenAI({ apiKey, baseURL: `${url}/v1` })('gpt-5')],
  ['@ai-sdk/openai, chat', (url) => createOpenAI({ apiKey, baseURL: `${url}/v1` }).chat('gpt-4o')],
  ['@ai-sdk/anthropic', (url) => createAnthropic({ apiKey, baseURL: `${url}/v1` })('claude-sonnet-4-5')],
  ['@ai-sdk/google', (url) => createGoogle({ apiKey, baseURL: `${url}/v1beta` })('gemini-2.5-pro')],
  ['@ai-sdk/openai of AI SDK 6', (url) => createOpenAIV3({ apiKey, baseURL: `${url}/v1` })('gpt-5')],
];
const modes = [
  ['whole', false],
  ['streamed', true],
] as const;
const cases = providers.flatMap(([name, create]) =>
  modes.map(([mode, streaming]) => ({ name, mode, create, streaming })),
);

let server: LLMock;
beforeEach(async () => {
  server = new LLMock({ port: 0, host: '127.0.0.1', strict: true });
  await server.start();
});
afterEach(() => server.stop());

/** Answers a turn by its number; `hasToolResult` of the server tells the first from the second. */
function answerWith(first: Fixture['response'], second?: Fixture['response']): void {
  server.addFixture({ match: { hasToolResult: false }, response: first });
  if (second !== undefined) server.addFixture({ match: { hasToolResult: true }, response: second });
}

async function run(create: (url: string) => AiSdkModel, options: EvaluateOptions) {
  const session = new Session();
  const adapter = aiSdk({ model: create(server.url) });
  const outcome = await adapter.evaluate(sums, { input: 'Go', retry: false, ...options, session }).then(
    (response) => ({ response, error: undefined }),
    (error: unknown) => ({ response: undefined, error }),
  );
  const calls = session
    .slice(ToolCallLog)
    .all()
    .map(({ callId, outcome: came, modelText }) => ({ callId, came, modelText }));
  await session[Symbol.asyncDispose]();
  return { ...outcome, calls };
}

const add12 = { name: 'add', arguments: '{"left":1,"right":2}' };

describe.each(cases)('$name, $mode', ({ create, streaming }) => {
  it('goes over two turns, and the answers of tools come back to the model', async () => {
    answerWith(
      {
        toolCalls: [
          { id: 'c1', ...add12 },
          { id: 'c2', name: 'add', arguments: '{"left":-1,"right":2}' },
        ],
      },
      { content: 'It is 3.' },
    );
    const texts: string[] = [];
    const onEvent = (event: RunEvent): void => {
      if (event.type === 'text-delta') texts.push(event.text);
    };
    const { response, calls } = await run(create, { streaming, observers: [{ onEvent }] });
    expect(response).toMatchObject({ text: 'It is 3.', finishReason: 'stop' });
    expect(calls).toEqual([
      { callId: expect.any(String), came: 'committed', modelText: 'Added.\n\n3' },
      { callId: expect.any(String), came: 'rolled-back', modelText: 'Negative numbers are not for me.' },
    ]);
    expect(calls[0]?.callId).not.toBe(calls[1]?.callId);
    expect(texts.join('')).toBe(streaming ? 'It is 3.' : '');
    // What the server understood of the second request.
    const { messages = [] } = (server.getLastRequest()?.body ?? {}) as {
      messages?: readonly { role: string; content: string }[];
    };
    const contentsOf = (role: string): readonly string[] =>
      messages.filter((message) => message.role === role).map(({ content }) => content);
    expect(new Set(messages.map(({ role }) => role))).toEqual(
      new Set(['system', 'user', 'assistant', 'tool']),
    );
    expect(contentsOf('system')).toEqual([expect.stringContaining('Calculate.')]);
    expect(contentsOf('tool')).toEqual([
      expect.stringContaining('Added.'),
      expect.stringContaining('Negative numbers are not for me.'),
    ]);
  });

  it('asks a busy server again after the time that it says', async () => {
    const clock = createManualClock();
    const delays: number[] = [];
    let asked = 0;
    answerWith(() => {
      asked += 1;
      return asked === 1
        ? { error: { message: 'Slow down.', type: 'rate_limit_error' }, status: 429, retryAfter: 3 }
        : { content: 'At last.' };
    });
    const { response } = await run(create, {
      clock,
      streaming,
      retry: { random: () => 0 },
      observers: [
        {
          onEvent: (event) => {
            if (event.type !== 'model-call-retry') return;
            delays.push(event.delayMs);
            expect(event).toMatchObject({ reason: 'rate-limit', message: '429 Slow down.' });
            void Promise.resolve().then(() => clock.advance(3_000));
          },
        },
      ],
    });
    expect(response?.text).toBe('At last.');
    expect(delays).toEqual([3_000]);
  });

  it.each([
    [500, { message: 'Oops.' }, { name: 'ThrottleError', kind: 'server-error' }],
    [401, { message: 'Who?' }, { statusCode: 401 }],
    [
      400,
      { message: 'This is over the maximum context length.', code: 'context_length_exceeded' },
      { name: 'ModelResponseError', code: 'model-context-exceeded' },
    ],
  ])('reads an answer with status %i', async (status, error, cause) => {
    server.nextRequestError(status, error);
    const outcome = await run(create, { streaming });
    expect(outcome.error).toMatchObject({ cause });
  });
});

describe.each(providers)('%s, streamed', (_name, create) => {
  it('does not take a stream that breaks off for an answer', async () => {
    server.addFixture({
      match: {},
      response: { content: 'It is a long answer that nobody will ever read to its end.' },
      chunkSize: 5,
      truncateAfterChunks: 3,
    });
    const { error, response } = await run(create, { streaming: true });
    expect(response).toBeUndefined();
    expect(error).toMatchObject({ cause: { name: 'ThrottleError', kind: 'server-error' } });
  });
});

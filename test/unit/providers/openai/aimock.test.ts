import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Fixture, LLMock } from '@copilotkit/aimock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EvaluateOptions, hostedOutputsOf, type RunEvent, Session, ToolCallLog } from 'weakincentives';
import { openai } from 'weakincentives/openai';
import { webSearchTool } from 'weakincentives/tools';
import { createManualClock } from '../../../support/manual-clock.ts';
import { modes, promptOf } from '../../../support/openai-runs.ts';
import { sums } from '../../../support/sums.ts';

// Round trips over HTTP with the vendor's client and a server that somebody else wrote. What exactly goes over the wire
// is tested in wire.test.ts.

const call = (id: string, name: string, input: unknown) => ({
  id,
  name,
  arguments: typeof input === 'string' ? input : JSON.stringify(input),
});
const usage = { input_tokens: 7, output_tokens: 2, total_tokens: 9 };

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

async function run(options: EvaluateOptions = {}) {
  const session = new Session();
  const adapter = openai({ model: 'gpt-5', apiKey: 'none', baseURL: `${server.url}/v1` });
  const outcome = await adapter.evaluate(sums, { input: 'Go', retry: false, ...options, session }).then(
    (response) => ({ response, error: undefined }),
    (error: unknown) => ({ response: undefined, error }),
  );
  const calls = session
    .slice(ToolCallLog)
    .all()
    .map(({ callId, outcome: came, reason, modelText }) => ({ callId, came, reason, modelText }));
  await session[Symbol.asyncDispose]();
  return { ...outcome, calls };
}

describe.each(modes)('round trips, asked for %s', (_mode, options) => {
  it('over two turns, with the usage of both', async () => {
    answerWith(
      { toolCalls: [call('c1', 'add', { left: 1, right: 2 })], usage },
      { content: 'It is 3.', usage },
    );
    const { response, calls } = await run(options);
    expect(response).toMatchObject({
      text: 'It is 3.',
      finishReason: 'stop',
      usage: { inputTokens: 14, outputTokens: 4 },
    });
    expect(calls).toEqual([{ callId: 'c1', came: 'committed', reason: undefined, modelText: 'Added.\n\n3' }]);
    // What the server understood of the second request.
    expect(server.getLastRequest()?.body).toMatchObject({
      messages: [
        { role: 'system', content: expect.stringContaining('Calculate.') },
        { role: 'user' },
        { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 'add' } }] },
        { role: 'tool', tool_call_id: 'c1', content: 'Added.\n\n3' },
      ],
    });
  });

  it('with several calls in one turn, good and bad, each with its answer', async () => {
    answerWith(
      {
        toolCalls: [
          call('c1', 'add', { left: 1, right: null }),
          call('c2', 'add', { left: -1, right: null }),
          call('c3', 'subtract', { left: 1 }),
          call('c4', 'add', '{"left": '),
          call('c5', 'add', { left: 'one' }),
        ],
      },
      { content: 'Done.' },
    );
    const { response, calls } = await run(options);
    expect(response?.text).toBe('Done.');
    expect(calls.map(({ callId, came, reason }) => [callId, came, reason])).toEqual([
      ['c1', 'committed', undefined],
      ['c2', 'rolled-back', 'failed-result'],
      ['c3', 'rejected', 'unknown-tool'],
      ['c4', 'rejected', 'invalid-arguments'],
      ['c5', 'rejected', 'invalid-arguments'],
    ]);
    const { messages = [] } = (server.getLastRequest()?.body ?? {}) as {
      messages?: readonly { role: string }[];
    };
    expect(messages.filter(({ role }) => role === 'tool')).toEqual(
      calls.map(({ callId, modelText }) =>
        expect.objectContaining({ tool_call_id: callId, content: modelText }),
      ),
    );
  });

  it('with reasoning, which the server gets back', async () => {
    answerWith(
      { toolCalls: [call('c1', 'add', { left: 1, right: null })], reasoning: 'One it is.' },
      { content: 'It is 1.' },
    );
    const { response } = await run(options);
    expect(response?.conversation[1]).toMatchObject({
      content: [
        { type: 'reasoning', text: 'One it is.' },
        { type: 'tool-call', arguments: '{"left":1,"right":null}' },
      ],
      raw: { provider: 'openai', items: [{ type: 'reasoning' }, { type: 'function_call' }] },
    });
  });
});

describe.each(modes)('hosted tools, asked for %s', (_mode, options) => {
  it('are read from what another server makes of them', async () => {
    answerWith({ content: 'Boats float.', webSearches: ['why boats float', 'boats'] });
    const search = webSearchTool();
    const response = await openai({
      model: 'gpt-5',
      apiKey: 'none',
      baseURL: `${server.url}/v1`,
    }).evaluate(promptOf({ hostedTools: [search] }), { ...options, input: 'Go', retry: false });
    expect(response.text).toBe('Boats float.');
    expect(hostedOutputsOf(response, search).invocations).toMatchObject([
      { turn: 1, status: 'completed', action: 'search', queries: ['why boats float'] },
      { turn: 1, status: 'completed', action: 'search', queries: ['boats'] },
    ]);
  });
});

describe.each(modes)('a server that is busy or broken, asked for %s', (_mode, options) => {
  it('is asked again after the time it says', async () => {
    const clock = createManualClock();
    const events: RunEvent[] = [];
    let asked = 0;
    answerWith(() => {
      asked += 1;
      return asked === 1
        ? { error: { message: 'Slow down.', type: 'rate_limit_error' }, status: 429, retryAfter: 3 }
        : { content: 'At last.' };
    });
    const { response } = await run({
      ...options,
      clock,
      retry: { random: () => 0 },
      observers: [
        {
          onEvent: (event) => {
            events.push(event);
            if (event.type === 'model-call-retry') void Promise.resolve().then(() => clock.advance(3_000));
          },
        },
      ],
    });
    expect(response?.text).toBe('At last.');
    expect(events.filter(({ type }) => type === 'model-call-retry')).toEqual([
      expect.objectContaining({
        attempt: 2,
        delayMs: 3_000,
        reason: 'rate-limit',
        message: '429 Slow down.',
      }),
    ]);
  });

  it.each([
    [429, { message: 'Pay.', code: 'insufficient_quota' }, { name: 'ThrottleError', kind: 'quota' }],
    [500, { message: 'Oops.' }, { name: 'ThrottleError', kind: 'server-error' }],
    [401, { message: 'Who?', code: 'invalid_api_key' }, { status: 401, code: 'invalid_api_key' }],
    [400, { message: 'What?' }, { status: 400 }],
  ])('ends the run with %i %j', async (status, error, cause) => {
    server.nextRequestError(status, error);
    const outcome = await run(options);
    expect(outcome.error).toMatchObject({ phase: 'request', code: 'evaluation-request-failed', cause });
  });
});

describe('a streamed answer', () => {
  const content = 'It is three, as far as I can tell.';
  const textOf = (events: readonly RunEvent[]): string =>
    events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('');

  it('is told in pieces that come to its text', async () => {
    const events: RunEvent[] = [];
    server.addFixture({ match: {}, response: { content }, chunkSize: 5 });
    const { response } = await run({
      streaming: true,
      observers: [{ onEvent: (event) => void events.push(event) }],
    });
    expect(response?.text).toBe(content);
    expect(textOf(events)).toBe(content);
    expect(events.filter(({ type }) => type === 'text-delta').length).toBeGreaterThan(5);
  });

  it('that breaks off is asked for again, and what was told of it is void', async () => {
    const clock = createManualClock();
    const told: RunEvent[] = [];
    server.addFixture({
      match: { sequenceIndex: 0 },
      response: { content },
      chunkSize: 5,
      truncateAfterChunks: 5,
    });
    server.addFixture({ match: { sequenceIndex: 1 }, response: { content }, chunkSize: 5 });
    const { response } = await run({
      streaming: true,
      clock,
      retry: { random: () => 0 },
      observers: [
        {
          onEvent: (event) => {
            told.push(event);
            if (event.type === 'model-call-retry')
              void Promise.resolve().then(() => clock.advance(event.delayMs));
          },
        },
      ],
    });
    expect(response?.text).toBe(content);
    expect(told.filter(({ type }) => type === 'model-call-retry')).toMatchObject([
      { reason: 'server-error' },
    ]);
    const retry = told.findIndex(({ type }) => type === 'model-call-retry');
    expect(content.startsWith(textOf(told.slice(0, retry)))).toBe(true);
    expect(textOf(told.slice(retry))).toBe(content);
  });
});

describe('an answer that does not arrive whole', () => {
  /** A server that answers one request as told. */
  async function against(
    answer: (response: ServerResponse, received: () => void) => void,
    options: EvaluateOptions = {},
  ) {
    let received: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => (received = resolve));
    const http = createServer((request, response) => {
      request.resume();
      request.on('end', () => answer(response, received));
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    // A server that listens on a port has an address of this form.
    const { port } = http.address() as AddressInfo;
    const adapter = openai({ model: 'gpt-4o', apiKey: 'none', baseURL: `http://127.0.0.1:${port}/v1` });
    const outcome = adapter.evaluate(sums, { retry: false, ...options }).catch((error: unknown) => error);
    return {
      outcome,
      arrived,
      [Symbol.asyncDispose]: () =>
        new Promise<void>((resolve) => {
          http.closeAllConnections();
          http.close(() => resolve());
        }),
    };
  }
  const json = { 'content-type': 'application/json' };

  it('because the connection breaks off, counts as a failure of the server', async () => {
    await using broken = await against((response) => {
      response.writeHead(200, { ...json, 'content-length': '500' });
      response.write('{"output":[', () => response.destroy());
    });
    expect(await broken.outcome).toMatchObject({
      phase: 'request',
      cause: { name: 'ThrottleError', kind: 'server-error' },
    });
  });

  it('because there is none, too', async () => {
    await using broken = await against((response) => response.destroy());
    expect(await broken.outcome).toMatchObject({
      phase: 'request',
      cause: { name: 'ThrottleError', kind: 'server-error' },
    });
  });

  it.each([
    ['cut JSON', json, '{"output":['],
    ['a web page', { 'content-type': 'text/html' }, '<html>'],
  ])('but as %s, is a failure of the server', async (_name, headers, body) => {
    await using broken = await against((response) => response.writeHead(200, headers).end(body));
    expect(await broken.outcome).toMatchObject({
      phase: 'request',
      cause: { name: 'ThrottleError', kind: 'server-error' },
    });
  });

  it('but as JSON of another kind, ends the run in phase response', async () => {
    await using broken = await against((response) => response.writeHead(200, json).end('{"choices":[]}'));
    expect(await broken.outcome).toMatchObject({
      phase: 'response',
      code: 'evaluation-response-invalid',
      cause: { name: 'ModelResponseError', code: 'model-response-invalid' },
    });
  });

  it('before the caller aborts: the request is closed', async () => {
    const controller = new AbortController();
    let closed: () => void = () => undefined;
    const isClosed = new Promise<void>((resolve) => (closed = resolve));
    await using silent = await against(
      (response, received) => {
        response.on('close', closed);
        received();
      },
      { signal: controller.signal },
    );
    await silent.arrived;
    controller.abort(new Error('Enough.'));
    expect(await silent.outcome).toMatchObject({ code: 'evaluation-aborted', cause: { message: 'Enough.' } });
    await isClosed;
  });
});

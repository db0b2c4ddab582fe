import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Fixture, LLMock } from '@copilotkit/aimock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EvaluateOptions, type RunEvent, Session, ToolCallLog } from 'weakincentives';
import { anthropic } from 'weakincentives/anthropic';
import { message, text, toolUse } from '../../../support/anthropic-messages.ts';
import { toEvents } from '../../../support/anthropic-stream.ts';
import { createManualClock } from '../../../support/manual-clock.ts';
import { sums } from '../../../support/sums.ts';

// Round trips over HTTP with the vendor's client and a server that somebody else wrote. What exactly goes over the wire
// is tested in wire.test.ts.

const call = (id: string, name: string, input: unknown) => ({ id, name, arguments: JSON.stringify(input) });
const modes = [['at once', false] as const, ['piece by piece', true] as const];

let server: LLMock;
beforeEach(async () => {
  server = new LLMock({ port: 0, host: '127.0.0.1', strict: true });
  await server.start();
});
afterEach(() => server.stop());

/** Answers a turn by its number; `hasToolResult` of the server tells the first from the second. */
function answerWith(
  first: Fixture['response'],
  second?: Fixture['response'],
  more: Partial<Fixture> = {},
): void {
  server.addFixture({ match: { hasToolResult: false }, response: first, ...more });
  if (second !== undefined) server.addFixture({ match: { hasToolResult: true }, response: second });
}

async function run(options: EvaluateOptions = {}) {
  const session = new Session();
  const adapter = anthropic({ model: 'claude-sonnet-5-5', apiKey: 'none', baseURL: server.url });
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

describe.each(modes)('round trips %s', (_name, streaming) => {
  it('over two turns', async () => {
    answerWith({ toolCalls: [call('c1', 'add', { left: 1, right: 2 })] }, { content: 'It is 3.' });
    const { response, calls } = await run({ streaming });
    expect(response).toMatchObject({ text: 'It is 3.', finishReason: 'stop' });
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
          call('c1', 'add', { left: 1 }),
          call('c2', 'add', { left: -1 }),
          call('c3', 'subtract', { left: 1 }),
          call('c4', 'add', { left: 'one' }),
        ],
      },
      { content: 'Done.' },
    );
    const { response, calls } = await run({ streaming });
    expect(response?.text).toBe('Done.');
    expect(calls.map(({ callId, came, reason }) => [callId, came, reason])).toEqual([
      ['c1', 'committed', undefined],
      ['c2', 'rolled-back', 'failed-result'],
      ['c3', 'rejected', 'unknown-tool'],
      ['c4', 'rejected', 'invalid-arguments'],
    ]);
  });

  it('with thinking, which the server gets back', async () => {
    answerWith(
      { toolCalls: [call('c1', 'add', { left: 1 })], reasoning: 'One it is.' },
      { content: 'It is 1.' },
    );
    const { response } = await run({ streaming });
    expect(response?.conversation[1]).toMatchObject({
      content: [
        { type: 'reasoning', text: 'One it is.' },
        { type: 'tool-call', arguments: '{"left":1}' },
      ],
      raw: { provider: 'anthropic', items: [{ type: 'thinking' }, { type: 'tool_use' }] },
    });
  });
});

describe('a server that is busy or broken', () => {
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

  it('in the middle of a stream counts as a failure of the server', async () => {
    answerWith({ content: 'This is going to be cut off.' }, undefined, { truncateAfterChunks: 3 });
    expect(await run({ streaming: true })).toMatchObject({
      error: { phase: 'request', cause: { name: 'ThrottleError', kind: 'server-error', retrySafe: true } },
    });
  });
});

describe('an answer that does not arrive whole', () => {
  const json = { 'content-type': 'application/json' };
  const sse = { 'content-type': 'text/event-stream' };
  const answer = toEvents(message([text('Hello'), toolUse('c1', 'add', { left: 1 })]));
  const written = (count: number): string =>
    answer
      .slice(0, count)
      .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join('');

  /** A server that answers one request as told. */
  async function against(answerRequest: (response: ServerResponse) => void, options: EvaluateOptions = {}) {
    const http = createServer((request, response) => {
      request.resume();
      request.on('end', () => answerRequest(response));
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    // A server that listens on a port has an address of this form.
    const { port } = http.address() as AddressInfo;
    const adapter = anthropic({ model: 'm', apiKey: 'none', baseURL: `http://127.0.0.1:${port}` });
    const outcome = adapter.evaluate(sums, { retry: false, ...options }).catch((error: unknown) => error);
    return {
      outcome,
      [Symbol.asyncDispose]: () =>
        new Promise<void>((resolve) => {
          http.closeAllConnections();
          http.close(() => resolve());
        }),
    };
  }

  it.each<[string, boolean, (response: ServerResponse) => void]>([
    ['at once: none at all', false, (response) => response.destroy()],
    [
      'at once: half of it',
      false,
      (response) => {
        response.writeHead(200, { ...json, 'content-length': '500' });
        response.write('{"content":[', () => response.destroy());
      },
    ],
    [
      'piece by piece: a torn connection',
      true,
      (response) => void response.writeHead(200, sse).write(written(5), () => response.destroy()),
    ],
    ['piece by piece: an early end', true, (response) => response.writeHead(200, sse).end(written(7))],
    [
      'piece by piece: a torn event',
      true,
      (response) => response.writeHead(200, sse).end(`${written(7)}event: content_block_delta\ndata: {"ty`),
    ],
    [
      'piece by piece: an overload',
      true,
      (response) =>
        response
          .writeHead(200, sse)
          .end(
            `${written(4)}event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Busy."}}\n\n`,
          ),
    ],
  ])('%s counts as a failure of the server', async (_name, streaming, answerRequest) => {
    await using broken = await against(answerRequest, { streaming });
    expect(await broken.outcome).toMatchObject({
      phase: 'request',
      cause: { name: 'ThrottleError', kind: 'server-error' },
    });
  });

  it.each([
    ['cut JSON', json, '{"content":['],
    ['a web page', { 'content-type': 'text/html' }, '<html>'],
  ])('but is %s, counts as a failure of the server', async (_name, headers, body) => {
    await using broken = await against((response) => response.writeHead(200, headers).end(body));
    expect(await broken.outcome).toMatchObject({
      phase: 'request',
      cause: { name: 'ThrottleError', kind: 'server-error' },
    });
  });

  it('but is JSON of another kind, ends the run in phase response', async () => {
    await using broken = await against((response) => response.writeHead(200, json).end('{"choices":[]}'));
    expect(await broken.outcome).toMatchObject({
      phase: 'response',
      cause: { name: 'ModelResponseError', code: 'model-response-invalid' },
    });
  });

  it('because the conversation is too long, ends the run with that', async () => {
    const error = { type: 'invalid_request_error', message: 'prompt is too long: 2 tokens > 1 maximum' };
    await using full = await against((response) =>
      response.writeHead(400, json).end(JSON.stringify({ type: 'error', error })),
    );
    expect(await full.outcome).toMatchObject({
      code: 'evaluation-context-exceeded',
      cause: { name: 'ModelResponseError', code: 'model-context-exceeded' },
    });
  });

  it.each(modes)('%s before the caller aborts: the connection is closed', async (_name, streaming) => {
    const controller = new AbortController();
    let closed: () => void = () => undefined;
    const isClosed = new Promise<void>((resolve) => (closed = resolve));
    let arrived: () => void = () => undefined;
    const hasArrived = new Promise<void>((resolve) => (arrived = resolve));
    await using silent = await against(
      (response) => {
        response.on('close', closed);
        if (streaming) response.writeHead(200, sse).write(written(5));
        else arrived();
      },
      {
        signal: controller.signal,
        streaming,
        observers: [
          {
            onEvent: ({ type }) => {
              if (type === 'text-delta') arrived();
            },
          },
        ],
      },
    );
    await hasArrived;
    controller.abort(new Error('Enough.'));
    expect(await silent.outcome).toMatchObject({ code: 'evaluation-aborted', cause: { message: 'Enough.' } });
    await isClosed;
  });
});

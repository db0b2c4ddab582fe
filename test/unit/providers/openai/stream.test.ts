import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import OpenAI, { APIError } from 'openai';
import { describe, expect, it } from 'vitest';
import { type RunEvent, ToolResult, tool } from 'weakincentives';
import { openai } from 'weakincentives/openai';
import type { ModelDelta } from 'weakincentives/provider';
import { hostedMcpTool } from 'weakincentives/tools';
import { z } from 'zod';
import { readStream } from '../../../../src/providers/openai/response/read-stream.ts';
import type { CapturedAnswer } from '../../../support/captured-requests.ts';
import { gate as makeGate } from '../../../support/gate.ts';
import { createManualClock } from '../../../support/manual-clock.ts';
import { functionCall, message, reasoning, response } from '../../../support/openai-responses.ts';
import { openaiFixture, promptOf, runOpenAI } from '../../../support/openai-runs.ts';
import {
  inEitherMode,
  toEvents,
  toEventsWithoutOutput,
  toServerSentEvents,
} from '../../../support/openai-stream.ts';

const add = tool({
  name: 'add',
  description: 'Adds.',
  inputSchema: z.object({ left: z.number(), right: z.number().optional() }),
  effects: 'read',
  execute: ({ left, right = 1 }) => ToolResult.ok(left + right, 'Added.'),
});
const wiki = hostedMcpTool({ config: { label: 'wiki', url: 'https://wiki.example/mcp' } });
const prompt = promptOf({ tools: [add], hostedTools: [wiki] });

const sse = (text: string): Response =>
  new Response(text, { headers: { 'content-type': 'text/event-stream' } });
const streamOf = (body: Readonly<Record<string, unknown>>): CapturedAnswer =>
  sse(toServerSentEvents(toEvents(body)));

const told = (events: readonly RunEvent[]): readonly (readonly [string, string])[] =>
  events.flatMap((event) =>
    event.type === 'text-delta' || event.type === 'reasoning-delta'
      ? [[event.type, event.text] as const]
      : [],
  );
const toldText = (events: readonly RunEvent[], type: string): string =>
  told(events)
    .filter(([kind]) => kind === type)
    .map(([, text]) => text)
    .join('');

/** Events that note how far they were read, and whether they were left. */
function eventsOf(list: readonly unknown[], end?: unknown) {
  const seen = { read: 0, left: false };
  const events = (async function* () {
    try {
      for (const event of list) {
        seen.read += 1;
        yield event;
      }
      if (end !== undefined) throw end;
    } finally {
      seen.left = true;
    }
  })();
  return { seen, events };
}

const { signal } = new AbortController();
const listener = { signal, onDelta: () => undefined };
const afterMicrotasks = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('an answer that comes piece by piece', () => {
  it('is asked for with stream, and told in pieces', async () => {
    const body = response([
      reasoning('rs_1', 'Let me think.'),
      message('I look.', { phase: 'commentary' }),
      message('It is 3.', { id: 'msg_2', phase: 'final_answer' }),
    ]);
    const { bodies, events, result } = await runOpenAI(prompt, [streamOf(body)], { streaming: true });
    expect(bodies[0]).toMatchObject({ stream: true, model: 'gpt-5', store: false });
    expect(told(events)).toEqual([
      ['reasoning-delta', 'Let '],
      ['reasoning-delta', 'me t'],
      ['reasoning-delta', 'hink'],
      ['reasoning-delta', '.'],
      ['reasoning-delta', 'I lo'],
      ['reasoning-delta', 'ok.'],
      ['text-delta', 'It i'],
      ['text-delta', 's 3.'],
    ]);
    expect(result.text).toBe('It is 3.');
  });

  it('is asked for whole without it', async () => {
    const { bodies, events } = await runOpenAI(prompt, [response([message('Hi.')])]);
    expect(bodies[0]).not.toHaveProperty('stream');
    expect(told(events)).toEqual([]);
  });

  it.each<[string, readonly Readonly<Record<string, unknown>>[]]>([
    [
      'calls',
      [
        response([
          reasoning('rs_1', 'One.', 'Two.'),
          message('I add.', { phase: 'commentary' }),
          functionCall('c1', 'add', { left: 1, right: null }),
          functionCall('c2', 'add', { left: 2, right: 3 }),
        ]),
        response([message('3 and 5. 🎉')]),
      ],
    ],
    [
      'a cut answer',
      [
        response([message('It')], {
          status: 'incomplete',
          incomplete_details: { reason: 'max_output_tokens' },
        }),
      ],
    ],
    ['a refusal', [response([message('', { content: [{ type: 'refusal', refusal: 'I will not.' }] })])]],
    ['hosted tools', [openaiFixture('mcp')]],
    ['items of tomorrow', [response([{ id: 'x_1', type: 'of tomorrow' }, message('Hi.')])]],
  ])('comes to the same as a whole one: %s', async (_name, answers) => {
    const whole = await runOpenAI(prompt, answers, { input: 'Go' });
    const streamed = await runOpenAI(prompt, answers.map(inEitherMode), { input: 'Go', streaming: true });
    const bare = await runOpenAI(
      prompt,
      answers.map((body) => sse(toServerSentEvents(toEventsWithoutOutput(body)))),
      { input: 'Go', streaming: true },
    );
    for (const { result, bodies, events } of [streamed, bare]) {
      expect(result).toEqual(whole.result);
      expect(bodies.map(({ stream: _stream, ...body }) => body)).toEqual(whole.bodies);
      expect(events.map(({ type }) => type).filter((type) => !type.endsWith('-delta'))).toEqual(
        whole.events.map(({ type }) => type),
      );
    }
    const said = whole.events
      .flatMap((event) => (event.type === 'model-call-end' ? [event.text] : []))
      .join('');
    expect(toldText(streamed.events, 'text-delta')).toBe(said);
  });

  it('is put together in its order, however the items end', async () => {
    const items = [message('One.', { id: 'a' }), message('Two.', { id: 'b' })];
    const { events } = eventsOf([
      { type: 'response.output_item.done', output_index: 1, item: items[1] },
      null,
      { type: 'response.output_item.done', output_index: 0, item: items[0] },
      { type: 'response.completed', response: { id: 'r' } },
    ]);
    expect(await readStream(events, listener)).toEqual({ id: 'r', status: 'completed', output: items });
  });

  it('may come whole all the same, from a client that does not stream', async () => {
    const asked: unknown[] = [];
    const client = {
      responses: {
        create: async (body: { stream?: true }) => {
          asked.push(body.stream);
          return response([message('Hi.')]);
        },
      },
    };
    const { text } = await openai({ model: 'm', client }).evaluate(promptOf(), { streaming: true });
    expect([text, asked]).toEqual(['Hi.', [true]]);
  });

  it('is told as the provider writes it, also where the text is unpacked afterwards', async () => {
    const { text, deltas } = await (async () => {
      const pieces: ModelDelta[] = [];
      const { events } = eventsOf(toEvents(response([message('{"value":[1]}')])));
      await readStream(events, { signal, onDelta: (delta) => void pieces.push(delta) });
      return { deltas: pieces, text: pieces.map((piece) => piece.text).join('') };
    })();
    expect(deltas[0]).toEqual({ type: 'text-delta', text: '{"va' });
    expect(text).toBe('{"value":[1]}');
  });
});

describe('whoever listens', () => {
  const body = response([message('Hello, you.')]);

  it('is waited for before the next event is read', async () => {
    const gate = makeGate();
    const { events, seen } = eventsOf(toEvents(body));
    const reading = readStream(events, { signal, onDelta: () => gate.pass() });
    await gate.reached;
    const before = seen.read;
    await afterMicrotasks();
    expect(seen.read).toBe(before);
    gate.open();
    await reading;
    await afterMicrotasks();
    expect(seen).toEqual({ read: toEvents(body).length, left: true });
  });

  it('holds the server up', async () => {
    const piece = 'x'.repeat(64 * 1024);
    const pieces = 400;
    const delta = `event: response.output_text.delta\ndata: ${JSON.stringify({ type: 'response.output_text.delta', output_index: 0, delta: piece })}\n\n`;
    let written = 0;
    await using server = await serve(async (answer) => {
      answer.writeHead(200, { 'content-type': 'text/event-stream' });
      for (; written < pieces; written += 1) {
        if (!answer.write(delta)) await new Promise<void>((resolve) => answer.once('drain', resolve));
      }
      answer.end(
        toServerSentEvents([{ type: 'response.completed', response: response([message('Done.')]) }]),
      );
    });
    const gate = makeGate();
    let heard = 0;
    const client = new OpenAI({ apiKey: 'none', baseURL: server.url, maxRetries: 0 });
    const stream = await client.responses.create({ model: 'm', input: 'x', stream: true });
    const reading = readStream(stream, {
      signal,
      onDelta: () => {
        heard += 1;
        return heard === 1 ? gate.pass() : undefined;
      },
    });
    await gate.reached;
    // However long it is let: what the sockets hold is less than what is to be written.
    for (let round = 0; round < 1_000; round += 1) await afterMicrotasks();
    expect(heard).toBe(1);
    expect(written).toBeLessThan(pieces);
    gate.open();
    expect(await reading).toMatchObject({ status: 'completed' });
    expect([heard, written]).toEqual([pieces, pieces]);
  });
});

describe('a stop', () => {
  it.each<[string, (controller: AbortController, stalled: Promise<void>) => Promise<void> | undefined]>([
    [
      'while whoever listens takes its time',
      (controller) => {
        controller.abort(new Error('Enough.'));
        return new Promise(() => undefined);
      },
    ],
    [
      'while the next event is awaited',
      (controller, stalled) => {
        void stalled.then(() => controller.abort(new Error('Enough.')));
        return undefined;
      },
    ],
  ])('ends the stream at once: %s', async (_name, hear) => {
    const controller = new AbortController();
    const stalled = makeGate();
    let isLeft = false;
    const list = [...toEvents(response([message('Hi')]))].slice(0, 5);
    // An iterable that does not heed the signal.
    const events: AsyncIterable<unknown> = {
      [Symbol.asyncIterator]: () => {
        let at = 0;
        return {
          next: async () => {
            const value = list[at];
            at += 1;
            if (value === undefined) await stalled.pass();
            return { done: false, value };
          },
          return: async () => {
            isLeft = true;
            return { done: true, value: undefined };
          },
        };
      },
    };
    const reading = readStream(events, {
      signal: controller.signal,
      onDelta: () => hear(controller, stalled.reached),
    });
    await expect(reading).rejects.toThrow('Enough.');
    expect(isLeft).toBe(true);
  });

  it('closes the connection in the middle of an answer', async () => {
    const controller = new AbortController();
    let closed: () => void = () => undefined;
    const isClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    await using server = await serve(async (answer) => {
      answer.on('close', closed);
      answer.writeHead(200, { 'content-type': 'text/event-stream' });
      answer.write(toServerSentEvents(toEvents(response([message('Hello')])).slice(0, 5)));
    });
    const adapter = openai({ model: 'm', apiKey: 'none', baseURL: server.url });
    const run = adapter.evaluate(promptOf(), {
      streaming: true,
      signal: controller.signal,
      observers: [
        {
          onEvent: ({ type }) => {
            if (type === 'text-delta') controller.abort(new Error('Enough.'));
          },
        },
      ],
    });
    await expect(run).rejects.toMatchObject({ code: 'evaluation-aborted', cause: { message: 'Enough.' } });
    await isClosed;
  });

  it('comes too late when the answer is there', async () => {
    const { events, seen } = eventsOf([...toEvents(response([message('Hi')])), { type: 'of tomorrow' }]);
    expect(await readStream(events, listener)).toMatchObject({ status: 'completed' });
    await afterMicrotasks();
    expect(seen.left).toBe(true);
  });
});

describe('a stream that breaks off', () => {
  const body = response([message('Hello')]);
  const whole = toServerSentEvents(toEvents(body));
  const start = whole.indexOf('event: response.completed');

  it.each([
    ['at once', 0],
    ['behind an event', start],
    ['behind the name of an event', start + 'event: response.completed\n'.length],
    ['in the middle of one', start + 60],
  ])('%s may be asked for again', async (_name, length) => {
    const failed = runOpenAI(prompt, [sse(whole.slice(0, length))], { streaming: true });
    await expect(failed).rejects.toMatchObject({
      phase: 'request',
      cause: { name: 'ThrottleError', kind: 'server-error', retrySafe: true },
    });
  });

  it('is asked for again, and told again from the start', async () => {
    const clock = createManualClock();
    const events: RunEvent[] = [];
    const { result, requests } = await runOpenAI(prompt, [sse(whole.slice(0, start)), sse(whole)], {
      streaming: true,
      clock,
      retry: { random: () => 0 },
      observers: [
        {
          onEvent: (event) => {
            events.push(event);
            if (event.type === 'model-call-retry')
              void Promise.resolve().then(() => clock.advance(event.delayMs));
          },
        },
      ],
    });
    expect(requests).toHaveLength(2);
    expect(result.text).toBe('Hello');
    expect(events.map(({ type }) => type).filter((type) => /delta|retry/.test(type))).toEqual([
      'text-delta',
      'text-delta',
      'model-call-retry',
      'text-delta',
      'text-delta',
    ]);
  });

  it.each([
    ['the connection fails', new TypeError('terminated'), { name: 'ThrottleError', kind: 'server-error' }],
    [
      'an event is no JSON',
      new SyntaxError('Unexpected end'),
      { name: 'ThrottleError', kind: 'server-error' },
    ],
    ['the client is broken', new RangeError('Oops.'), { name: 'RangeError', message: 'Oops.' }],
  ])('because %s', async (_name, error, expected) => {
    const { events, seen } = eventsOf(toEvents(body).slice(0, 4), error);
    await expect(readStream(events, listener)).rejects.toMatchObject(expected);
    expect(seen.left).toBe(true);
  });
});

describe('a failure told in a stream', () => {
  const failures: readonly [object, object][] = [
    [
      { code: 'rate_limit_exceeded', message: 'Slow.' },
      { name: 'ThrottleError', kind: 'rate-limit' },
    ],
    [
      { code: 'insufficient_quota', message: 'Pay.' },
      { name: 'ThrottleError', kind: 'quota' },
    ],
    [
      { code: null, type: 'server_error', message: 'Oops.' },
      { name: 'ThrottleError', kind: 'server-error' },
    ],
    [
      { code: 'server_is_overloaded', message: 'Busy.' },
      { name: 'ThrottleError', kind: 'server-error' },
    ],
    [
      { code: 'context_length_exceeded', message: 'Long.' },
      { name: 'ModelResponseError', code: 'model-context-exceeded' },
    ],
    [
      { code: 'invalid_prompt', message: 'No.' },
      { name: 'ModelResponseError', code: 'model-response-failed' },
    ],
    [
      { code: null, message: 'No.' },
      { name: 'ModelResponseError', code: 'model-response-failed' },
    ],
  ];

  it.each(failures)('by an event: %j', async (error, expected) => {
    const { events, seen } = eventsOf([{ type: 'error', param: null, ...error }]);
    await expect(readStream(events, listener)).rejects.toMatchObject({
      ...expected,
      message: expect.stringMatching(/./),
    });
    expect(seen.left).toBe(true);
    const nested = eventsOf([{ type: 'error', error }]).events;
    await expect(readStream(nested, listener)).rejects.toMatchObject(expected);
  });

  it.each([
    ['No template.', { code: 'model-response-failed', message: 'No template.' }],
    ['Context size has been exceeded.', { code: 'model-context-exceeded' }],
  ])('by an event whose error is a text: %s', async (error, expected) => {
    await expect(readStream(eventsOf([{ type: 'error', error }]).events, listener)).rejects.toMatchObject(
      expected,
    );
  });

  it.each(failures)("by the vendor's client: %j", async (error, expected) => {
    const text = `event: error\ndata: ${JSON.stringify({ type: 'error', ...error })}\n\n`;
    const failed = runOpenAI(prompt, [sse(text)], { streaming: true });
    await expect(failed).rejects.toMatchObject({ cause: expected });
    const thrown = eventsOf([], new APIError(undefined, error, undefined, new Headers())).events;
    await expect(readStream(thrown, listener)).rejects.toMatchObject(expected);
  });

  it.each(failures)('by the response: %j', async (error, expected) => {
    const failed = runOpenAI(prompt, [streamOf(response([], { status: 'failed', error }))], {
      streaming: true,
    });
    // A failed response has a code, and nothing else to tell by.
    if ('code' in error && error.code !== null)
      await expect(failed).rejects.toMatchObject({ cause: expected });
    else await expect(failed).rejects.toMatchObject({ cause: { code: 'model-response-failed' } });
  });
});

/** A server that answers every request as told. */
async function serve(answer: (response: ServerResponse) => Promise<void>) {
  const http = createServer((request, reply) => {
    request.resume();
    request.on('end', () => void answer(reply));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address of this form.
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        http.closeAllConnections();
        http.close(() => resolve());
      }),
  };
}

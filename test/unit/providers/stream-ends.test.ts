import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type EvaluateOptions, type PromptResponse, ToolResult, tool } from 'weakincentives';
import { createManualClock, type ManualClock } from 'weakincentives/testing';
import { z } from 'zod';
import { promptOf } from '../../support/openai-runs.ts';
import { type PipedRequest, pipedFetch } from '../../support/piped-fetch.ts';
import { type ProviderFormat, ping, providerFormats, type SaidTurn } from '../../support/provider-formats.ts';

const add = tool({
  name: 'add',
  description: 'Adds.',
  inputSchema: z.object({ left: z.number() }),
  effects: 'read',
  execute: ({ left }) => ToolResult.ok(left + 1, `${left + 1}`),
});
const prompt = promptOf({ tools: [add] });
const calling: SaidTurn = {
  text: 'Let me see.',
  calls: [
    { id: 'call000a1', name: 'add', arguments: { left: 1 } },
    { id: 'call000a2', name: 'add', arguments: { left: 2 } },
  ],
};
const answering: SaidTurn = { text: 'It is two or three.' };

// Packages set timers by themselves: @ai-sdk/openai waits 50 ms for an error before it shows the first events.
beforeAll(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterAll(() => void vi.useRealTimers());

/** Time passes on the clock, and for the timers of packages, which would otherwise fire after more or less of it. */
function pass(clock: ManualClock, durationMs: number): void {
  clock.advance(durationMs);
  vi.advanceTimersByTime(durationMs);
}

/** Runs with time that passes while nothing else happens. */
async function play(
  { adapter }: ProviderFormat,
  onRequest: (request: PipedRequest, number: number, clock: ManualClock) => void,
  options: EvaluateOptions = {},
  { stepMs = 50, timeoutMs = 600_000 } = {},
) {
  const clock = createManualClock();
  const began = clock.now();
  const { fetch, requests } = pipedFetch((request, number) => onRequest(request, number, clock));
  const ended: { outcome?: PromptResponse<undefined> | { readonly error: unknown } } = {};
  const run = adapter(fetch, { timeoutMs })
    .evaluate(prompt, {
      input: 'Go',
      streaming: true,
      retry: { baseDelayMs: 1, maxDelayMs: 1 },
      clock,
      ...options,
    })
    .then(
      (response) => {
        ended.outcome = response;
      },
      (error: unknown) => {
        ended.outcome = { error };
      },
    );
  for (let round = 0; ended.outcome === undefined; round += 1) {
    await setImmediate();
    if (round % 10 === 9) pass(clock, stepMs);
  }
  await run;
  const elapsedMs = clock.now() - began;
  // What a connection is left with after its answer has a limit of its own.
  pass(clock, 1_000);
  return { outcome: ended.outcome, requests, elapsedMs };
}

/** Runs as {@link play}, where the time that passes has an upper bound: what is used for the first time is loaded meanwhile, which takes the machine as long as it does. */
async function playLoaded(...parameters: Parameters<typeof play>): ReturnType<typeof play> {
  await play(...parameters);
  return play(...parameters);
}

// The first request loads the packages of vendors, and no time of the clock must pass meanwhile.
beforeAll(async () => {
  for (const { adapter, stream } of providerFormats) {
    const { fetch } = pipedFetch((request) => {
      request.send(stream(answering).join(''));
      request.close();
    });
    await adapter(fetch, { timeoutMs: 600_000 }).evaluate(prompt, { input: 'Go', streaming: true });
  }
});

const said = (turns: readonly SaidTurn[], number: number): SaidTurn => turns[number - 1] ?? answering;

/** A response without what differs between two requests alone. */
function essence(outcome: unknown): unknown {
  if (typeof outcome !== 'object' || outcome === null || 'error' in outcome) return outcome;
  const { conversation, finishReason, text, usage } = outcome as PromptResponse<undefined>;
  return {
    finishReason,
    text,
    usage,
    conversation: conversation.map((item) => (item.type === 'assistant' ? item.content : item)),
  };
}

describe.each(providerFormats)('$name', (format) => {
  const closed = (turns: readonly SaidTurn[]) =>
    play(format, (request, number) => {
      request.send(format.stream(said(turns, number)).join(''));
      request.close();
    });

  it.each([
    ['text alone', [answering]],
    ['two calls', [calling, answering]],
  ])('has the same answer of a connection that stays open: %s', async (_name, turns) => {
    const whole = await closed(turns);
    const held = await playLoaded(format, (request, number) =>
      request.send(format.stream(said(turns, number)).join('')),
    );
    expect(essence(held.outcome)).toEqual(essence(whole.outcome));
    expect(held.outcome).toMatchObject({ text: answering.text, usage: { outputTokens: 10 * turns.length } });
    expect(held.requests).toHaveLength(turns.length);
    expect(held.elapsedMs).toBeLessThan(1_500 * turns.length);
    await Promise.all(held.requests.map(({ isLeft }) => isLeft));
  });

  it('has the same answer where the last event comes byte by byte', async () => {
    const held = await play(format, (request, number) => {
      for (const letter of format.stream(said([calling, answering], number)).join('')) request.send(letter);
    });
    expect(held.outcome).toMatchObject({ text: answering.text });
    expect(held.requests).toHaveLength(2);
  });

  it('asks again for an answer that a proxy ended before its last event, and runs nothing twice', async () => {
    const frames = format.stream(calling);
    const end = frames.findIndex(
      (frame) =>
        /"(response\.completed|message_delta|tool_calls|STOP)"/.test(
          frame.replace(/"finish_reason":null/, ''),
        ) && !/"delta":\{"tool_calls/.test(frame),
    );
    for (let count = 0; count < end; count += 1) {
      const { outcome, requests } = await play(format, (request, number) => {
        request.send(
          number === 1
            ? frames.slice(0, count).join('')
            : format.stream(said([calling, calling, answering], number)).join(''),
        );
        request.close();
      });
      expect([count, outcome]).toMatchObject([count, { text: answering.text }]);
      expect([count, requests.length]).toEqual([count, 3]);
    }
    expect(end).toBeGreaterThan(1);
  });

  it('ends a pause after the first events, and asks again', async () => {
    const frames = format.stream(answering);
    const { outcome, requests, elapsedMs } = await playLoaded(
      format,
      (request, number) => {
        request.send(number === 1 ? frames.slice(0, 2).join('') : frames.join(''));
        if (number > 1) request.close();
      },
      {},
      { stepMs: 1_000, timeoutMs: 30_000 },
    );
    expect(outcome).toMatchObject({ text: answering.text });
    expect(requests).toHaveLength(2);
    expect(elapsedMs).toBeGreaterThanOrEqual(30_000);
    expect(elapsedMs).toBeLessThan(40_000);
    await requests[0]?.isLeft;
  });

  it.each([true, false])('ends a pause before the first event, streamed: %s', async (streaming) => {
    const { outcome, requests } = await play(
      format,
      () => undefined,
      { retry: false, streaming },
      { stepMs: 1_000, timeoutMs: 30_000 },
    );
    expect(outcome).toMatchObject({
      error: {
        code: 'evaluation-request-failed',
        cause: { name: 'ThrottleError', kind: 'timeout', message: expect.stringContaining('30000 ms') },
      },
    });
    expect(requests).toHaveLength(1);
    await requests[0]?.isLeft;
  });

  it('takes its time, as long as events come', async () => {
    const frames = format.stream(answering);
    const { outcome, elapsedMs } = await play(
      format,
      (request, _number, clock) => {
        const next = (index: number): void => {
          const frame = frames[index];
          if (frame === undefined) return request.close();
          request.send(frame);
          // Some packages show nothing before the first output.
          clock.schedule(index < 4 && frames.length > 6 ? 5_000 : 20_000, () => next(index + 1));
        };
        next(0);
      },
      {},
      { stepMs: 1_000, timeoutMs: 30_000 },
    );
    expect(outcome).toMatchObject({ text: answering.text });
    expect(elapsedMs).toBeGreaterThan(35_000);
  });

  it.each<[string, (request: PipedRequest, body: string) => void]>([
    ['nothing', (request) => request.close()],
    [
      'blanks',
      (request) => {
        request.send('\n \n');
        request.close();
      },
    ],
    [
      'a page',
      (request) => {
        request.send(
          '<!doctype html>\n<html><head><title>Busy</title></head>\n<body><p>Please wait.</p></body></html>',
        );
        request.close();
      },
    ],
    [
      'half of the body',
      (request, body) => {
        request.send(body.slice(0, body.length / 2));
        request.close();
      },
    ],
    [
      'half of the body, and the connection is lost',
      (request, body) => {
        request.send(body.slice(0, body.length / 2));
        request.lose();
      },
    ],
  ])('asks again after 200 with %s', async (_name, fail) => {
    for (const streaming of [true, false]) {
      const body = streaming ? format.stream(answering).join('') : JSON.stringify(format.whole(answering));
      const { outcome, requests } = await play(
        format,
        (request, number) => {
          if (number === 1) return fail(request, body);
          request.send(body);
          request.close();
        },
        { streaming },
      );
      expect([streaming, outcome]).toMatchObject([streaming, { text: answering.text }]);
      expect([streaming, requests.length]).toEqual([streaming, 2]);
    }
  });
});

const formatNamed = (name: string): ProviderFormat => {
  const format = providerFormats.find((candidate) => candidate.name === name);
  if (format === undefined) throw new Error(`No format is named ${name}.`);
  return format;
};

const compatible = formatNamed('aiSdk(), compatible servers');
const chatChunk = (choice: object, more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, ...choice }], ...more })}\n\n`;
const usageChunk = `data: ${JSON.stringify({ id: 'x', choices: [], usage: compatible.usage(100, 10, 110) })}\n\n`;

describe('the end of an answer on a connection that stays open', () => {
  it.each([
    ['in time', 800, { inputTokens: 100, outputTokens: 10 }],
    ['too late', 1_500, {}],
  ])('takes counts that come %s', async (_name, delayMs, usage) => {
    const { outcome, requests } = await play(compatible, (request, _number, clock) => {
      request.send(chatChunk({ delta: { content: 'Hi.' } }));
      request.send(chatChunk({ delta: {}, finish_reason: 'stop' }));
      clock.schedule(delayMs, () => request.send(usageChunk));
    });
    expect(outcome).toMatchObject({ text: 'Hi.', finishReason: 'stop' });
    expect(outcome).toHaveProperty('usage', usage === undefined ? {} : expect.objectContaining(usage));
    expect(Object.keys((outcome as PromptResponse<undefined>).usage).length > 0).toBe('inputTokens' in usage);
    expect(requests).toHaveLength(1);
  });

  it('is not put off by pings and by empty reasons', async () => {
    const { outcome, elapsedMs } = await playLoaded(compatible, (request, _number, clock) => {
      request.send(chatChunk({ delta: { content: 'Hi' }, finish_reason: '' }));
      request.send(chatChunk({ delta: { content: '.' }, finish_reason: '' }));
      request.send(chatChunk({ delta: {}, finish_reason: 'stop' }));
      const beat = (): void => {
        request.send(': still here\n\n');
        request.send(`data: ${JSON.stringify({ choices: [] })}\n\n`);
        clock.schedule(300, beat);
      };
      beat();
    });
    expect(outcome).toMatchObject({ text: 'Hi.' });
    expect(elapsedMs).toBeLessThan(1_500);
  });

  it('is an answer, also with less time than that', async () => {
    const { outcome, requests } = await play(
      compatible,
      (request) => request.send(compatible.stream(answering).join('')),
      { retry: false },
      { timeoutMs: 100, stepMs: 10 },
    );
    expect(outcome).toMatchObject({ text: answering.text });
    expect(requests).toHaveLength(1);
  });

  it('is an answer, also when the connection is lost then', async () => {
    const { outcome, requests } = await play(compatible, (request, _number, clock) => {
      request.send(compatible.stream(answering).join(''));
      clock.schedule(100, () => request.lose());
    });
    expect(outcome).toMatchObject({ text: answering.text });
    expect(requests).toHaveLength(1);
  });

  it('has no call that the limit cut off', async () => {
    const { outcome } = await play(compatible, (request, number) => {
      if (number > 1) return request.send(compatible.stream(answering).join(''));
      const call = {
        index: 0,
        id: 'call000a1',
        type: 'function',
        function: { name: 'add', arguments: '{"left"' },
      };
      request.send(chatChunk({ delta: { content: 'Hi.', tool_calls: [call] } }));
      request.send(chatChunk({ delta: {}, finish_reason: 'length' }));
    });
    expect(outcome).toMatchObject({ text: answering.text });
    const { conversation } = outcome as PromptResponse<undefined>;
    expect(conversation.find((item) => item.type === 'tool-result')).toMatchObject({ isError: true });
  });

  it.each(['aiSdk(), compatible servers', 'aiSdk(), OpenAI Chat'])(
    'is a refusal where it refuses: %s',
    async (name) => {
      const frames = [
        chatChunk({ delta: { refusal: 'I will not.' } }),
        chatChunk({ delta: {}, finish_reason: 'stop' }),
      ];
      const reasons = [];
      for (const isHeld of [true, false]) {
        const { outcome } = await play(formatNamed(name), (request) => {
          request.send(frames.join(''));
          if (!isHeld) request.close();
        });
        reasons.push((outcome as PromptResponse<undefined>).finishReason);
      }
      expect(reasons[0]).toBe(reasons[1]);
      expect(reasons[0]).not.toBe('stop');
    },
  );

  it('is not that of a part that Gemini continues with', async () => {
    const google = formatNamed('aiSdk(), Google');
    const part = (text: string, finishReason: string, usage: object, more: object = {}): string =>
      `data: ${JSON.stringify({ candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason, ...more }], usageMetadata: usage })}\n\n`;
    const results = [];
    for (const isHeld of [true, false]) {
      const { outcome, requests } = await play(google, (request, number) => {
        request.send(
          number === 1
            ? part('It is ', 'CONTINUATION', google.usage(100, 4), { continuationToken: 'more' })
            : part('two.', 'STOP', google.usage(110, 6)),
        );
        if (!isHeld || number === 1) request.close();
      });
      expect(requests).toHaveLength(2);
      results.push(essence(outcome));
    }
    expect(results[0]).toEqual(results[1]);
    expect(results[0]).toMatchObject({ text: 'It is two.', usage: { outputTokens: 10 } });
  });

  it('is missing where a server that counts from the start breaks off', async () => {
    const { outcome, requests } = await play(
      formatNamed('aiSdk(), OpenAI Chat of AI SDK 6'),
      (request, number) => {
        if (number > 1) request.send(compatible.stream(answering).join(''));
        else
          request.send(
            chatChunk({ delta: { content: 'Half of' } }, { usage: compatible.usage(100, 1, 101) }),
          );
        request.close();
      },
    );
    expect(outcome).toMatchObject({ text: answering.text });
    expect(requests).toHaveLength(2);
  });
});

describe('a sign of the provider', () => {
  it.each(['anthropic()', 'aiSdk(), Anthropic'])('is a ping: %s', async (name) => {
    const format = formatNamed(name);
    const frames = format.stream(answering);
    const { outcome, elapsedMs } = await play(
      format,
      (request, _number, clock) => {
        request.send(frames.slice(0, 4).join(''));
        const beat = (count: number): void => {
          if (count === 5) {
            request.send(frames.slice(4).join(''));
            request.close();
            return;
          }
          request.send(ping);
          clock.schedule(20_000, () => beat(count + 1));
        };
        beat(0);
      },
      {},
      { stepMs: 1_000, timeoutMs: 30_000 },
    );
    expect(outcome).toMatchObject({ text: answering.text });
    expect(elapsedMs).toBeGreaterThanOrEqual(100_000);
  });

  it.each(['openai()', 'anthropic()'])('is a part of a whole answer: %s', async (name) => {
    const format = formatNamed(name);
    const body = JSON.stringify(format.whole(answering));
    const send = (request: PipedRequest, clock: ManualClock, parts: number): void => {
      const size = Math.ceil(body.length / 5);
      const next = (part: number): void => {
        if (part === parts) return;
        request.send(body.slice(part * size, (part + 1) * size));
        if (part === 4) return request.close();
        clock.schedule(20_000, () => next(part + 1));
      };
      next(0);
    };
    const pace = { stepMs: 1_000, timeoutMs: 30_000 };
    const whole = await play(
      format,
      (request, _number, clock) => send(request, clock, 5),
      { streaming: false, retry: false },
      pace,
    );
    expect(whole.outcome).toMatchObject({ text: answering.text });
    expect(whole.elapsedMs).toBeGreaterThanOrEqual(80_000);
    const silent = await play(
      format,
      (request, _number, clock) => send(request, clock, 3),
      { streaming: false, retry: false },
      pace,
    );
    expect(silent.outcome).toMatchObject({ error: { cause: { kind: 'timeout' } } });
  });
});

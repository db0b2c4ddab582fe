import { describe, expect, it } from 'vitest';
import { Deadline, type EvaluateOptions, type RunEvent } from 'weakincentives';
import {
  ModelResponseError,
  type ModelTurn,
  providerAdapter,
  ThrottleError,
  type ThrottleErrorOptions,
} from 'weakincentives/provider';
import { RunStop, toThrottlePolicy } from '../../../../../src/core/runtime/index.ts';
import { askThrottled } from '../../../../../src/core/runtime/limits/throttle.ts';
import { withoutPlaces } from '../../../../support/event-places.ts';
import { createManualClock } from '../../../../support/manual-clock.ts';
import { promptOf } from '../../../../support/prompt-of.ts';

const prompt = promptOf();

const done: ModelTurn = { content: [{ type: 'text', text: 'Done.' }], finishReason: 'stop' };
const throttled = (options: Partial<ThrottleErrorOptions> = {}): ThrottleError =>
  new ThrottleError('Not now.', { kind: 'rate-limit', ...options });

/**
 * Asks a model that answers each attempt as listed, the last one again and again. Every wait is let pass at once, after
 * it was seen to last exactly as long as it was announced.
 */
async function ask(
  answers: readonly (Error | ModelTurn)[],
  options: EvaluateOptions = {},
  clock = createManualClock(),
) {
  const events: RunEvent[] = [];
  let asked = 0;
  const adapter = providerAdapter({
    model: {
      name: 'busy',
      generate: () => {
        const answer = answers[Math.min(asked, answers.length - 1)];
        asked += 1;
        if (answer === undefined || answer instanceof Error) throw answer;
        return answer;
      },
    },
  });
  const outcome = adapter
    .evaluate(prompt, {
      clock,
      ...options,
      observers: [
        {
          onEvent: (event) => {
            events.push(event);
            if (event.type !== 'model-call-retry') return;
            // The wait begins right after the event.
            void Promise.resolve().then(() => {
              const before = asked;
              clock.advance(event.delayMs - 0.001);
              expect([asked, clock.pending > 0]).toEqual([before, true]);
              clock.advance(0.002);
            });
          },
        },
      ],
    })
    .then(
      (response) => ({ text: response.text, error: undefined }),
      (error: unknown) => ({ text: undefined, error }),
    );
  const { text, error } = await outcome;
  const retries = events.filter((event) => event.type === 'model-call-retry');
  return { text, error, asked, retries, delays: retries.map(({ delayMs }) => delayMs) };
}

const half = () => 0.5;

describe('a model that cannot answer', () => {
  it('is asked again with growing waits, which are told', async () => {
    const { text, asked, retries } = await ask(
      [throttled(), throttled({ kind: 'timeout' }), throttled({ kind: 'server-error' }), done],
      { retry: { random: half } },
    );
    expect({ text, asked }).toEqual({ text: 'Done.', asked: 4 });
    expect(withoutPlaces(retries)).toEqual([
      {
        type: 'model-call-retry',
        turn: 1,
        attempt: 2,
        delayMs: 500,
        reason: 'rate-limit',
        message: 'Not now.',
      },
      { type: 'model-call-retry', turn: 1, attempt: 3, delayMs: 500, reason: 'timeout', message: 'Not now.' },
      {
        type: 'model-call-retry',
        turn: 1,
        attempt: 4,
        delayMs: 1_000,
        reason: 'server-error',
        message: 'Not now.',
      },
    ]);
  });

  it('is waited for as long as it asks, and never shorter than the base', async () => {
    const waits = async (retryAfterMs: number) =>
      (await ask([throttled({ retryAfterMs }), done], { retry: { random: half } })).delays;
    expect(await waits(0)).toEqual([500]);
    expect(await waits(700)).toEqual([700]);
    expect(await waits(20_000)).toEqual([20_000]);
    expect(await waits(Number.NaN)).toEqual([500]);
    expect(await waits(-5)).toEqual([500]);
  });

  it('is given up after the last attempt', async () => {
    const last = throttled({ retryAfterMs: 1 });
    const { error, asked } = await ask([last], { retry: { maxAttempts: 3 } });
    expect(asked).toBe(3);
    expect(error).toMatchObject({
      code: 'evaluation-request-failed',
      phase: 'request',
      cause: {
        name: 'ThrottleError',
        code: 'throttle-attempts-exhausted',
        kind: 'rate-limit',
        attempts: 3,
        retryAfterMs: 1,
        message: expect.stringContaining('failed after 3 attempts (rate-limit)'),
        retrySafe: false,
        cause: last,
      },
    });
  });

  it('is given up when the deadline would pass, without waiting', async () => {
    const clock = createManualClock();
    const deadline = Deadline.after(500, clock);
    const { error, asked, delays } = await ask(
      [throttled()],
      { limits: { deadline }, retry: { random: half } },
      clock,
    );
    expect({ asked, delays }).toEqual({ asked: 1, delays: [] });
    expect(error).toMatchObject({
      phase: 'request',
      cause: {
        code: 'throttle-deadline-exceeded',
        attempts: 1,
        message: expect.stringContaining('failed after 1 attempt ('),
      },
    });
    const later = Deadline.after(501, clock);
    expect(
      await ask([throttled(), done], { limits: { deadline: later }, retry: { random: half } }, clock),
    ).toMatchObject({
      text: 'Done.',
    });
  });

  it('is given up when all waits would be too long together', async () => {
    const throttle = { maxTotalDelayMs: 1_000, random: () => 0 };
    const { error, asked, delays } = await ask([throttled()], { retry: throttle });
    expect({ asked, delays }).toEqual({ asked: 3, delays: [500, 500] });
    expect(error).toMatchObject({ cause: { code: 'throttle-delay-exceeded', attempts: 3 } });
    const long = await ask([throttled({ retryAfterMs: 30_001 })]);
    expect(long).toMatchObject({ asked: 1, error: { cause: { code: 'throttle-delay-exceeded' } } });
  });

  it.each([
    ['its quota is used up', throttled({ kind: 'quota' })],
    ['its quota is used up, whatever else is said', throttled({ kind: 'quota', retrySafe: true })],
    ['it must not be asked twice', throttled({ retrySafe: false })],
    ['it failed otherwise', new Error('401')],
  ])('is not asked again when %s', async (_name, problem) => {
    const { error, asked } = await ask([problem]);
    expect(asked).toBe(1);
    expect(error).toMatchObject({ code: 'evaluation-request-failed', cause: problem });
  });

  it('is not asked again without a throttle', async () => {
    const { error, asked } = await ask([throttled()], { retry: false });
    expect({ asked, code: (error as { cause: ThrottleError }).cause.code }).toEqual({
      asked: 1,
      code: 'throttle-signaled',
    });
  });

  it('starts afresh in the next turn', async () => {
    const call: ModelTurn = {
      content: [{ type: 'tool-call', callId: 'c', name: 'none', arguments: '{}' }],
      finishReason: 'tool-calls',
    };
    const { text, retries } = await ask([throttled(), call, throttled(), done], {
      retry: { maxAttempts: 2, random: half },
    });
    expect(text).toBe('Done.');
    expect(retries.map(({ turn, attempt }) => [turn, attempt])).toEqual([
      [1, 2],
      [2, 2],
    ]);
  });

  it('that answers nonsense ends the run in phase response', async () => {
    const nonsense = new ModelResponseError('model-response-invalid', 'Nonsense.');
    const { error, asked } = await ask([nonsense]);
    expect(asked).toBe(1);
    expect(error).toMatchObject({ code: 'evaluation-response-invalid', phase: 'response', cause: nonsense });
  });
});

describe('a run that is stopped during a wait', () => {
  it.each(['abort', 'deadline'] as const)('ends at once: %s', async (how) => {
    const clock = createManualClock();
    const controller = new AbortController();
    let asked = 0;
    const adapter = providerAdapter({
      model: {
        name: 'busy',
        generate: () => {
          asked += 1;
          throw throttled();
        },
      },
    });
    let waits: () => void = () => undefined;
    const waiting = new Promise<void>((resolve) => (waits = resolve));
    // The deadline is by a clock of its own, which passes it in the middle of the wait.
    const deadlineClock = createManualClock(clock.now());
    const run = adapter.evaluate(prompt, {
      clock,
      signal: controller.signal,
      limits: { deadline: Deadline.after(60_000, deadlineClock) },
      observers: [
        {
          onEvent: ({ type }) => {
            if (type === 'model-call-retry') waits();
          },
        },
      ],
    });
    await waiting;
    expect(clock.pending).toBe(1);
    const ended = expect(run).rejects.toMatchObject(
      how === 'abort'
        ? { code: 'evaluation-aborted', cause: { message: 'Enough.' } }
        : { code: 'evaluation-deadline-exceeded', cause: { code: 'deadline-exceeded' } },
    );
    if (how === 'abort') controller.abort(new Error('Enough.'));
    else deadlineClock.advance(60_000);
    await ended;
    // Nothing is left that would ask again.
    expect({ asked, pending: [clock.pending, deadlineClock.pending] }).toEqual({ asked: 1, pending: [0, 0] });
  });
});

describe('a run that is stopped while the model is asked', () => {
  it('says nothing of another attempt, even if the model fails later', async () => {
    const controller = new AbortController();
    const events: RunEvent[] = [];
    let fail: (error: Error) => void = () => undefined;
    let reach: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (reach = resolve));
    const adapter = providerAdapter({
      model: {
        name: 'slow',
        generate: () => {
          reach();
          return new Promise((_resolve, reject) => (fail = reject));
        },
      },
    });
    const clock = createManualClock();
    const run = adapter.evaluate(prompt, {
      clock,
      signal: controller.signal,
      observers: [{ onEvent: (event) => events.push(event) }],
    });
    await asked;
    const ended = expect(run).rejects.toMatchObject({ code: 'evaluation-aborted' });
    controller.abort();
    fail(throttled());
    await ended;
    expect(events.map(({ type }) => type)).toEqual([
      'run-start',
      'turn-start',
      'model-call-start',
      'run-end',
    ]);
    expect(clock.pending).toBe(0);
  });
});

describe('a wait that is over', () => {
  it('leaves nothing behind that listens for the end of the run', async () => {
    let listeners = 0;
    const stop = new RunStop();
    const counting: Pick<RunStop, 'onStop' | 'reason'> = {
      reason: undefined,
      onStop: (listener) => {
        listeners += 1;
        const remove = stop.onStop(listener);
        return () => {
          listeners -= 1;
          remove();
        };
      },
    };
    const clock = createManualClock();
    const policy = toThrottlePolicy();
    if (policy === undefined) throw new Error('There is no policy.');
    let asked = 0;
    await askThrottled(
      async () => {
        asked += 1;
        if (asked < 3) throw throttled();
      },
      {
        policy,
        clock,
        stop: counting,
        deadline: undefined,
        onRetry: ({ delayMs }) => {
          void Promise.resolve().then(() => clock.advance(delayMs));
        },
      },
    );
    expect({ asked, listeners }).toEqual({ asked: 3, listeners: 0 });
  });
});

describe('the options', () => {
  it.each([
    [{ maxAttempts: 0 }, /retry\.maxAttempts must be a whole number of at least 1; received 0/],
    [{ maxAttempts: 1.5 }, /maxAttempts/],
    [{ baseDelayMs: 0 }, /retry\.baseDelayMs must be a number above 0; received 0/],
    [{ maxDelayMs: Number.POSITIVE_INFINITY }, /maxDelayMs/],
    [{ maxTotalDelayMs: Number.NaN }, /maxTotalDelayMs/],
    [{ baseDelayMs: 9_000 }, /maxDelayMs must be at least baseDelayMs, which is 9000/],
  ])('%j are refused before anything is done', async (retry, expected) => {
    const { error, asked } = await ask([done], { retry });
    expect(asked).toBe(0);
    expect(error).toMatchObject({ name: 'PromptValidationError', message: expect.stringMatching(expected) });
  });
});

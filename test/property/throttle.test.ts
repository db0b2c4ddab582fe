import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Deadline } from 'weakincentives';
import { ThrottleError, type ThrottleKind } from 'weakincentives/provider';
import { RunStop, toThrottlePolicy } from '../../src/core/runtime/index.ts';
import { askThrottled } from '../../src/core/runtime/limits/throttle.ts';
import { draws } from '../support/draws.ts';
import { createManualClock } from '../support/manual-clock.ts';

interface Failure {
  readonly kind: ThrottleKind;
  readonly retryAfterMs: number | undefined;
  readonly random: number;
}

const failure = fc.record<Failure>({
  kind: fc.constantFrom<ThrottleKind>('rate-limit', 'timeout', 'server-error', 'rate-limit', 'quota'),
  retryAfterMs: fc.option(fc.integer({ min: 0, max: 20_000 }), { nil: undefined }),
  random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
});

const options = fc
  .record({
    maxAttempts: fc.integer({ min: 1, max: 8 }),
    baseDelayMs: fc.integer({ min: 1, max: 3_000 }),
    extraDelayMs: fc.integer({ min: 0, max: 20_000 }),
    maxTotalDelayMs: fc.integer({ min: 1, max: 60_000 }),
  })
  .map(({ extraDelayMs, ...rest }) => ({ ...rest, maxDelayMs: rest.baseDelayMs + extraDelayMs }));

describe('asking again', () => {
  it('waits by the formula, stops at the first of its limits, and never waits past the deadline', async () => {
    const limit = fc.option(fc.integer({ min: 1, max: 60_000 }), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(
        options,
        fc.array(failure, { maxLength: 10 }),
        limit,
        async (given, failures, limitMs) => {
          const clock = createManualClock();
          const startMs = clock.now();
          const deadline = limitMs === undefined ? undefined : Deadline.after(limitMs, clock);
          let asked = 0;
          const delays: number[] = [];
          const policy = toThrottlePolicy({ ...given, random: () => failures[asked - 1]?.random ?? 0 });
          if (policy === undefined) throw new Error('There is no policy.');
          const outcome = await askThrottled(
            async () => {
              const failed = failures[asked];
              asked += 1;
              if (failed !== undefined) throw new ThrottleError('Not now.', failed);
              return 'answer';
            },
            {
              policy,
              clock,
              deadline,
              stop: new RunStop(),
              onRetry: ({ attempt, delayMs }) => {
                expect(attempt).toBe(asked + 1);
                delays.push(delayMs);
                void Promise.resolve().then(() => clock.advance(delayMs));
              },
            },
          ).catch((error: unknown) => error);

          const expected = predict(given, failures, limitMs);
          expect(delays).toEqual(expected.delays);
          expect(asked).toBe(expected.asked);
          expect(clock.pending).toBe(0);
          if (limitMs !== undefined) expect(clock.now() - startMs).toBeLessThan(limitMs);
          if (outcome === 'answer') expect(expected.code).toBeUndefined();
          else {
            if (!ThrottleError.isInstance(outcome)) throw outcome;
            expect(outcome.code).toBe(expected.code);
            if (outcome.code !== 'throttle-signaled')
              expect([outcome.attempts, outcome.retrySafe]).toEqual([asked, false]);
          }
        },
      ),
      { numRuns: draws(500) },
    );
  });
});

/** The rules once more, as a plain calculation. */
function predict(
  given: { readonly maxAttempts: number; baseDelayMs: number; maxDelayMs: number; maxTotalDelayMs: number },
  failures: readonly Failure[],
  limitMs: number | undefined,
): { readonly asked: number; readonly delays: readonly number[]; readonly code: string | undefined } {
  const delays: number[] = [];
  let total = 0;
  for (const [index, { kind, random, retryAfterMs = 0 }] of failures.entries()) {
    const asked = index + 1;
    if (kind === 'quota') return { asked, delays, code: 'throttle-signaled' };
    if (asked === given.maxAttempts) return { asked, delays, code: 'throttle-attempts-exhausted' };
    let top = given.baseDelayMs;
    for (let doubled = 1; doubled < asked; doubled += 1) top *= 2;
    if (top > given.maxDelayMs) top = given.maxDelayMs;
    if (retryAfterMs > top) top = retryAfterMs;
    let delay = random * top;
    if (delay < given.baseDelayMs) delay = given.baseDelayMs;
    if (delay < retryAfterMs) delay = retryAfterMs;
    if (limitMs !== undefined && total + delay >= limitMs)
      return { asked, delays, code: 'throttle-deadline-exceeded' };
    if (total + delay > given.maxTotalDelayMs) return { asked, delays, code: 'throttle-delay-exceeded' };
    delays.push(delay);
    total += delay;
  }
  return { asked: failures.length + 1, delays, code: undefined };
}

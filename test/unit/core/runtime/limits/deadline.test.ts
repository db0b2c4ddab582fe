import { describe, expect, test } from 'vitest';
import { Deadline, DeadlineExceededError } from 'weakincentives';
import { RunStop, RunStoppedSignal } from '../../../../../src/core/runtime/index.ts';
import { createManualClock } from '../../../../support/manual-clock.ts';

describe('a deadline', () => {
  test.each([Number.NaN, Number.POSITIVE_INFINITY, 999, 1_000])(
    'cannot be set to %d when it is 1000',
    (expiresAtMs) => {
      expect(() => new Deadline(expiresAtMs, createManualClock(1_000))).toThrow(DeadlineExceededError);
    },
  );

  test('counts down to nothing and stays there', () => {
    const clock = createManualClock(1_000);
    const deadline = Deadline.after(10, clock);
    expect([deadline.expiresAtMs, deadline.remainingMs(), deadline.isExpired()]).toEqual([1_010, 10, false]);
    clock.advance(9);
    expect([deadline.remainingMs(), deadline.isExpired()]).toEqual([1, false]);
    clock.advance(1);
    expect([deadline.remainingMs(), deadline.isExpired()]).toEqual([0, true]);
    clock.advance(100);
    expect([deadline.remainingMs(), deadline.isExpired()]).toEqual([0, true]);
  });

  test('tells once when it passes, unless that was cancelled', () => {
    const clock = createManualClock();
    const deadline = Deadline.after(10, clock);
    let told = 0;
    deadline.onExpiry(() => (told += 1));
    const cancel = deadline.onExpiry(() => (told += 10));
    clock.advance(5);
    cancel();
    cancel();
    clock.advance(5);
    clock.advance(5);
    expect([told, clock.pending]).toEqual([1, 0]);
    cancel();
  });

  test('can be cancelled while it waits again', () => {
    const clock = createManualClock();
    const hasty = {
      now: clock.now,
      schedule: (_delayMs: number, callback: () => void) => clock.schedule(1, callback),
    };
    let told = 0;
    const cancel = Deadline.after(10, hasty).onExpiry(() => (told += 1));
    clock.advance(1);
    clock.advance(1);
    cancel();
    clock.advance(20);
    expect([told, clock.pending]).toEqual([0, 0]);
  });
});

describe('the stop of a run', () => {
  test('has one reason, the first', () => {
    const stop = new RunStop();
    stop.stop({ kind: 'aborted', cause: 'first' });
    stop.stop({ kind: 'interrupted', cause: 'second' });
    expect(stop.reason).toEqual({ kind: 'aborted', cause: 'first' });
    expect(stop.signal.reason).toBe('first');
  });

  test('tells each listener once, late ones at once, and none that has left', () => {
    const stop = new RunStop();
    const told: string[] = [];
    stop.onStop(() => told.push('early'));
    stop.onStop(() => told.push('gone'))();
    const { signal } = stop;
    stop.stop({ kind: 'aborted', cause: 'why' });
    stop.stop({ kind: 'aborted', cause: 'again' });
    stop.onStop(({ kind }) => told.push(`late ${kind}`));
    expect(told).toEqual(['early', 'late aborted']);
    expect([signal.aborted, signal.reason]).toEqual([true, 'why']);
  });

  test('ends a race, and a race that was over before is not disturbed', async () => {
    const stop = new RunStop();
    await expect(stop.race(Promise.resolve(1))).resolves.toBe(1);
    const cause = new Error('of the work');
    await expect(stop.race(Promise.reject(cause))).rejects.toBe(cause);
    const endless = stop.race(new Promise(() => undefined));
    stop.stop({ kind: 'aborted', cause: 'why' });
    const thrown: unknown = await endless.catch((error: unknown) => error);
    expect(thrown instanceof RunStoppedSignal && thrown.reason).toEqual({ kind: 'aborted', cause: 'why' });
  });

  test('follows a signal and a deadline until it is told not to', () => {
    const clock = createManualClock();
    const abort = new AbortController();
    const stop = new RunStop();
    stop.follow({ signal: abort.signal, deadline: Deadline.after(10, clock) })();
    abort.abort();
    clock.advance(10);
    expect(stop.reason).toBeUndefined();
    expect(clock.pending).toBe(0);
  });
});

test('a deadline of one millisecond lies in the future, whatever time it takes to make it', () => {
  let now = 0;
  // A clock that has moved on each time it is looked at.
  const deadline = Deadline.after(1, { now: () => (now += 10), schedule: () => () => undefined });
  expect(deadline.expiresAtMs).toBe(11);
});

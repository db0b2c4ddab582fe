import { describe, expect, test } from 'vitest';
import { createManualClock } from 'weakincentives/testing';

describe('createManualClock', () => {
  test('does not advance by itself', () => {
    const clock = createManualClock(500);
    expect([clock.now(), clock.now()]).toEqual([500, 500]);
    clock.advance(20);
    expect(clock.now()).toBe(520);
  });

  test('runs due timers once, in order of time', () => {
    const clock = createManualClock();
    const called: string[] = [];
    clock.schedule(30, () => called.push('late'));
    clock.schedule(10, () => called.push('early'));
    clock.schedule(31, () => called.push('never'));
    const cancel = clock.schedule(20, () => called.push('cancelled'));
    cancel();
    cancel();
    expect(clock.pending).toBe(3);
    clock.advance(30);
    expect(called).toEqual(['early', 'late']);
    expect(clock.pending).toBe(1);
    clock.advance(0);
    expect(called).toHaveLength(2);
  });

  test('does not run a timer that an earlier one cancels', () => {
    const clock = createManualClock();
    const called: string[] = [];
    let cancel: () => void = () => undefined;
    clock.schedule(10, () => cancel());
    cancel = clock.schedule(20, () => called.push('second'));
    clock.advance(50);
    expect(called).toEqual([]);
  });
});

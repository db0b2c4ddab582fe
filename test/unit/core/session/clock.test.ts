import { describe, expect, it } from 'vitest';
import { EventLoopYield } from '../../../../src/core/session/index.ts';
import { pausingClock } from '../../../support/pausing-clock.ts';

describe('EventLoopYield', () => {
  it('pauses once 20 milliseconds have gone by since the last time', async () => {
    const clock = pausingClock();
    const eventLoop = new EventLoopYield(clock);
    // The first turn begins.
    expect(eventLoop.pauseIfDue()).toBeUndefined();
    for (let round = 1; round <= 3; round += 1) {
      for (let step = 1; step < 20; step += 1) expect(eventLoop.pauseIfDue()).toBeUndefined();
      await eventLoop.pauseIfDue();
      expect(clock.pauses).toBe(round);
    }
  });

  it('neither pauses nor asks for the time when the clock cannot let timers in', () => {
    const eventLoop = new EventLoopYield({
      now: () => {
        throw new Error('was asked');
      },
    });
    expect(eventLoop.pauseIfDue()).toBeUndefined();
  });

  it('does not count what it waited for', async () => {
    const clock = pausingClock();
    const eventLoop = new EventLoopYield(clock);
    for (let turn = 0; turn < 15; turn += 1) {
      expect(eventLoop.pauseIfDue()).toBeUndefined();
      for (let waited = 0; waited < 9; waited += 1) clock.now();
      eventLoop.resume();
    }
  });

  it.each([
    { passedMs: 9_000, what: 'continues', pauses: 0 },
    { passedMs: 10_000, what: 'pauses', pauses: 1 },
  ])('$what when others kept timers away for $passedMs ms', async ({ passedMs, pauses }) => {
    const clock = pausingClock();
    const eventLoop = new EventLoopYield(clock);
    await eventLoop.pauseIfDue();
    for (let waitedMs = 1; waitedMs < passedMs; waitedMs += 1) clock.now();
    eventLoop.resume();
    await eventLoop.pauseIfDue();
    expect(clock.pauses).toBe(pauses);
  });

  it('does not pause while a timer fires in each turn of the work', async () => {
    const clock = pausingClock(20);
    let fire: () => void = () => undefined;
    const eventLoop = new EventLoopYield({
      ...clock,
      schedule: (_delayMs, callback) => {
        fire = callback;
        return () => undefined;
      },
    });
    await eventLoop.pauseIfDue();
    for (let turn = 0; turn < 3; turn += 1) {
      fire();
      expect(eventLoop.pauseIfDue()).toBeUndefined();
    }
    expect(eventLoop.pauseIfDue()).toBeInstanceOf(Promise);
  });
});

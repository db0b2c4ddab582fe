import { setImmediate } from 'node:timers/promises';
import { createManualClock, type ManualClock } from '../manual-clock.ts';

/** A clock whose timers a test advances. What only waits for its turn gets it: calls are gathered in real time. */
export function servedClock(): ManualClock {
  const clock = createManualClock();
  return {
    now: clock.now,
    schedule: clock.schedule,
    advance: clock.advance,
    get pending() {
      return clock.pending;
    },
    yieldToTimers: () => setImmediate(),
  };
}

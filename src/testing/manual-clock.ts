import type { Clock } from '../session/index.ts';

/** A clock that only advances when a test advances it. */
export interface ManualClock extends Clock {
  /** Moves time on and calls what has become due, in order of time. */
  advance(durationMs: number): void;
  /** Timers that wait. */
  readonly pending: number;
}

/**
 * A clock for tests, for the option `clock` of sessions and evaluations: time passes when the test says so.
 *
 * @param startMs milliseconds since the Unix epoch. Default: 1,000,000.
 */
export function createManualClock(startMs = 1_000_000): ManualClock {
  let now = startMs;
  const timers = new Set<{ readonly dueMs: number; readonly callback: () => void }>();
  return {
    now: () => now,
    schedule: (delayMs, callback) => {
      const timer = { dueMs: now + delayMs, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance: (durationMs) => {
      now += durationMs;
      const due = [...timers]
        .filter((timer) => timer.dueMs <= now)
        .sort((left, right) => left.dueMs - right.dueMs);
      for (const timer of due) {
        if (timers.delete(timer)) timer.callback();
      }
    },
    get pending() {
      return timers.size;
    },
  };
}

import type { Clock } from '../../core/session/index.ts';

/** A clock that only advances when a test advances it. */
export interface ManualClock extends Clock {
  /** Advances time and runs the timers that have become due, in order of time. */
  advance(durationMs: number): void;
  /** Number of scheduled timers. */
  readonly pending: number;
}

/**
 * A clock for tests, for the option `clock` of sessions and evaluations: time passes only on {@link ManualClock.advance}.
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

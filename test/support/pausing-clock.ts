import type { Clock } from 'weakincentives';

/** A clock whose time continues by a millisecond whenever it is asked, and that says how often it was asked and yielded to. */
export interface PausingClock extends Pick<Clock, 'now'>, Required<Pick<Clock, 'yieldToTimers'>> {
  asked: number;
  pauses: number;
  /** Done in each pause. */
  onPause: () => unknown;
}

/** @param stepMs by how much the time continues. Default: 1. */
export function pausingClock(stepMs = 1): PausingClock {
  const clock: PausingClock = {
    asked: 0,
    pauses: 0,
    onPause: () => undefined,
    now: () => {
      clock.asked += 1;
      return clock.asked * stepMs;
    },
    yieldToTimers: async () => {
      clock.pauses += 1;
      await clock.onPause();
    },
  };
  return clock;
}

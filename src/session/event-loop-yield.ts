import type { Clock } from './clock.ts';

/** How long work may keep the machine to itself. */
const maxHoldMs = 20;

/** A clock that may let timers in, and may say when they came. */
type YieldingClock = Pick<Clock, 'now' | 'yieldToTimers'> & Partial<Pick<Clock, 'schedule'>>;

/**
 * Lets timers, signals and input through now and then. Work that never waits for anything outside would keep them from ever
 * firing, and with them the deadline and the abort of the run. Work that does wait lets them through all by itself: once it
 * was found to, a timer says so in each of its turns, and it does not pause as long as that fires.
 */
export class EventLoopYield {
  readonly #clock: YieldingClock;
  #beganAtMs: number;
  /** Whether a timer that was set in the turn before has fired since. */
  #wasHeard = false;
  #cancel: () => void = () => undefined;

  /**
   * @param clock without `yieldToTimers` nothing ever pauses, and its time is not read; without `schedule` work that waits by itself is
   * not noticed.
   */
  constructor(clock: YieldingClock) {
    this.#clock = clock;
    this.#beganAtMs = clock.yieldToTimers === undefined ? 0 : clock.now();
  }

  /** A pause when one is due; undefined, at hardly any cost, when none is. */
  pauseIfDue(): Promise<void> | undefined {
    const clock = this.#clock;
    if (clock.yieldToTimers === undefined) return undefined;
    if (this.#wasHeard) {
      this.#begin();
      return undefined;
    }
    if (clock.now() - this.#beganAtMs < maxHoldMs) return undefined;
    return clock.yieldToTimers().then(() => this.#begin());
  }

  #begin(): void {
    const clock = this.#clock;
    this.#beganAtMs = clock.now();
    if (clock.schedule === undefined) return;
    this.#cancel();
    this.#wasHeard = false;
    this.#cancel = clock.schedule(0, () => {
      this.#wasHeard = true;
    });
  }
}

import type { Clock } from './clock.ts';

/** How long work may keep the machine to itself. */
const maxHoldMs = 20;
/** How long it may run without a sign that timers had their turn, even when other work kept the machine: a run may be one of thousands. */
const maxSilenceMs = 1_000;

/** A clock that may let timers in, and may say when they came. */
type YieldingClock = Pick<Clock, 'now' | 'yieldToTimers'> & Partial<Pick<Clock, 'schedule'>>;

/**
 * Lets timers, signals and input through now and then. Work that never waits for anything outside would keep them from ever
 * firing, and with them the deadline and the abort of the run. Work that does wait lets them through all by itself: a timer
 * that is set in each of its turns says so, and it does not pause as long as that fires.
 */
export class EventLoopYield {
  readonly #clock: YieldingClock;
  #beganAtMs = 0;
  /** Since when the work has kept the machine, but for {@link #heldMs} before that. */
  #resumedAtMs = 0;
  #heldMs = 0;
  /** Whether a timer that was set in the turn before has fired since. */
  #wasHeard = false;
  /** Undefined before the first turn. */
  #cancel: (() => void) | undefined;

  /**
   * @param clock without `yieldToTimers` nothing ever pauses, and its time is not read; without `schedule` work that waits by itself is
   * not noticed.
   */
  constructor(clock: YieldingClock) {
    this.#clock = clock;
  }

  /** A pause when one is due; undefined, at hardly any cost, when none is. */
  pauseIfDue(): Promise<void> | undefined {
    const clock = this.#clock;
    if (clock.yieldToTimers === undefined) return undefined;
    if (this.#wasHeard || this.#cancel === undefined) {
      this.#begin();
      return undefined;
    }
    const now = clock.now();
    this.#heldMs += now - this.#resumedAtMs;
    this.#resumedAtMs = now;
    if (this.#heldMs < maxHoldMs && now - this.#beganAtMs < maxSilenceMs) return undefined;
    return clock.yieldToTimers().then(() => this.#begin());
  }

  /** Something that was awaited is there: what passed meanwhile was not the work's own time. */
  resume(): void {
    if (this.#clock.yieldToTimers !== undefined) this.#resumedAtMs = this.#clock.now();
  }

  #begin(): void {
    const clock = this.#clock;
    this.#beganAtMs = clock.now();
    this.#resumedAtMs = this.#beganAtMs;
    this.#heldMs = 0;
    this.#cancel?.();
    this.#cancel = () => undefined;
    if (clock.schedule === undefined) return;
    this.#wasHeard = false;
    this.#cancel = clock.schedule(0, () => {
      this.#wasHeard = true;
    });
  }
}

import type { Clock } from '../session/index.ts';

/** How long a run may keep the machine to itself. */
const maxHoldMs = 20;

/**
 * Lets timers, signals and input through now and then. A model and tools that never wait for anything outside would keep
 * them from ever being heard, and with them the deadline and the abort of the run. A run that does wait lets them through
 * all by itself: once it was found to be one, a timer tells in each of its turns, and it does not pause as long as that fires.
 */
export class Breather {
  readonly #clock: Clock;
  #breathedAtMs: number;
  /** Whether a timer that was set in the turn before has fired since. */
  #wasHeard = false;
  #cancel: () => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#breathedAtMs = clock.now();
  }

  /** A pause when one is due; undefined, at hardly any cost, when none is. */
  breathe(): Promise<void> | undefined {
    const clock = this.#clock;
    if (clock.yieldToTimers === undefined) return undefined;
    if (this.#wasHeard) {
      this.#begin();
      return undefined;
    }
    if (clock.now() - this.#breathedAtMs < maxHoldMs) return undefined;
    return clock.yieldToTimers().then(() => this.#begin());
  }

  #begin(): void {
    const clock = this.#clock;
    this.#breathedAtMs = clock.now();
    this.#cancel();
    this.#wasHeard = false;
    this.#cancel = clock.schedule(0, () => {
      this.#wasHeard = true;
    });
  }
}

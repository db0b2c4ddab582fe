import type { Clock } from '../session/index.ts';

/** How long a run may keep the machine to itself. */
const maxHoldMs = 20;

/**
 * Lets timers, signals and input through now and then. A model and tools that never wait for anything outside would keep
 * them from ever being heard, and with them the deadline and the abort of the run.
 */
export class Breather {
  readonly #clock: Clock;
  #breathedAtMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#breathedAtMs = clock.now();
  }

  /** A pause when one is due; undefined, at hardly any cost, when none is. */
  breathe(): Promise<void> | undefined {
    const clock = this.#clock;
    if (clock.yieldToTimers === undefined || clock.now() - this.#breathedAtMs < maxHoldMs) return undefined;
    return clock.yieldToTimers().then(() => {
      this.#breathedAtMs = clock.now();
    });
  }
}

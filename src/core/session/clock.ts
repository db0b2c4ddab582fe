import { maxTimerMs } from '../error/index.ts';

/** Source of time and timers, injected wherever time matters. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /**
   * Calls `callback` once after `delayMs` milliseconds.
   * @returns a function that cancels the call; cancelling twice, or after the call, does nothing.
   */
  schedule(delayMs: number, callback: () => void): () => void;
  /**
   * Resolves once timers that are due, signals of the process and input have had their turn. A run that keeps the machine to
   * itself calls it about every 20 milliseconds, between two turns of the model. Default: such a run does not pause.
   */
  yieldToTimers?(): Promise<void>;
}

/**
 * The clock of the machine. A timer keeps its process alive until it fires or is cancelled, so that the limit of a call
 * that waits for nothing in particular is still reached; a run cancels its timers when it ends. Delays over 2,147,483,647 ms (24.8 days) are cut to
 * that, since timers cannot wait longer.
 */
export const systemClock: Clock = Object.freeze({
  // oxlint-disable-next-line no-restricted-globals -- This is the only place that reads the machine's clock.
  now: (): number => Date.now(),
  schedule(delayMs: number, callback: () => void): () => void {
    const timer = globalThis.setTimeout(callback, Math.min(Math.max(delayMs, 0), maxTimerMs));
    return () => globalThis.clearTimeout(timer);
  },
  async yieldToTimers(): Promise<void> {
    await new Promise<void>((resolve) => globalThis.setTimeout(resolve, 0));
  },
});

/** How long work may keep the machine to itself. */
const maxHoldMs = 20;
/**
 * How long it may run without a sign that timers had their turn, even when other work kept the machine: a run may be one of thousands. With ten thousand
 * that wait for their models, libuv reads input for seconds before timers have their turn, and a run that pauses meanwhile waits for all the others.
 */
const maxSilenceMs = 10_000;

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

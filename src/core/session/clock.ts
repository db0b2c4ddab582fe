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
    const timer = globalThis.setTimeout(callback, Math.min(Math.max(delayMs, 0), 2_147_483_647));
    return () => globalThis.clearTimeout(timer);
  },
  async yieldToTimers(): Promise<void> {
    await new Promise<void>((resolve) => globalThis.setTimeout(resolve, 0));
  },
});

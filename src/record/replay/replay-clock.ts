import { type Clock, type IdSource, systemClock } from '../../core/session/index.ts';

/** The time of a recorded run: it passes as the record says, not by itself. Timers are real, so that a handler that hangs is ended. */
export class ReplayClock implements Clock {
  readonly #startedAtMs: number;
  #nowMs: number;

  constructor(startedAtMs: number) {
    this.#startedAtMs = startedAtMs;
    this.#nowMs = startedAtMs;
  }

  now(): number {
    return this.#nowMs;
  }

  /** It is this late, in milliseconds after the start, or later. */
  reach(atMs: number): void {
    this.#nowMs = Math.max(this.#nowMs, this.#startedAtMs + atMs);
  }

  schedule(delayMs: number, callback: () => void): () => void {
    return systemClock.schedule(delayMs, callback);
  }
}

/** Ids of what a record has no ids of: the same in every replay. */
export function replayIds(): IdSource {
  let count = 0;
  return () => {
    count += 1;
    return `replay-${count}`;
  };
}

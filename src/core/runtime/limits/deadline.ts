import { assertMembers, DeadlineExceededError } from '../../error/index.ts';
import { type Clock, systemClock } from '../../session/index.ts';

/** A point in time at which a run must have ended. Immutable; compared by identity where evaluations share one. */
export class Deadline {
  /** Milliseconds since the Unix epoch. */
  readonly expiresAtMs: number;
  readonly #clock: Clock;

  /**
   * @param expiresAtMs milliseconds since the Unix epoch, by `clock`.
   * @param now what counts as the present. Default: the clock's time.
   * @throws {DeadlineExceededError} when it is not a finite number or not in the future.
   */
  constructor(expiresAtMs: number, clock: Clock = systemClock, now: number = timeOf(clock)) {
    if (!Number.isFinite(expiresAtMs) || expiresAtMs <= now) {
      throw new DeadlineExceededError(
        `A deadline must lie in the future: ${expiresAtMs} is not after the present time ${now} (both in milliseconds since the epoch).`,
        { details: { expiresAtMs, nowMs: now } },
      );
    }
    this.expiresAtMs = expiresAtMs;
    this.#clock = clock;
  }

  /** The deadline `durationMs` milliseconds from now. */
  static after(durationMs: number, clock: Clock = systemClock): Deadline {
    // Asked for once: a millisecond that passes in between must not make a short deadline one of the past.
    const now = timeOf(clock);
    return new Deadline(now + durationMs, clock, now);
  }

  /** Milliseconds left, 0 once it has passed. */
  remainingMs(): number {
    return Math.max(0, this.expiresAtMs - this.#clock.now());
  }

  /** True once the deadline has passed. */
  isExpired(): boolean {
    return this.#clock.now() >= this.expiresAtMs;
  }

  /** Calls `callback` once when the deadline passes. @returns a function that cancels the call. */
  onExpiry(callback: () => void): () => void {
    let cancel: () => void;
    // A timer may come a moment before the clock has come that far, and cannot wait longer than 24.8 days.
    const wait = (): void => {
      cancel = this.#clock.schedule(this.remainingMs(), () => (this.isExpired() ? callback() : wait()));
    };
    wait();
    return () => cancel();
  }
}

function timeOf(clock: Clock): number {
  assertMembers('Deadline: clock', clock, { now: 'function!', schedule: 'function!' });
  return clock.now();
}

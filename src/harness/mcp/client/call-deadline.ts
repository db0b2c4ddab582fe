import type { Clock } from '../../../core/session/index.ts';

/** Which limit a call has exceeded. */
export interface CallTimeout {
  /** Without progress, or in all. */
  readonly limit: 'progress' | 'total';
  readonly timeoutMs: number;
}

/** The time limits of a call: one that each progress begins anew, and one for the whole. */
export class CallDeadline {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #onExpired: (timeout: CallTimeout) => void;
  readonly #cancelTotal: () => void;
  #cancelIdle: () => void;

  constructor(
    clock: Clock,
    limits: { readonly callTimeoutMs: number; readonly maxTotalTimeoutMs: number },
    onExpired: (timeout: CallTimeout) => void,
  ) {
    const { callTimeoutMs, maxTotalTimeoutMs } = limits;
    this.#clock = clock;
    this.#timeoutMs = callTimeoutMs;
    this.#onExpired = onExpired;
    this.#cancelTotal = clock.schedule(maxTotalTimeoutMs, () =>
      onExpired({ limit: 'total', timeoutMs: maxTotalTimeoutMs }),
    );
    this.#cancelIdle = this.#schedule();
  }

  progressed(): void {
    this.#cancelIdle();
    this.#cancelIdle = this.#schedule();
  }

  end(): void {
    this.#cancelIdle();
    this.#cancelTotal();
  }

  #schedule(): () => void {
    return this.#clock.schedule(this.#timeoutMs, () =>
      this.#onExpired({ limit: 'progress', timeoutMs: this.#timeoutMs }),
    );
  }
}

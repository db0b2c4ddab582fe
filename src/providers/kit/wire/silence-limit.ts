import { maxTimerMs, ThrottleError } from '../../../core/error/index.ts';
import { type Clock, systemClock } from '../../../core/session/index.ts';

const defaultTimeoutMs = 600_000;
/**
 * The value of the option `timeoutMs`: an integer, as clients require, within the range of timers.
 *
 * @internal
 */
export function silenceTimeoutMs(timeoutMs: number | undefined): number {
  return Math.min(Math.ceil(timeoutMs ?? defaultTimeoutMs), maxTimerMs);
}

/**
 * Ends one request whose provider gives no sign for too long: its headers, a part of the body, a ping or an event. Only waits count: a
 * listener that is slower than the model makes no pause of the provider.
 *
 * @see docs/spec/evaluation.md §11
 */
export class SilenceLimit {
  readonly timeoutMs: number;
  readonly #clock: Pick<Clock, 'schedule'>;
  readonly #controller = new AbortController();
  /** Undefined while nothing is waited for. */
  #cancel: (() => void) | undefined;

  constructor(timeoutMs: number | undefined, clock: Pick<Clock, 'schedule'> = systemClock) {
    this.timeoutMs = silenceTimeoutMs(timeoutMs);
    this.#clock = clock;
  }

  /** Aborted after the limit; its reason is the error of the request, a `ThrottleError` of the kind `timeout`. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The next sign is waited for from now on. */
  wait(): void {
    this.#cancel?.();
    this.#cancel = this.#clock.schedule(this.timeoutMs, () => {
      const message = `The provider gave no sign for ${this.timeoutMs} ms (timeoutMs).`;
      this.#controller.abort(new ThrottleError(message, { kind: 'timeout' }));
    });
  }

  /** The provider gave a sign: a wait begins again. */
  readonly onSign = (): void => {
    if (this.#cancel !== undefined) this.wait();
  };

  /** Nothing is waited for. */
  rest(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

/** True for any object with a `then` method, including proxies that answer for it. */
export function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'then') === 'function';
}

/** `next` on what `work` resolves to: at once, without a promise, when there is nothing to wait for. */
export function whenSettled<T, Result>(
  work: T | PromiseLike<T>,
  next: (value: T) => Result | PromiseLike<Result>,
): Result | PromiseLike<Result> {
  return isPromiseLike(work) ? work.then(next) : next(work);
}

/**
 * Settles as `work` does, unless the signal is aborted first or already: then it rejects with the signal's reason and ignores the
 * result of the work. Without a signal, as `work` does.
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const waiting = new AbortableWait(signal);
  try {
    return await waiting.for(work);
  } finally {
    waiting.dispose();
  }
}

/** Waits for one promise after another, each until a signal is aborted, with one listener on the signal for all of them. */
export class AbortableWait {
  readonly #signal: AbortSignal;
  #giveUp: ((reason: unknown) => void) | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** One promise at a time. Rejects with the reason of the signal once that is aborted. */
  for<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#giveUp = reject;
      if (this.#signal.aborted) this.#onAbort();
      // A client of the user may give anything that can be awaited.
      Promise.resolve(work).then(resolve, reject);
    });
  }

  dispose(): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
  }

  readonly #onAbort = (): void => this.#giveUp?.(this.#signal.reason);
}

/** Calls a function of the user that must not break the caller: what it throws, or rejects with later, goes to `fail`. */
export function attempt(act: () => unknown, fail: (error: unknown) => void = () => undefined): void {
  try {
    const returned = act();
    if (typeof returned === 'object' && returned !== null) Promise.resolve(returned).catch(fail);
  } catch (error) {
    fail(error);
  }
}

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
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    if (signal.aborted) stop();
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
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

/**
 * Reads the events of an answer that comes piece by piece, until it is there or the run ends: whatever is waited for when
 * the signal is aborted is waited for no more.
 */
export class StreamReader {
  readonly #iterator: AsyncIterator<unknown>;
  readonly #signal: AbortSignal;

  constructor(events: AsyncIterable<unknown>, signal: AbortSignal) {
    this.#iterator = events[Symbol.asyncIterator]();
    this.#signal = signal;
  }

  /** The next event; rejects with the reason of the signal when that is aborted. */
  async next(): Promise<IteratorResult<unknown>> {
    return this.race(this.#iterator.next());
  }

  /** What a promise resolves to; rejects with the reason of the signal when that is aborted before. */
  async race<Value>(promise: PromiseLike<Value>): Promise<Value> {
    const signal = this.#signal;
    return new Promise<Value>((resolve, reject) => {
      // What ends a run is up to the caller; it is handed on as it is.
      const stop = (): void => reject(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
      const leave = (): void => signal.removeEventListener('abort', stop);
      promise.then(resolve, reject).then(leave, leave);
      if (signal.aborted) stop();
    });
  }

  /** The answer is there. What follows is awaited by nobody, but the connection ends by itself and can be used again. */
  finish(): void {
    this.#iterator.next().then(
      ({ done }) => (done === true ? undefined : this.close()),
      () => undefined,
    );
  }

  /** Ends the stream, without waiting for its end. */
  close(): void {
    this.#iterator.return?.().then(undefined, () => undefined);
  }
}

/** True for what events can be read from. */
export function isEventStream(answer: unknown): answer is AsyncIterable<unknown> {
  return typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer;
}

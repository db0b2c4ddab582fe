import { type Clock, systemClock } from '../../session/index.ts';

/** How a stream is read. */
export interface StreamReaderOptions {
  /** Ends the reading, with its reason. */
  readonly signal: AbortSignal;
  /** Gives the request up, so that its connection is closed. Must not throw. Default: the stream is only asked to end. */
  readonly leave?: (() => void) | undefined;
  /** Default: the clock of the machine. */
  readonly clock?: Pick<Clock, 'schedule'> | undefined;
}

/** Milliseconds that a server has to end a stream after its last event, so that the connection can be used again. */
export const streamEndGraceMs = 1_000;

/**
 * Reads the events of an answer that comes piece by piece, until it is there or the run ends: whatever is waited for when
 * the signal is aborted is waited for no more.
 */
export class StreamReader {
  readonly #iterator: AsyncIterator<unknown>;
  readonly #signal: AbortSignal;
  readonly #leave: () => void;
  readonly #clock: Pick<Clock, 'schedule'>;

  constructor(
    events: AsyncIterable<unknown>,
    { signal, leave = () => undefined, clock = systemClock }: StreamReaderOptions,
  ) {
    this.#iterator = events[Symbol.asyncIterator]();
    this.#signal = signal;
    this.#leave = leave;
    this.#clock = clock;
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

  /**
   * The answer is there. The end of the stream is not awaited, so that the connection ends by itself and can be used again; a server
   * that keeps it open is left after {@link streamEndGraceMs}, since an open connection keeps the process alive.
   */
  finish(): void {
    const cancel = this.#clock.schedule(streamEndGraceMs, () => this.close());
    this.#iterator.next().then(
      ({ done }) => {
        cancel();
        if (done !== true) this.close();
      },
      () => cancel(),
    );
  }

  /** Ends the stream, without waiting for its end. A stream that waits for its next event ends by leaving the request alone. */
  close(): void {
    this.#leave();
    this.#iterator.return?.().then(undefined, () => undefined);
  }
}

/** True for what events can be read from. */
export function isEventStream(answer: unknown): answer is AsyncIterable<unknown> {
  return typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer;
}

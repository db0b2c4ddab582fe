import { isRecord } from '../../../core/internal/index.ts';
import type { ModelCallOptions, ModelDelta } from '../../../core/runtime/index.ts';
import { type Clock, systemClock } from '../../../core/session/index.ts';
import type { WireFields } from './fields.ts';
import { toBrokenStreamError } from './provider-error.ts';

/** Options of a {@link StreamReader}. */
export interface StreamReaderOptions {
  /** Ends the reading with its reason. */
  readonly signal: AbortSignal;
  /** Aborts the request, which closes its connection. Must not throw. Default: only the iterator is asked to return. */
  readonly leave?: (() => void) | undefined;
  /** Default: the system clock. */
  readonly clock?: Pick<Clock, 'schedule'> | undefined;
}

/** Milliseconds a server has to end a stream after its last event, so that the connection can be reused. */
export const streamEndGraceMs = 1_000;

/**
 * Reads the events of a streamed answer until it is complete or the run ends: when the signal is aborted, pending waits end
 * at once.
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

  /** The next event; rejects with the signal's reason when it is aborted. */
  async next(): Promise<IteratorResult<unknown>> {
    return this.race(this.#iterator.next());
  }

  /** The value of a promise; rejects with the signal's reason when it is aborted first. */
  async race<Value>(promise: PromiseLike<Value>): Promise<Value> {
    const signal = this.#signal;
    return new Promise<Value>((resolve, reject) => {
      // The reason is the caller's and is passed on unchanged.
      const stop = (): void => reject(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
      const leave = (): void => signal.removeEventListener('abort', stop);
      promise.then(resolve, reject).then(leave, leave);
      if (signal.aborted) stop();
    });
  }

  /**
   * The answer is complete. The end of the stream is not awaited: normally the connection ends by itself and can be reused.
   * A server that keeps it open is disconnected after {@link streamEndGraceMs}, since an open connection keeps the process
   * alive.
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

  /** Ends the stream without waiting for it. A stream that waits for its next event ends only by aborting the request. */
  close(): void {
    this.#leave();
    this.#iterator.return?.().then(undefined, () => undefined);
  }
}

/** True for an async iterable of events. */
export function isEventStream(answer: unknown): answer is AsyncIterable<unknown> {
  return typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer;
}

/** The consumer of the deltas of a stream, and what ends it. */
export interface StreamListener extends StreamReaderOptions, Pick<ModelCallOptions, 'onDelta'> {}

/**
 * Reads the answer from a stream of events and emits its deltas. The next event is read when `onDelta` has settled for the previous one.
 *
 * @param step what an event adds: a delta, or the whole answer. May throw: the stream is then closed.
 * @param toError converts the error of a failed stream.
 * @throws {ThrottleError} when the stream ends before the answer does.
 */
export async function readEvents<Answer>(
  events: AsyncIterable<unknown>,
  { onDelta, ...options }: StreamListener,
  step: (event: WireFields) => ModelDelta | { readonly whole: Answer } | undefined,
  toError: (error: unknown) => unknown,
): Promise<Answer> {
  const { signal } = options;
  const reader = new StreamReader(events, options);
  try {
    for (;;) {
      const { done, value } = await reader.next().catch((error: unknown) => {
        if (signal.aborted) throw error;
        // A truncated event cannot be parsed.
        throw error instanceof SyntaxError ? toBrokenStreamError() : toError(error);
      });
      signal.throwIfAborted();
      if (done === true) throw toBrokenStreamError();
      const added = isRecord(value) ? step(value) : undefined;
      if (added === undefined) continue;
      if ('whole' in added) {
        reader.finish();
        return added.whole;
      }
      const wait = onDelta?.(added);
      if (wait !== undefined) await reader.race(wait);
    }
  } catch (error) {
    reader.close();
    throw error;
  }
}

import { AbortableWait, isRecord } from '../../../core/internal/index.ts';
import type { ModelCallOptions, ModelDelta } from '../../../core/runtime/index.ts';
import { type Clock, systemClock } from '../../../core/session/index.ts';
import type { WireFields } from './fields.ts';
import { toBrokenStreamError } from './provider-error.ts';
import type { SilenceLimit } from './silence-limit.ts';

/** Milliseconds a server has to end a stream after its last event, so that the connection can be reused. */
export const streamEndGraceMs = 1_000;

/** True for an async iterable of events. */
export function isEventStream(answer: unknown): answer is AsyncIterable<unknown> {
  return typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer;
}

/** The consumer of the deltas of a stream, and what ends it. */
export interface StreamListener extends Pick<ModelCallOptions, 'onDelta'> {
  /** Ends the reading with its reason, also while something is waited for. */
  readonly signal: AbortSignal;
  /** Aborts the request, which closes its connection. Must not throw. Default: only the iterator is asked to return. */
  readonly leave?: (() => void) | undefined;
  /** Limits the wait for each event; its signal is a part of `signal`. Default: no limit. */
  readonly silence?: SilenceLimit | undefined;
  /** Default: the system clock. */
  readonly clock?: Pick<Clock, 'schedule'> | undefined;
}

/**
 * Reads the answer from a stream of events and emits its deltas. The next event is read when `onDelta` has settled for the previous one.
 *
 * The end of the stream is not awaited after the answer: normally the connection ends by itself and can be reused. A server that keeps it open is
 * disconnected after a second, since an open connection keeps the process alive.
 *
 * @param step what an event adds: a delta, or the whole answer. May throw: the stream is then closed.
 * @param toError converts the error of a failed stream.
 * @throws {ThrottleError} when the stream ends before the answer does.
 */
export async function readEvents<Answer>(
  events: AsyncIterable<unknown>,
  { clock = systemClock, leave, onDelta, signal, silence }: StreamListener,
  step: (event: WireFields) => ModelDelta | { readonly whole: Answer } | undefined,
  toError: (error: unknown) => unknown,
): Promise<Answer> {
  const iterator = events[Symbol.asyncIterator]();
  // A stream may have very many events.
  const waiting = new AbortableWait(signal);
  // A stream that waits for its next event ends only by aborting the request.
  const close = (): void => {
    leave?.();
    iterator.return?.().then(undefined, () => undefined);
  };
  try {
    for (;;) {
      silence?.wait();
      const { done, value } = await waiting.for(iterator.next()).catch((error: unknown) => {
        signal.throwIfAborted();
        // A truncated event cannot be parsed.
        throw error instanceof SyntaxError ? toBrokenStreamError() : toError(error);
      });
      silence?.rest();
      signal.throwIfAborted();
      if (done === true) throw toBrokenStreamError();
      const added = isRecord(value) ? step(value) : undefined;
      if (added === undefined) continue;
      if ('whole' in added) {
        const cancel = clock.schedule(streamEndGraceMs, close);
        iterator.next().then(
          (last) => {
            cancel();
            if (last.done !== true) close();
          },
          () => cancel(),
        );
        return added.whole;
      }
      const wait = onDelta?.(added);
      if (wait !== undefined) await waiting.for(wait);
    }
  } catch (error) {
    silence?.rest();
    close();
    throw error;
  } finally {
    waiting.dispose();
  }
}

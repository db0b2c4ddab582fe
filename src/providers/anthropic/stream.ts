import { isRecord } from '../../core/internal/index.ts';
import {
  failureReason,
  MessageBuilder,
  readEvents,
  type StreamListener,
  toProviderError,
  toResponseError,
  vendorErrorCodes,
  type WireFields,
} from '../kit/index.ts';

/**
 * Reads a message from a stream of events: the same message as without a stream. An input that is not valid JSON stays a
 * string.
 *
 * @throws {ThrottleError} when the stream ends before the message does, and for a temporary error of the
 * provider.
 */
export async function readMessageStream(
  events: AsyncIterable<unknown>,
  listener: StreamListener,
): Promise<WireFields> {
  const message = new MessageBuilder();
  return readEvents(
    events,
    listener,
    (event) => {
      if (event['type'] === 'error') throw failureOf(event['error']);
      const delta = message.take(event);
      return message.isDone ? { whole: message.fields() } : delta;
    },
    (error) => toProviderError(error, vendorErrorCodes),
  );
}

function failureOf(error: unknown): Error {
  const { type } = isRecord(error) ? error : {};
  const text = failureReason(error) ?? 'The provider failed without a reason.';
  return toResponseError(typeof type === 'string' ? type : undefined, text, vendorErrorCodes);
}

import { formatNumber } from '../../../core/internal/index.ts';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * The response with a body that fails once one message in it is too large: the whole body, or one event of a stream of events.
 *
 * @param onTooLarge called with the reason, before the body fails.
 */
export function boundedResponse(
  response: Response,
  maxBytes: number,
  onTooLarge: (reason: string) => void,
): Response {
  if (response.body === null) return response;
  const isStream = response.headers.get('content-type')?.toLowerCase().startsWith('text/event-stream');
  const counter = isStream === true ? new EventCounter() : new ByteCounter();
  const bounded = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        if (counter.largestWith(chunk) > maxBytes) {
          const reason = `sent a message of more than ${formatNumber(maxBytes)} bytes`;
          onTooLarge(reason);
          controller.error(new Error(`The server ${reason}.`));
        } else controller.enqueue(chunk);
      },
    }),
  );
  const { headers, status, statusText } = response;
  return new Response(bounded, { headers, status, statusText });
}

/** Counts all bytes. */
class ByteCounter {
  #bytes = 0;

  largestWith(chunk: Uint8Array): number {
    this.#bytes += chunk.length;
    return this.#bytes;
  }
}

/** Counts the bytes since the last empty line, which ends an event. */
class EventCounter {
  #bytes = 0;
  #lineBytes = 0;

  largestWith(chunk: Uint8Array): number {
    let largest = 0;
    for (const byte of chunk) {
      this.#bytes += 1;
      if (byte === lineFeed) {
        if (this.#lineBytes === 0) this.#bytes = 0;
        this.#lineBytes = 0;
      } else if (byte !== carriageReturn) this.#lineBytes += 1;
      if (this.#bytes > largest) largest = this.#bytes;
    }
    return largest;
  }
}

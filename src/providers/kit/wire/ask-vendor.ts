import { present } from '../../../core/internal/index.ts';
import type { ModelCallOptions } from '../../../core/runtime/index.ts';
import { requestTimeoutMs } from './model-options.ts';
import { isEventStream, type StreamListener } from './stream-reader.ts';

/** What the client of a vendor is called with beside the body of a request. */
export interface VendorRequestOptions {
  readonly signal: AbortSignal;
  readonly timeout: number;
  readonly maxRetries: number;
  readonly headers?: Record<string, string>;
}

/**
 * Sends a request by the client of a vendor, streamed when there is a consumer of deltas. A stream that is left ends its request.
 *
 * @param send sends the request, with the members of its body that ask for a stream.
 * @param read reads the answer from a stream.
 */
export async function askVendor(
  { clock, onDelta, signal }: Pick<ModelCallOptions, 'clock' | 'onDelta' | 'signal'>,
  {
    headers,
    timeoutMs,
  }: { readonly headers: Readonly<Record<string, string>>; readonly timeoutMs: number | undefined },
  send: (options: VendorRequestOptions, streaming: { readonly stream?: true }) => Promise<unknown>,
  read: (events: AsyncIterable<unknown>, listener: StreamListener) => Promise<unknown>,
): Promise<unknown> {
  const left = new AbortController();
  const isStreamed = onDelta !== undefined;
  const answer = await send(
    {
      signal: isStreamed ? AbortSignal.any([signal, left.signal]) : signal,
      timeout: requestTimeoutMs(timeoutMs),
      maxRetries: 0,
      ...present({ headers: Object.keys(headers).length === 0 ? undefined : { ...headers } }),
    },
    isStreamed ? { stream: true } : {},
  );
  if (!isEventStream(answer)) return answer;
  return read(answer, { signal, clock, leave: () => left.abort(), ...present({ onDelta }) });
}

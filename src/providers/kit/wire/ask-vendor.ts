import { present } from '../../../core/internal/index.ts';
import type { ModelCallOptions } from '../../../core/runtime/index.ts';
import { isEventStream, type StreamListener } from './stream-reader.ts';

/** Options of one request by the client of a vendor. */
export interface VendorRequestOptions {
  /** Aborts the request and its stream. */
  readonly signal: AbortSignal;
  /** Timeout of the request in milliseconds. */
  readonly timeout: number;
  /** Always 0: the evaluation retries, because it knows the deadline. */
  readonly maxRetries: number;
  /** Headers of this request, beside those of the client. Absent when there are none. */
  readonly headers?: Record<string, string>;
}

const defaultTimeoutMs = 600_000;
/** The longest delay of timers; a longer one fires at once. */
const longestMs = 2_147_483_647;

/**
 * The timeout of a request in milliseconds: an integer, as clients require, within the range of timers.
 *
 * @internal
 */
export function requestTimeoutMs(timeoutMs: number | undefined): number {
  return Math.min(Math.ceil(timeoutMs ?? defaultTimeoutMs), longestMs);
}

/** How a vendor is asked. */
interface VendorRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number | undefined;
  /** Sends the request, with the members of its body that ask for a stream. */
  send(options: VendorRequestOptions, streaming: { readonly stream?: true }): PromiseLike<unknown>;
  /** Reads the answer from a stream. */
  read(events: AsyncIterable<unknown>, listener: StreamListener): Promise<unknown>;
  /** Converts the error of a failed request. */
  toError(error: unknown): unknown;
}

/** Sends a request by the client of a vendor, streamed when there is a consumer of deltas. A stream that is left ends its request. */
export async function askVendor(
  { clock, onDelta, signal }: Pick<ModelCallOptions, 'clock' | 'onDelta' | 'signal'>,
  { headers, read, send, timeoutMs, toError }: VendorRequest,
): Promise<unknown> {
  const left = new AbortController();
  const isStreamed = onDelta !== undefined;
  const options: VendorRequestOptions = {
    signal: isStreamed ? AbortSignal.any([signal, left.signal]) : signal,
    timeout: requestTimeoutMs(timeoutMs),
    maxRetries: 0,
    ...present({ headers: Object.keys(headers).length === 0 ? undefined : { ...headers } }),
  };
  let answer: unknown;
  try {
    answer = await send(options, isStreamed ? { stream: true } : {});
  } catch (error) {
    throw toError(error);
  }
  if (!isEventStream(answer)) return answer;
  return read(answer, { signal, clock, leave: () => left.abort(), ...present({ onDelta }) });
}

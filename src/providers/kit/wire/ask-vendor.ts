import { maxTimerMs } from '../../../core/error/index.ts';
import { present, untilAborted } from '../../../core/internal/index.ts';
import type { ModelCallOptions } from '../../../core/runtime/index.ts';
import { defaultHeadersOf, type HeaderRecord, withFeaturesOf } from './headers.ts';
import { toNoAnswerError } from './provider-error.ts';
import { type ReportingRequest, reporting } from './reporting-fetch.ts';
import { SilenceLimit } from './silence-limit.ts';
import { isEventStream, type StreamListener } from './stream-reader.ts';

/** Options of one request by the client of a vendor. */
export interface VendorRequestOptions {
  /** Aborts the request and its stream. */
  readonly signal: AbortSignal;
  /**
   * How long the provider may give no sign, in milliseconds; the adapter aborts the request then. For a client that the adapter made the longest
   * possible: clients take it for the time of a whole answer, however many signs there are of it.
   */
  readonly timeout: number;
  /** Always 0: the evaluation retries, because it knows the deadline. */
  readonly maxRetries: number;
  /** Headers of this request, beside those of the client. Absent when there are none. */
  readonly headers?: Record<string, string>;
}

/** How a vendor is asked. */
interface VendorRequest {
  readonly client: object;
  /** Headers of the client, as it was made with them. */
  readonly defaultHeaders: HeaderRecord | undefined;
  readonly headers: HeaderRecord;
  readonly timeoutMs: number | undefined;
  /** Whether the `fetch` of the client is a `reportingFetch()`: of a client that the adapter made. */
  readonly reportsSigns: boolean;
  /** Sends the request, with the members of its body that ask for a stream. */
  send(options: VendorRequestOptions, streaming: { readonly stream?: true }): PromiseLike<unknown>;
  /** Reads the answer from a stream. */
  read(events: AsyncIterable<unknown>, listener: StreamListener): Promise<unknown>;
  /** Converts the error of a failed request. */
  toError(error: unknown): unknown;
}

/**
 * Sends a request by the client of a vendor, streamed when there is a consumer of deltas. A stream that is left ends its request.
 *
 * @throws {ThrottleError} `timeout` when the provider gives no sign for too long, `server-error` for a body that is not an answer.
 */
export async function askVendor(
  { clock, onDelta, signal }: Pick<ModelCallOptions, 'clock' | 'onDelta' | 'signal'>,
  { client, defaultHeaders, reportsSigns, read, send, timeoutMs, toError, ...request }: VendorRequest,
): Promise<unknown> {
  const headers = withFeaturesOf([defaultHeaders, defaultHeadersOf(client)], request.headers);
  const silence = new SilenceLimit(timeoutMs, clock);
  const left = new AbortController();
  const isStreamed = onDelta !== undefined;
  const ended = AbortSignal.any([signal, silence.signal]);
  // Clients pass `fetchOptions` on to their `fetch`. Ours reports there what no client shows: pings, and the parts of a whole answer.
  const options: VendorRequestOptions & { readonly fetchOptions?: ReportingRequest } = {
    signal: isStreamed ? AbortSignal.any([ended, left.signal]) : ended,
    timeout: reportsSigns ? maxTimerMs : silence.timeoutMs,
    maxRetries: 0,
    ...present({
      headers: Object.keys(headers).length === 0 ? undefined : { ...headers },
      fetchOptions: reportsSigns ? reporting(silence.onSign) : undefined,
    }),
  };
  let answer: unknown;
  silence.wait();
  try {
    answer = await untilAborted(Promise.resolve(send(options, isStreamed ? { stream: true } : {})), ended);
  } catch (error) {
    silence.signal.throwIfAborted();
    throw toError(error);
  } finally {
    silence.rest();
  }
  // What a client gives for an empty body, and for one that is not JSON.
  if (typeof answer !== 'object' || answer === null) throw toNoAnswerError(answer);
  if (!isEventStream(answer)) return answer;
  return read(answer, { signal: ended, silence, clock, leave: () => left.abort(), ...present({ onDelta }) });
}

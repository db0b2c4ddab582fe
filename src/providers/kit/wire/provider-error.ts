import {
  describeError,
  ModelResponseError,
  ThrottleError,
  type ThrottleKind,
} from '../../../core/error/index.ts';
import { cutAfter, present } from '../../../core/internal/index.ts';
import { isContextOverflow } from './context-overflow.ts';
import { failureReason } from './failure-reason.ts';

/** How {@link toProviderError} reads the errors of one provider. */
export interface ProviderErrorOptions {
  /**
   * By the provider's code (`errorCode`, `code` or `type`): the kind of throttle, or `context` when the request exceeds the
   * context window. Other failures are classified by status alone. Default: no codes.
   */
  readonly codes?: Readonly<Record<string, ThrottleKind | 'context'>>;
  /**
   * The properties of the error, for clients that name or nest them differently: `status`, `headers`, the code, `error` (the body of
   * the answer or a part of it) and `apiMessage`, the server's message. Default: the error itself.
   */
  readonly fields?: object;
}

/** The error codes of all vendors together, with a meaning beyond the status; their meanings do not conflict. */
export const vendorErrorCodes: ProviderErrorOptions & { readonly codes: object } = {
  codes: {
    insufficient_quota: 'quota',
    billing_hard_limit_reached: 'quota',
    billing_error: 'quota',
    contract_spend_limit_reached: 'quota',
    enforced_spend_limit_reached: 'quota',
    linked_organization_billing_unavailable: 'quota',
    linked_organization_spend_limit_reached: 'quota',
    rate_limit_exceeded: 'rate-limit',
    rate_limit_error: 'rate-limit',
    ramp_limit_exceeded: 'rate-limit',
    slow_down: 'rate-limit',
    RESOURCE_EXHAUSTED: 'rate-limit',
    vector_store_timeout: 'timeout',
    timeout_error: 'timeout',
    DEADLINE_EXCEEDED: 'timeout',
    server_error: 'server-error',
    server_is_overloaded: 'server-error',
    api_error: 'server-error',
    overloaded_error: 'server-error',
    INTERNAL: 'server-error',
    UNAVAILABLE: 'server-error',
    context_length_exceeded: 'context',
    exceed_context_size_error: 'context',
    model_context_window_exceeded: 'context',
    request_too_large: 'context',
  },
};

/**
 * Converts a failed request to a {@link ThrottleError} if it may pass with time, such as an answer that is not JSON, or concerns the account, to a {@link
 * ModelResponseError} for a conversation that is too long; otherwise returns the error itself, with
 * the server's reason in its message. Errors are recognized by their properties, not by their class, so that any client can
 * throw them. Never throws; anything but an object is returned unchanged.
 */
export function toProviderError(error: unknown, { codes, fields }: ProviderErrorOptions = {}): unknown {
  if (typeof error !== 'object' || error === null) return error;
  if (isUnreadable(error)) return toNoAnswerError(describeError(error), error);
  const carried = fields ?? error;
  const kind = kindOf(carried, codes);
  const message = messageOf(carried);
  if (kind === undefined) {
    if (typeof read(carried, 'status') === 'number') giveReason(error, message);
    return error;
  }
  if (kind === 'context') return new ModelResponseError('model-context-exceeded', message, { cause: error });
  const headers = headersOf(carried);
  return new ThrottleError(message, {
    kind,
    retryAfterMs: retryAfterMs(headers),
    ...present({ retrySafe: headers('x-should-retry') === 'false' ? false : undefined }),
    cause: error,
  });
}

/** The error for an answer that reports its own failure. */
export function toResponseError(
  code: string | undefined,
  message: string,
  { codes }: ProviderErrorOptions,
): ThrottleError | ModelResponseError {
  const kind = isContextOverflow(message) ? 'context' : kindOfCode(code, codes);
  const details = code === undefined ? {} : { providerCode: code };
  if (kind === undefined) return new ModelResponseError('model-response-failed', message, { details });
  if (kind === 'context') return new ModelResponseError('model-context-exceeded', message, { details });
  return new ThrottleError(message, { kind, details });
}

/** An answer that was cut off: the rest is lost, and another attempt may succeed. */
export function toBrokenStreamError(): ThrottleError {
  return new ThrottleError('The answer was cut off.', { kind: 'server-error' });
}

/**
 * The error for a body that is empty, cut or the page of a proxy, in place of an answer: the provider has not answered, and another attempt may succeed.
 *
 * @param got the body, as far as it is text.
 */
export function toNoAnswerError(got: unknown, cause?: unknown): ThrottleError {
  const text = typeof got === 'string' ? got.trim() : '';
  const message =
    text === ''
      ? 'The server answered with an empty body.'
      : `The server answered with something else than JSON: ${cutAfter(failureReason(text) ?? text, 200)}`;
  return new ThrottleError(message, { kind: 'server-error', cause });
}

function kindOf(error: object, codes: ProviderErrorOptions['codes']): ThrottleKind | 'context' | undefined {
  const status = read(error, 'status');
  const byCode = ['errorCode', 'code', 'type']
    .map((key) => kindOfCode(read(error, key), codes))
    .find((kind) => kind !== undefined);
  // Some servers report this with a status that otherwise allows another attempt.
  if (byCode === 'context') return byCode;
  if (typeof status !== 'number') {
    if (byCode !== undefined) return byCode;
    if (isContextOverflow(messageOf(error))) return 'context';
    return isConnectionError(error) ? kindOfConnection(error) : undefined;
  }
  if (status === 402) return 'quota';
  if (status === 413) return 'context';
  if (status === 429) return byCode === 'quota' ? 'quota' : 'rate-limit';
  if (status === 408) return 'timeout';
  if ((status === 400 || status === 422 || status >= 500) && isContextOverflow(messageOf(error)))
    return 'context';
  // A conflict means that a lock timed out, as the providers' own clients interpret it.
  if (status === 409 || status >= 500) return 'server-error';
  return byCode === 'quota' ? byCode : undefined;
}

function kindOfCode(
  code: unknown,
  codes: ProviderErrorOptions['codes'],
): ThrottleKind | 'context' | undefined {
  return codes !== undefined && typeof code === 'string' && Object.hasOwn(codes, code)
    ? codes[code]
    : undefined;
}

/** The server's message with the status; without one, the client's message. */
function messageOf(error: object): string {
  const apiMessage = read(error, 'apiMessage');
  const reason =
    typeof apiMessage === 'string' && apiMessage !== '' ? apiMessage : failureReason(read(error, 'error'));
  const status = read(error, 'status');
  if (typeof status !== 'number') return reason ?? describeLostConnection(error);
  if (reason !== undefined) return `${status} ${reason}`;
  const message = describeError(error);
  // The clients put the status before a body that is not JSON.
  const text = message.startsWith(`${status} `) ? message.slice(`${status} `.length) : message;
  return `${status} ${failureReason(text) ?? text}`;
}

/**
 * Sets the message of an error to the reason, unless the message already contains it without much else. The error belongs
 * to this request alone.
 */
function giveReason(error: object, message: string): void {
  if (!(error instanceof Error) || error.message === message) return;
  const reason = message.replace(/^\d+ /, '');
  if (error.message.includes(reason) && error.message.length <= message.length + shownAround) return;
  const property = Object.getOwnPropertyDescriptor(error, 'message');
  if (property?.writable === true) Object.defineProperty(error, 'message', { ...property, value: message });
}

/** Characters that a client may add around a reason before the message counts as a dump. */
const shownAround = 100;

/** The most causes that are looked through. */
const maxCauses = 8;

/**
 * The message of an error of a client with what the system says of the connection, such as `connect ECONNREFUSED 127.0.0.1:8080`: clients and `fetch` leave that in the last cause, and their own
 * messages are the same for every failure.
 */
export function describeLostConnection(error: object): string {
  const message = describeError(error);
  let reason: string | undefined;
  let cause: unknown = read(error, 'cause');
  for (let depth = 0; depth < maxCauses && typeof cause === 'object' && cause !== null; depth += 1) {
    // One error for each address of a name.
    const attempts = read(cause, 'errors');
    if (typeof read(cause, 'code') === 'string')
      reason = describeError(Array.isArray(attempts) ? attempts[0] : cause);
    cause = read(cause, 'cause');
  }
  if (reason === undefined || message.includes(reason)) return message;
  return `${message.replace(/\.$/, '')}: ${cutAfter(reason, 200)}`;
}

/** Errors of clients without a status: the connection failed, was lost or timed out. */
function isConnectionError(error: object): boolean {
  return ('status' in error && 'requestID' in error) || isFetchError(error);
}

/** What `fetch` throws when a connection fails or is lost during the answer. */
function isFetchError(error: object): boolean {
  return error instanceof TypeError && /^(fetch failed|terminated|network error)/i.test(error.message);
}

/** What clients throw for a truncated or invalid JSON body, such as the page of a proxy. */
function isUnreadable(error: object): boolean {
  return (
    error instanceof SyntaxError || (error instanceof TypeError && error.message.includes("'in' operator"))
  );
}

function kindOfConnection(error: object): ThrottleKind {
  const text = `${error.constructor.name} ${describeError(error)} ${describeError(read(error, 'cause'))}`;
  return /time(d )?-?out/i.test(text) ? 'timeout' : 'server-error';
}

function headersOf(error: object): (name: string) => string | undefined {
  const headers = read(error, 'headers');
  if (typeof headers !== 'object' || headers === null) return () => undefined;
  return (name) => {
    const value: unknown = headers instanceof Headers ? headers.get(name) : read(headers, name);
    return typeof value === 'string' ? value : undefined;
  };
}

/** Milliseconds, seconds, or a date, which is compared to the server's own clock. */
function retryAfterMs(header: (name: string) => string | undefined): number | undefined {
  const exact = toNumber(header('retry-after-ms'));
  if (exact !== undefined) return exact;
  const text = header('retry-after');
  const seconds = toNumber(text);
  if (seconds !== undefined) return seconds * 1_000;
  // oxlint-disable-next-line no-restricted-globals -- Both times come from the server; no clock is read.
  const wait = Date.parse(text ?? '') - Date.parse(header('date') ?? '');
  return Number.isNaN(wait) ? undefined : wait;
}

function toNumber(text: string | undefined): number | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const value = Number(text);
  return Number.isNaN(value) ? undefined : value;
}

function read(value: object, key: string): unknown {
  return Reflect.get(value, key);
}

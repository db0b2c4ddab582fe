import { describeError, ModelResponseError, ThrottleError } from '../../../core/error/index.ts';
import { cutAfter, isRecord, present } from '../../../core/internal/index.ts';
import {
  describeLostConnection,
  failureReason,
  isContextOverflow,
  parseJsonText,
  toProviderError as toAnyProviderError,
  toBrokenStreamError,
  toNoAnswerError,
  vendorErrorCodes,
  type WireFields,
} from '../../kit/index.ts';

/** The AI SDK's names for an answer that cannot be parsed. */
const unreadable = new Set([
  'AI_TypeValidationError',
  'AI_InvalidResponseDataError',
  'AI_NoContentGeneratedError',
]);

/** The AI SDK's names for a body that is not JSON. */
const empty = new Set(['AI_JSONParseError', 'AI_EmptyResponseBodyError']);

/**
 * Converts the error of a failed request. Errors are recognized by their properties: the packages have their own classes.
 */
export function toProviderError(error: unknown): unknown {
  if (!isRecord(error)) return error;
  hideRequest(error);
  const { name, statusCode: status, isRetryable } = error;
  if (typeof status !== 'number' && isRetryable === true) return lostConnection(error);
  const wasFine = typeof status === 'number' && status < 300;
  if (wasFine && (isRetryable === true || isUnreadBody(error))) return lostConnection(error);
  // Server failures are retryable, so the package replaces the status of an unreadable answer.
  const isMadeUp = typeof status === 'number' && status >= 500 && isRetryable === false;
  if (isNoAnswer(error, wasFine)) return toNoAnswerError(error['responseBody'], error);
  if (wasFine || isMadeUp || (typeof name === 'string' && unreadable.has(name))) {
    const message = `The answer cannot be read: ${shortened(describeError(error))}`;
    return new ModelResponseError('model-response-invalid', message, { cause: error });
  }
  return toAnyProviderError(error, { ...vendorErrorCodes, fields: carriedBy(error) });
}

/** True for a body that could not be read to its end: the cause is of the connection, and of no class of the AI SDK. */
function isUnreadBody({ responseBody, cause }: WireFields): boolean {
  return responseBody === undefined && isRecord(cause) && !String(cause['name']).startsWith('AI_');
}

/** True for a body that is empty, cut or the page of a proxy. */
function isNoAnswer({ name, responseBody }: WireFields, wasFine: boolean): boolean {
  if (typeof name === 'string' && empty.has(name)) return true;
  if (!wasFine || typeof responseBody !== 'string') return false;
  const body = responseBody.trim() === '' ? undefined : parseJsonText(responseBody);
  return typeof body !== 'object' || body === null;
}

/** Converts an error in the middle of a stream. A temporary one is retried. */
export function toStreamError(error: unknown): unknown {
  const name = isRecord(error) ? error['name'] : undefined;
  // Broken JSON in the middle of a stream is its end.
  if (name === 'AI_JSONParseError' || error instanceof SyntaxError) return toBrokenStreamError();
  // Without data it is not about an event: the stream ended before the answer did.
  if (name === 'AI_InvalidResponseDataError' && isRecord(error) && error['data'] === undefined)
    return toBrokenStreamError();
  const read = toProviderError(error);
  if (read !== error) return read;
  const { status, apiMessage } = isRecord(error)
    ? carriedBy(error)
    : { status: undefined, apiMessage: failureReason(error) ?? String(error) };
  if (error instanceof Error && typeof status === 'number') return error;
  const message = apiMessage || 'The provider failed during its answer.';
  if (isContextOverflow(message))
    return new ModelResponseError('model-context-exceeded', message, { cause: error });
  return typeof status === 'number'
    ? new ModelResponseError('model-response-failed', message, { cause: error })
    : new ThrottleError(message, { kind: 'server-error', cause: error });
}

/** The packages include the whole value and all expectations. */
function shortened(message: string): string {
  const [line = ''] = message.split('\n');
  return cutAfter(line, 200);
}

/** The packages' errors contain the request, with the whole conversation and credentials of remote servers, which must not be logged. */
function hideRequest(error: WireFields): void {
  if (Object.getOwnPropertyDescriptor(error, 'requestBodyValues')?.configurable === true) {
    Object.defineProperty(error, 'requestBodyValues', { enumerable: false });
  }
}

function lostConnection(error: WireFields): ThrottleError {
  const message = describeLostConnection(error);
  const kind = /time(d )?-?out/i.test(`${message} ${describeError(error['cause'])}`)
    ? 'timeout'
    : 'server-error';
  return new ThrottleError(message, { kind, cause: error });
}

/** The properties of an error, under the names that other clients use. */
function carriedBy(error: WireFields): {
  readonly status?: unknown;
  readonly errorCode: unknown;
  readonly code: unknown;
  readonly type: unknown;
  readonly headers: WireFields;
  readonly apiMessage: string;
} {
  const { statusCode, responseHeaders } = error;
  const body = bodyOf(error);
  const failure = failureIn(body) ?? failureIn(error) ?? (isRecord(body) ? body : error);
  const { code = error['code'], status, type, message = error['message'] } = failure;
  return {
    ...present({ status: typeof statusCode === 'number' ? statusCode : undefined }),
    // One of them is the name of the failure; the other may be a number.
    errorCode: status,
    code,
    type,
    headers: { ...retryAfterHeader(failure), ...(isRecord(responseHeaders) ? responseHeaders : {}) },
    apiMessage: failureReason(body) ?? failureReason(message) ?? '',
  };
}

/** The body of the answer. Packages parse only the form of it that they know. */
function bodyOf({ data, responseBody }: WireFields): unknown {
  if (isRecord(data)) return data;
  return typeof responseBody === 'string' && responseBody !== '' ? parseJsonText(responseBody) : undefined;
}

/** The part of a body that is about the failure, at any depth. */
function failureIn(body: unknown): WireFields | undefined {
  if (!isRecord(body)) return undefined;
  const { error, response } = body;
  return [error, isRecord(response) ? response['error'] : undefined].find(isRecord);
}

/** Google reports the retry delay in the body. */
function retryAfterHeader({ details }: WireFields): WireFields {
  const delay = Array.isArray(details)
    ? details
        .filter(isRecord)
        .map(({ retryDelay }) => retryDelay)
        .find((it) => typeof it === 'string')
    : undefined;
  const seconds = typeof delay === 'string' ? /^([\d.]+)s$/.exec(delay)?.[1] : undefined;
  return seconds === undefined ? {} : { 'retry-after': seconds };
}

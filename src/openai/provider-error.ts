import { describeError, ModelResponseError, ThrottleError, type ThrottleKind } from '../error/index.ts';

/**
 * What a failed request comes to: a {@link ThrottleError} for what may pass by itself or is a matter of the account,
 * else the error as it is. Errors are told by what they carry, not by their class, so that any client can throw them.
 */
export function toProviderError(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return error;
  if (isUnreadable(error)) {
    const message = `The answer is no JSON object: ${describeError(error)}`;
    return new ModelResponseError('model-response-invalid', message, { cause: error });
  }
  const kind = kindOf(error);
  if (kind === undefined) return error;
  const headers = headersOf(error);
  return new ThrottleError(describeError(error), {
    kind,
    retryAfterMs: retryAfterMs(headers),
    ...(headers('x-should-retry') === 'false' ? { retrySafe: false } : {}),
    cause: error,
  });
}

/** What a response says that has the status `failed`. */
export function toFailure(code: string | undefined, message: string): ThrottleError | ModelResponseError {
  const kind = code === undefined ? undefined : kindOfCode(code);
  const details = code === undefined ? {} : { providerCode: code };
  return kind === undefined
    ? new ModelResponseError('model-response-failed', message, { details })
    : new ThrottleError(message, { kind, details });
}

function kindOf(error: object): ThrottleKind | undefined {
  const status = read(error, 'status');
  const code = [read(error, 'code'), read(error, 'type')].find((it) => typeof it === 'string');
  const byCode = typeof code === 'string' ? kindOfCode(code) : undefined;
  if (typeof status !== 'number')
    return byCode ?? (isConnectionError(error) ? kindOfConnection(error) : undefined);
  if (status === 429) return byCode === 'quota' ? 'quota' : 'rate-limit';
  if (status === 408) return 'timeout';
  // A conflict is a lock that was not free in time, by the rules of the provider's own client.
  if (status === 409 || status >= 500) return 'server-error';
  return byCode === 'quota' ? 'quota' : undefined;
}

function kindOfCode(code: string): ThrottleKind | undefined {
  switch (code) {
    case 'insufficient_quota':
    case 'billing_hard_limit_reached':
      return 'quota';
    case 'rate_limit_exceeded':
    case 'rate_limit_error':
      return 'rate-limit';
    case 'vector_store_timeout':
      return 'timeout';
    case 'server_error':
      return 'server-error';
    default:
      return undefined;
  }
}

/** The client's errors without a status: the connection failed, broke off or took too long. */
function isConnectionError(error: object): boolean {
  return ('status' in error && 'requestID' in error) || isFetchError(error);
}

/** What `fetch` itself throws when a connection fails, and when one breaks off in the middle of the answer. */
function isFetchError(error: object): boolean {
  return error instanceof TypeError && /^(fetch failed|terminated|network error)/i.test(error.message);
}

/** What the client throws for a body that is cut JSON, or no JSON at all, such as the page of a proxy. */
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

/** Milliseconds, seconds, or a date, which is set off against the server's own clock. */
function retryAfterMs(header: (name: string) => string | undefined): number | undefined {
  const exact = toNumber(header('retry-after-ms'));
  if (exact !== undefined) return exact;
  const text = header('retry-after');
  const seconds = toNumber(text);
  if (seconds !== undefined) return seconds * 1_000;
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

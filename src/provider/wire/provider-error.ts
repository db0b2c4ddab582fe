import { describeError, ModelResponseError, ThrottleError, type ThrottleKind } from '../../error/index.ts';
import { isContextOverflow } from './context-overflow.ts';
import { failureReason } from './failure-reason.ts';

/** What a provider's failures mean, as data. */
export interface ProviderErrorCodes {
  /**
   * By what the provider calls a failure (its `errorCode`, `code` or `type`): the kind of throttle, or `context` when the request is
   * longer than what the model can look at. What is not named here is told by its status alone.
   */
  readonly codes: Readonly<Record<string, ThrottleKind | 'context'>>;
}

/**
 * What a failed request comes to: a {@link ThrottleError} for what may pass by itself or is a matter of the account, a
 * {@link ModelResponseError} for an unreadable answer and a conversation that is too long, else the error itself, with the reason that the
 * server gave in its message. Errors are told by what they carry, not by their class, so that any client can throw them.
 *
 * @param told what the error carries, for clients that name or nest it in another way; `apiMessage` is what the server
 * says. Default: the error itself, whose `error` is the body of the answer or a part of it.
 */
export function toProviderError(error: unknown, words: ProviderErrorCodes, told?: object): unknown {
  if (typeof error !== 'object' || error === null) return error;
  if (isUnreadable(error)) {
    const message = `The answer is no JSON object: ${describeError(error)}`;
    return new ModelResponseError('model-response-invalid', message, { cause: error });
  }
  const carried = told ?? error;
  const kind = kindOf(carried, words);
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
    ...(headers('x-should-retry') === 'false' ? { retrySafe: false } : {}),
    cause: error,
  });
}

/** What an answer comes to that says of itself that it failed. */
export function toResponseError(
  code: string | undefined,
  message: string,
  { codes }: ProviderErrorCodes,
): ThrottleError | ModelResponseError {
  const kind = isContextOverflow(message) ? 'context' : kindOfCode(code, codes);
  const details = code === undefined ? {} : { providerCode: code };
  if (kind === undefined) return new ModelResponseError('model-response-failed', message, { details });
  if (kind === 'context') return new ModelResponseError('model-context-exceeded', message, { details });
  return new ThrottleError(message, { kind, details });
}

/** An answer that broke off: the rest of it is lost, and asking again may help. */
export function toBrokenStreamError(): ThrottleError {
  return new ThrottleError('The answer broke off before its end.', { kind: 'server-error' });
}

function kindOf(error: object, words: ProviderErrorCodes): ThrottleKind | 'context' | undefined {
  const status = read(error, 'status');
  const byCode = ['errorCode', 'code', 'type']
    .map((key) => kindOfCode(read(error, key), words.codes))
    .find((kind) => kind !== undefined);
  // Some servers say so with a status that would be worth another attempt.
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
  // A conflict is a lock that was not free in time, by the rules of the providers' own clients.
  if (status === 409 || status >= 500) return 'server-error';
  return byCode === 'quota' ? byCode : undefined;
}

function kindOfCode(code: unknown, codes: ProviderErrorCodes['codes']): ThrottleKind | 'context' | undefined {
  return typeof code === 'string' && Object.hasOwn(codes, code) ? codes[code] : undefined;
}

/** What the server itself says, with the status; where it says nothing, what the client says. */
function messageOf(error: object): string {
  const told = read(error, 'apiMessage');
  const said = typeof told === 'string' && told !== '' ? told : failureReason(read(error, 'error'));
  const status = read(error, 'status');
  if (typeof status !== 'number') return said ?? describeError(error);
  if (said !== undefined) return `${status} ${said}`;
  const message = describeError(error);
  // The clients put the status before a body that is no JSON.
  const text = message.startsWith(`${status} `) ? message.slice(`${status} `.length) : message;
  return `${status} ${failureReason(text) ?? text}`;
}

/** Gives an error the reason as its message, where its own is another one or a whole page. It was thrown for this request alone. */
function giveReason(error: object, message: string): void {
  if (!(error instanceof Error) || error.message === message) return;
  const reason = message.replace(/^\d+ /, '');
  if (error.message.includes(reason) && error.message.length <= message.length + shownAround) return;
  const property = Object.getOwnPropertyDescriptor(error, 'message');
  if (property?.writable === true) Object.defineProperty(error, 'message', { ...property, value: message });
}

/** Characters that a client may write around a reason before that counts as a dump. */
const shownAround = 100;

/** The clients' errors without a status: the connection failed, broke off or took too long. */
function isConnectionError(error: object): boolean {
  return ('status' in error && 'requestID' in error) || isFetchError(error);
}

/** What `fetch` itself throws when a connection fails, and when one breaks off in the middle of the answer. */
function isFetchError(error: object): boolean {
  return error instanceof TypeError && /^(fetch failed|terminated|network error)/i.test(error.message);
}

/** What clients throw for a body that is cut JSON, or no JSON at all, such as the page of a proxy. */
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
  // oxlint-disable-next-line no-restricted-globals -- Two times that the server tells; no clock is read.
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

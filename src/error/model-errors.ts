import { type ErrorDetails, hasErrorMarker, WinkError } from './wink-error.ts';

/**
 * Codes of {@link ModelResponseError}.
 *
 * - `model-response-failed`: the provider answered that it failed, for a reason that another attempt would not change.
 * - `model-response-invalid`: the answer does not have the shape that the provider's interface promises.
 * - `model-response-empty`: the answer says nothing: no text, no call, no output of a hosted tool.
 * - `model-context-exceeded`: the request is longer than what the model can look at.
 */
export type ModelResponseErrorCode =
  | 'model-response-failed'
  | 'model-response-invalid'
  | 'model-response-empty'
  | 'model-context-exceeded';

/**
 * A model provider answered, but the answer cannot be used. Thrown by a model provider, it ends the evaluation in
 * phase `response` and is the cause of the error.
 */
export class ModelResponseError extends WinkError<ModelResponseErrorCode> {
  constructor(
    code: ModelResponseErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly details?: ErrorDetails } = {},
  ) {
    super('ModelResponseError', message, { code, ...options });
  }

  /** Recognises this error, also one made by another loaded copy of the package. */
  static override isInstance(value: unknown): value is ModelResponseError {
    return hasErrorMarker(value, 'ModelResponseError');
  }
}

/**
 * What kept a model provider from answering.
 *
 * - `rate-limit`: too many requests for now.
 * - `quota`: what was paid for is used up. Waiting does not help: never retried.
 * - `timeout`: no answer in time.
 * - `server-error`: the provider failed, or the connection to it did.
 */
export type ThrottleKind = 'rate-limit' | 'quota' | 'timeout' | 'server-error';

/**
 * Codes of {@link ThrottleError}.
 *
 * - `throttle-signaled`: one request was not answered.
 * - `throttle-attempts-exhausted`: given up, the last attempt allowed was not answered either.
 * - `throttle-deadline-exceeded`: given up, the deadline would pass before the next attempt.
 * - `throttle-delay-exceeded`: given up, the next wait would make the sum of all waits too long.
 */
export type ThrottleErrorCode =
  | 'throttle-signaled'
  | 'throttle-attempts-exhausted'
  | 'throttle-deadline-exceeded'
  | 'throttle-delay-exceeded';

/** What a {@link ThrottleError} is built from. */
export interface ThrottleErrorOptions {
  readonly kind: ThrottleKind;
  /** Default: `throttle-signaled`. */
  readonly code?: ThrottleErrorCode;
  /** How long the provider asks to wait, in milliseconds. Negative or no finite number: as if it did not ask. */
  readonly retryAfterMs?: number | undefined;
  /** Default: 1. */
  readonly attempts?: number;
  /** Default: true for `throttle-signaled`, except for the kind `quota`. Always false for a code that says "given up". */
  readonly retrySafe?: boolean;
  readonly cause?: unknown;
  readonly details?: ErrorDetails;
}

/**
 * A model provider could not answer for now. A model provider throws it with the code `throttle-signaled`; the run then asks
 * again after a wait, as the option `throttle` of the evaluation says. With any other code it is the cause of the
 * error that the evaluation ends with, and its own cause is what the provider threw last.
 */
export class ThrottleError extends WinkError<ThrottleErrorCode> {
  readonly kind: ThrottleKind;
  /** How long the provider asks to wait, in milliseconds; undefined when it does not say. */
  readonly retryAfterMs: number | undefined;
  /** How often the provider was asked, from 1. */
  readonly attempts: number;
  /** Whether the same request may be sent again. */
  readonly retrySafe: boolean;

  constructor(message: string, options: ThrottleErrorOptions) {
    const { kind, code = 'throttle-signaled', attempts = 1 } = options;
    const retryAfterMs = isDelay(options.retryAfterMs) ? options.retryAfterMs : undefined;
    const retrySafe = code === 'throttle-signaled' && kind !== 'quota' && (options.retrySafe ?? true);
    const asked = retryAfterMs === undefined ? {} : { retryAfterMs };
    super('ThrottleError', message, {
      code,
      cause: options.cause,
      details: { kind, attempts, retrySafe, ...asked, ...options.details },
    });
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
    this.attempts = attempts;
    this.retrySafe = retrySafe;
  }

  /** Recognises this error, also one made by another loaded copy of the package. */
  static override isInstance(value: unknown): value is ThrottleError {
    return hasErrorMarker(value, 'ThrottleError');
  }
}

function isDelay(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value) && value >= 0;
}

/**
 * An optional package that is needed here is not installed. The message names it and the install line.
 *
 * Code: `peer-missing`.
 */
export class MissingPeerError extends WinkError<'peer-missing'> {
  constructor(message: string, options: { readonly cause?: unknown; readonly details?: ErrorDetails } = {}) {
    super('MissingPeerError', message, { code: 'peer-missing', ...options });
  }

  /** Recognises this error, also one made by another loaded copy of the package. */
  static override isInstance(value: unknown): value is MissingPeerError {
    return hasErrorMarker(value, 'MissingPeerError');
  }
}

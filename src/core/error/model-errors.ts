import { type ErrorDetails, hasErrorMarker, WinkError, type WinkErrorOptions } from './wink-error.ts';

/**
 * Codes of {@link ModelResponseError}.
 *
 * - `model-response-failed`: the provider reported a failure that another attempt would not change.
 *   What to do: read the message: a refused key, a model that does not exist, a request that is not allowed. Trying again does not
 *   help.
 * - `model-response-invalid`: the response does not have the shape that the provider's API specifies.
 *   What to do: check that `baseURL` names a server with this API, and report servers that differ from it.
 * - `model-response-empty`: the response is empty: no text, no tool call, no output of a hosted tool.
 *   What to do: run again; raise the limit of output tokens where the model spends them all on thinking.
 * - `model-context-exceeded`: the request is longer than the model's context window.
 *   What to do: send less: `context: { overflow: 'drop-tool-results' }`, smaller results, or a model with a larger context.
 */
export type ModelResponseErrorCode =
  | 'model-response-failed'
  | 'model-response-invalid'
  | 'model-response-empty'
  | 'model-context-exceeded';

/**
 * A model provider responded, but the response cannot be used. Thrown by a model provider, it ends the evaluation in
 * phase `response` and is the cause of the evaluation's error.
 */
export class ModelResponseError extends WinkError<ModelResponseErrorCode> {
  constructor(code: ModelResponseErrorCode, message: string, options: Omit<WinkErrorOptions, 'code'> = {}) {
    super('ModelResponseError', message, { code, ...options });
  }

  /** Recognizes this error, including one from another loaded copy of the package. */
  static override isInstance(value: unknown): value is ModelResponseError {
    return hasErrorMarker(value, 'ModelResponseError');
  }
}

/**
 * Why a model provider did not respond.
 *
 * - `rate-limit`: too many requests at the moment.
 * - `quota`: the paid quota is used up. Waiting does not help, so it is never retried.
 * - `timeout`: no response in time.
 * - `server-error`: the provider, or the connection to it, failed.
 */
export type ThrottleKind = 'rate-limit' | 'quota' | 'timeout' | 'server-error';

/**
 * Codes of {@link ThrottleError}.
 *
 * - `throttle-signaled`: one request got no response.
 *   What to do: nothing: the run waits and tries again, as `retry` says.
 * - `throttle-attempts-exhausted`: retries ended because the last allowed attempt got no response either.
 *   What to do: run again later, or raise `retry.maxAttempts`. For `quota`: pay, or take another account.
 * - `throttle-deadline-exceeded`: retries ended because the deadline would pass before the next attempt.
 *   What to do: run again later, or with a later `limits.deadline`.
 * - `throttle-delay-exceeded`: retries ended because the next wait would exceed the limit on the total wait.
 *   What to do: run again later, or raise `retry.maxTotalDelayMs`.
 */
export type ThrottleErrorCode =
  | 'throttle-signaled'
  | 'throttle-attempts-exhausted'
  | 'throttle-deadline-exceeded'
  | 'throttle-delay-exceeded';

/** Options of {@link ThrottleError}. */
export interface ThrottleErrorOptions {
  /** What went wrong at the provider. */
  readonly kind: ThrottleKind;
  /** Default: `throttle-signaled`. */
  readonly code?: ThrottleErrorCode;
  /** How long the provider asks to wait, in milliseconds. A negative or non-finite value counts as absent. */
  readonly retryAfterMs?: number | undefined;
  /** Default: 1. */
  readonly attempts?: number;
  /** Default: true for `throttle-signaled`, except for the kind `quota`. Always false for the other codes, which end the retries. */
  readonly retrySafe?: boolean;
  /** The error of the provider or its client. */
  readonly cause?: unknown;
  /** Facts for programs, which are JSON. Default: none. */
  readonly details?: ErrorDetails;
}

/**
 * A model provider could not respond for now. A model provider throws it with the code `throttle-signaled`; the run then retries
 * after a wait, as configured by the option `retry` of the evaluation. With any other code it is the cause of the
 * error that the evaluation ends with, and its own cause is the last error that the provider threw.
 */
export class ThrottleError extends WinkError<ThrottleErrorCode> {
  readonly kind: ThrottleKind;
  /** How long the provider asks to wait, in milliseconds; undefined when it names no delay. */
  readonly retryAfterMs: number | undefined;
  /** The number of attempts made, from 1. */
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

  /** Recognizes this error, including one from another loaded copy of the package. */
  static override isInstance(value: unknown): value is ThrottleError {
    return hasErrorMarker(value, 'ThrottleError');
  }
}

function isDelay(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value) && value >= 0;
}

/**
 * A required optional package is not installed. The message names it and the command that installs it.
 *
 * Code: `peer-missing`.
 * What to do: run the command that the message has.
 */
export class MissingPeerError extends WinkError<'peer-missing'> {
  constructor(message: string, options: Omit<WinkErrorOptions, 'code'> = {}) {
    super('MissingPeerError', message, { code: 'peer-missing', ...options });
  }

  /** Recognizes this error, including one from another loaded copy of the package. */
  static override isInstance(value: unknown): value is MissingPeerError {
    return hasErrorMarker(value, 'MissingPeerError');
  }
}

/**
 * A package that those who use it install themselves. `versions` are as a person reads them, `range` is as npm takes it, `orElse` says what else helps, such as
 * `pass a client to the adapter`.
 * @internal
 */
export interface PeerPackage {
  readonly name: string;
  readonly versions: string;
  readonly range: string;
  readonly orElse?: string;
}

/**
 * The error for a package that cannot be loaded. An `await import()` is directly in a `try` of its caller: there, bundlers allow a package that is not installed.
 * @internal
 */
export function missingPeer(
  { name, orElse, range, versions }: PeerPackage,
  cause: unknown,
  what = 'could not be loaded',
): MissingPeerError {
  const instead = orElse === undefined ? '' : `, or ${orElse}`;
  return new MissingPeerError(
    `The package "${name}" ${what}. Install it next to weakincentives with "npm install ${name}" (version ${versions}; with -g where weakincentives is installed so)${instead}.`,
    { cause, details: { package: name, range } },
  );
}

import {
  assertOptions,
  integer,
  number,
  type OptionsOf,
  PromptValidationError,
  withDefaults,
} from '../../error/index.ts';

/** How often and how patiently a model that could not answer is asked again. Delays are milliseconds over 0. */
export interface RetryOptions {
  /** How often the model is asked for one turn, the first time included: 1 or more. Default: 5. */
  readonly maxAttempts?: number;
  /** The shortest wait, and the upper end of the random first one. Default: 500. */
  readonly baseDelayMs?: number;
  /** Where doubling the upper end stops; not below `baseDelayMs`. A longer `retry-after` counts more. Default: 8,000. */
  readonly maxDelayMs?: number;
  /** The sum of all waits within one turn. Default: 30,000. */
  readonly maxTotalDelayMs?: number;
  /** A random number from 0 up to 1. Must not throw. Default: `Math.random`. */
  readonly random?: () => number;
}

/** {@link RetryOptions} with nothing left open. */
export type ThrottlePolicy = Required<RetryOptions>;

const retryChecks = {
  maxAttempts: integer({ min: 1, default: 5 }),
  baseDelayMs: number({ above: 0, default: 500 }),
  maxDelayMs: number({ above: 0, default: 8_000 }),
  maxTotalDelayMs: number({ above: 0, default: 30_000 }),
  random: 'function',
} satisfies OptionsOf<RetryOptions>;

/**
 * The policy that the options describe; undefined for `false`, which never asks again.
 *
 * @throws {PromptValidationError} for a number out of its range.
 */
export function toThrottlePolicy(options: RetryOptions | false = {}): ThrottlePolicy | undefined {
  if (options === false) return undefined;
  assertOptions('evaluate()', options, retryChecks, { path: 'retry' });
  const { random = Math.random } = options;
  const policy: ThrottlePolicy = { ...withDefaults(retryChecks, options), random };
  if (policy.maxDelayMs < policy.baseDelayMs) {
    throw new PromptValidationError(
      `evaluate(): retry.maxDelayMs must be at least baseDelayMs, which is ${policy.baseDelayMs}; received ${policy.maxDelayMs}.`,
      { details: { option: 'retry.maxDelayMs', value: policy.maxDelayMs } },
    );
  }
  return policy;
}

import {
  type ProviderErrorWords,
  toFailure as toAnyFailure,
  toProviderError as toAnyProviderError,
} from '../adapter/index.ts';
import type { ModelResponseError, ThrottleError } from '../error/index.ts';

const words: ProviderErrorWords = {
  codes: {
    insufficient_quota: 'quota',
    billing_hard_limit_reached: 'quota',
    rate_limit_exceeded: 'rate-limit',
    rate_limit_error: 'rate-limit',
    vector_store_timeout: 'timeout',
    server_error: 'server-error',
    context_length_exceeded: 'context',
  },
};

/** What a failed request comes to. */
export function toProviderError(error: unknown): unknown {
  return toAnyProviderError(error, words);
}

/** What a response says that has the status `failed`. */
export function toFailure(code: string | undefined, message: string): ThrottleError | ModelResponseError {
  return toAnyFailure(code, message, words);
}

import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { ModelResponseError, ThrottleError, toProviderError } from 'weakincentives/provider';
import { vendorErrorCodes } from '../../../../src/providers/kit/index.ts';

// How waits and connections are read is the same for every provider; see the tests of the OpenAI adapter.

const apiError = (
  status: number | undefined,
  type = 'invalid_request_error',
  message = 'No.',
  details: object = {},
): Error => {
  const body = { type: 'error', error: { type, message, details } };
  return status === undefined
    ? new Anthropic.APIError(undefined, body, undefined, undefined)
    : Anthropic.APIError.generate(status, body, undefined, new Headers({ 'retry-after': '2' }));
};

const read = (error: unknown): unknown => toProviderError(error, vendorErrorCodes);

describe('errors of the client', () => {
  it.each<[string, Error, string]>([
    ['429', apiError(429, 'rate_limit_error'), 'rate-limit'],
    [
      '429 for how fast use grows',
      apiError(429, 'rate_limit_error', 'No.', { error_code: 'ramp_limit_exceeded' }),
      'rate-limit',
    ],
    [
      '429 for what may be spent',
      apiError(429, 'rate_limit_error', 'No.', { error_code: 'enforced_spend_limit_reached' }),
      'quota',
    ],
    ['402', apiError(402, 'billing_error'), 'quota'],
    ['403 for the bill', apiError(403, 'billing_error'), 'quota'],
    ['408', apiError(408, 'timeout_error'), 'timeout'],
    ['409', apiError(409), 'server-error'],
    ['500', apiError(500, 'api_error'), 'server-error'],
    ['529', apiError(529, 'overloaded_error'), 'server-error'],
    ['an overload in a stream', apiError(undefined, 'overloaded_error'), 'server-error'],
    ['a timeout in a stream', apiError(undefined, 'timeout_error'), 'timeout'],
    ['a failed connection', new Anthropic.APIConnectionError({ message: 'x' }), 'server-error'],
    ['a timeout', new Anthropic.APIConnectionTimeoutError(), 'timeout'],
  ])('%s', (_name, error, kind) => {
    const found = read(error);
    if (!ThrottleError.isInstance(found)) throw new Error('It is no throttle.', { cause: found });
    expect(found).toMatchObject({ kind, cause: error, retrySafe: kind !== 'quota' });
  });

  it('say what the provider says, and how long to wait', () => {
    expect(read(apiError(429, 'rate_limit_error', 'Slow down.'))).toMatchObject({
      message: '429 Slow down.',
      retryAfterMs: 2_000,
    });
  });

  it.each<[string, Error]>([
    ['in words', apiError(400, undefined, 'prompt is too long: 210000 tokens > 200000 maximum')],
    [
      'for the answer that is wanted',
      apiError(400, undefined, 'input length and `max_tokens` exceed context limit: 190000 + 16000 > 200000'),
    ],
    ['by its code', apiError(413, 'request_too_large', 'Request exceeds the maximum size')],
    ['by its status alone', apiError(413, 'of a proxy', 'Payload')],
    ['in a stream', apiError(undefined, undefined, 'prompt is too long')],
  ])('tell of a conversation that is too long, %s', (_name, error) => {
    const found = read(error);
    if (!ModelResponseError.isInstance(found)) throw new Error('It is none.', { cause: found });
    expect(found).toMatchObject({ code: 'model-context-exceeded', cause: error });
  });

  it.each<[string, unknown]>([
    ['400', apiError(400)],
    ['400 for a long name', apiError(400, undefined, 'tools.0.name: name is too long')],
    ['401', apiError(401, 'authentication_error')],
    ['403', apiError(403, 'permission_error')],
    ['404', apiError(404, 'not_found_error', 'prompt is too long to be a model')],
    ['an error of the program', new TypeError('x is not a function')],
  ])('%s stays what it is', (_name, error) => {
    expect(read(error)).toBe(error);
  });
});

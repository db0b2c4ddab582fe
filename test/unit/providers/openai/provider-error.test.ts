import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { ThrottleError } from 'weakincentives/provider';
import { toProviderError } from '../../../../src/providers/openai/response/provider-error.ts';

const apiError = (status: number, error: object = {}, headers: Record<string, string> = {}): Error =>
  OpenAI.APIError.generate(status, { error: { message: 'No.', ...error } }, undefined, new Headers(headers));

function throttleOf(error: unknown): ThrottleError {
  const found = toProviderError(error);
  if (!ThrottleError.isInstance(found)) throw new Error('It is no throttle.', { cause: found });
  expect(found.cause).toBe(error);
  expect(found.code).toBe('throttle-signaled');
  return found;
}

describe('errors of the client', () => {
  it.each<[string, unknown, string, boolean]>([
    ['429', apiError(429), 'rate-limit', true],
    ['429 for the quota', apiError(429, { code: 'insufficient_quota' }), 'quota', false],
    [
      '429 for the quota, by its type',
      apiError(429, { code: null, type: 'insufficient_quota' }),
      'quota',
      false,
    ],
    ['403 for the quota', apiError(403, { code: 'billing_hard_limit_reached' }), 'quota', false],
    ['408', apiError(408), 'timeout', true],
    ['409', apiError(409), 'server-error', true],
    ['500', apiError(500), 'server-error', true],
    ['503', apiError(503), 'server-error', true],
    [
      '500 that must not be sent again',
      apiError(500, {}, { 'x-should-retry': 'false' }),
      'server-error',
      false,
    ],
    [
      'an error without a status',
      new OpenAI.APIError(undefined, { code: 'server_error' }, 'x', undefined),
      'server-error',
      true,
    ],
    ['a timeout', new OpenAI.APIConnectionTimeoutError(), 'timeout', true],
    [
      'a failed connection',
      new OpenAI.APIConnectionError({ cause: new Error('ECONNREFUSED') }),
      'server-error',
      true,
    ],
    [
      'a connection that timed out',
      new OpenAI.APIConnectionError({ cause: new Error('Connect Timeout Error') }),
      'timeout',
      true,
    ],
    ['an answer that broke off', new TypeError('terminated'), 'server-error', true],
    ['a plain object', { status: 429, headers: { 'retry-after': '2' } }, 'rate-limit', true],
  ])('%s', (_name, error, kind, retrySafe) => {
    const found = throttleOf(error);
    expect({ kind: found.kind, retrySafe: found.retrySafe }).toEqual({ kind, retrySafe });
  });

  it.each([
    ['400', apiError(400)],
    ['401', apiError(401)],
    ['403', apiError(403)],
    ['404', apiError(404)],
    ['422', apiError(422)],
    ['an error of the program', new TypeError('x is not a function')],
    ['a text', 'text'],
    ['nothing', undefined],
  ])('%s stays what it is', (_name, error) => {
    expect(toProviderError(error)).toBe(error);
  });

  it.each([
    ['cut JSON', new SyntaxError('Unexpected end of JSON input')],
    ['a web page', new TypeError("Cannot use 'in' operator to search for 'object' in <html>")],
  ])('%s is no answer, and may be asked for again', (_name, cause) => {
    expect(toProviderError(cause)).toMatchObject({
      name: 'ThrottleError',
      kind: 'server-error',
      retrySafe: true,
      message: expect.stringContaining(cause.message),
      cause,
    });
  });
});

describe('how long to wait', () => {
  const date = 'Sat, 21 Nov 2026 10:00:00 GMT';

  it.each<[Record<string, string>, number | undefined]>([
    [{}, undefined],
    [{ 'retry-after': '2' }, 2_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after-ms': '150', 'retry-after': '9' }, 150],
    [{ 'retry-after': 'Sat, 21 Nov 2026 10:00:07 GMT', date }, 7_000],
    [{ 'retry-after': 'Sat, 21 Nov 2026 10:00:07 GMT' }, undefined],
    [{ 'retry-after': 'Sat, 21 Nov 2026 09:00:00 GMT', date }, undefined],
    [{ 'retry-after': 'soon', date }, undefined],
    [{ 'retry-after': '-1', date }, undefined],
    [{ 'retry-after': '' }, undefined],
    [{ 'retry-after': 'Infinity' }, undefined],
  ])('%j: %j ms', (headers, expected) => {
    expect(throttleOf(apiError(429, {}, headers)).retryAfterMs).toBe(expected);
    expect(throttleOf({ status: 429, headers }).retryAfterMs).toBe(expected);
  });
});

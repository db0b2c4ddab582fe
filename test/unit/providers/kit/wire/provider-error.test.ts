import { describe, expect, it } from 'vitest';
import { ModelResponseError, ThrottleError, toProviderError } from 'weakincentives/provider';

const failure = (fields: object): Error => Object.assign(new Error('Request failed.'), fields);

describe('toProviderError', () => {
  it.each([
    [{ status: 429 }, 'rate-limit'],
    [{ status: 402 }, 'quota'],
    [{ status: 408 }, 'timeout'],
    [{ status: 503 }, 'server-error'],
  ])('makes a throttle error of %o', (fields, kind) => {
    const cause = failure(fields);
    const error = toProviderError(cause);
    expect(ThrottleError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ kind, cause });
  });

  it('reads the time to wait from the headers', () => {
    const error = toProviderError(failure({ status: 429, headers: { 'retry-after': '7' } }));
    expect(error).toMatchObject({ kind: 'rate-limit', retryAfterMs: 7_000 });
  });

  it('classifies by the codes of the provider', () => {
    const codes = { out_of_credit: 'quota', too_long: 'context' } as const;
    expect(toProviderError(failure({ status: 429, code: 'out_of_credit' }), { codes })).toMatchObject({
      kind: 'quota',
    });
    const error = toProviderError(failure({ status: 400, type: 'too_long' }), { codes });
    expect(ModelResponseError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ code: 'model-context-exceeded' });
  });

  it('reads other fields than those of the error', () => {
    const cause = failure({ reply: { statusCode: 429 } });
    expect(toProviderError(cause)).toBe(cause);
    expect(toProviderError(cause, { fields: { status: 429 } })).toMatchObject({ kind: 'rate-limit', cause });
  });

  it('returns any other error, and values that are not errors, unchanged', () => {
    const refused = failure({ status: 401 });
    expect(toProviderError(refused)).toBe(refused);
    expect(toProviderError('text')).toBe('text');
  });
});

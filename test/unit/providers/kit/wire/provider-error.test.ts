import { describe, expect, it } from 'vitest';
import { ModelResponseError, ThrottleError, toProviderError } from 'weakincentives/provider';
import { freePort } from '../../../../support/free-port.ts';

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

  it('says why there is no connection, which clients leave in the causes of their errors', async () => {
    const port = await freePort();
    const refused: unknown = await fetch(`http://127.0.0.1:${port}`).catch((error: unknown) => error);
    const client = Object.assign(new Error('Connection error.', { cause: refused }), {
      status: undefined,
      requestID: undefined,
    });
    expect(toProviderError(client)).toMatchObject({
      kind: 'server-error',
      message: `Connection error: connect ECONNREFUSED 127.0.0.1:${port}`,
      cause: client,
    });
    // One attempt for each address of a name; the error of all has no message.
    const each = ['::1', '127.0.0.1'].map((address) => new Error(`connect ECONNREFUSED ${address}:9`));
    const all = Object.assign(new AggregateError(each), { code: 'ECONNREFUSED' });
    expect(toProviderError(new TypeError('fetch failed', { cause: all }))).toMatchObject({
      message: 'fetch failed: connect ECONNREFUSED ::1:9',
    });
    const endless = new TypeError('terminated');
    endless.cause = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET', cause: endless });
    expect(toProviderError(endless)).toMatchObject({ message: 'terminated: other side closed' });
    expect(toProviderError(new TypeError('fetch failed', { cause: new Error('bad port') }))).toMatchObject({
      message: 'fetch failed',
    });
  });

  it('returns any other error, and values that are not errors, unchanged', () => {
    const refused = failure({ status: 401 });
    expect(toProviderError(refused)).toBe(refused);
    expect(toProviderError('text')).toBe('text');
  });
});

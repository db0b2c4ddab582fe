import { describe, expect, it } from 'vitest';
import { failureReason } from '../../../../../src/providers/kit/wire/failure-reason.ts';

describe('the reason of a failure', () => {
  it.each<[string, unknown, string | undefined]>([
    ['an error with a message', { error: { message: 'No such model.', code: 400 } }, 'No such model.'],
    [
      'an error that is a text',
      { error: 'model "x" not found', error_type: 'validation' },
      'model "x" not found',
    ],
    ['an error object', { object: 'error', message: 'No.', type: 'BadRequestError', code: 400 }, 'No.'],
    ['a message', { message: 'No.' }, 'No.'],
    ['a message in capitals', { Message: 'No.' }, 'No.'],
    ['a detail', { detail: 'Not found.' }, 'Not found.'],
    [
      'a list of faults',
      {
        detail: [
          { type: 'missing', loc: ['body', 'messages', 0, 'content'], msg: 'Field required' },
          { loc: [], msg: 'Not an object' },
        ],
      },
      'body.messages.0.content: Field required; Not an object',
    ],
    [
      'a list of faults in a message',
      {
        object: 'error',
        message: { detail: [{ loc: ['body', 'top_k'], msg: 'Extra inputs are not permitted' }] },
      },
      'body.top_k: Extra inputs are not permitted',
    ],
    ['a list of errors', { success: false, errors: [{ code: 7003, message: 'No route.' }] }, 'No route.'],
    ['a list with one failure', [{ error: { message: 'API key not valid.' } }], 'API key not valid.'],
    [
      'a gateway that hands on what the provider said',
      {
        error: {
          message: 'Provider returned error',
          metadata: { raw: '{"error":{"message":"prompt is too long"}}', provider_name: 'X' },
        },
      },
      'Provider returned error: prompt is too long',
    ],
    ['JSON in a text', '{"error":{"message":"No."}}', 'No.'],
    ['JSON in the text of an error', { error: { message: '{"message":"Inner."}' } }, 'Inner.'],
    ['a text', ' upstream connect error \n', 'upstream connect error'],
    ['what is cut JSON', '{"error": {"mess', '{"error": {"mess'],
    [
      'a web page',
      '<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title><style>p { color: red }</style></head>\n<body><h1>Sorry</h1><script>x < 1</script></body></html>',
      '502 Bad Gateway Sorry',
    ],
    ['an object without a reason', { code: 400 }, undefined],
    ['an empty text', '  ', undefined],
    ['nothing', undefined, undefined],
    ['a number', 400, undefined],
  ])('of %s', (_name, body, expected) => {
    expect(failureReason(body)).toBe(expected);
    if (typeof body === 'object')
      expect(failureReason(JSON.stringify(body))).toBe(expected ?? JSON.stringify(body));
  });

  it('is cut short', () => {
    expect(failureReason('x'.repeat(600))).toBe(`${'x'.repeat(500)}…`);
    expect(failureReason({ detail: 'y'.repeat(100_000) })).toHaveLength(501);
    expect(failureReason(`<html>${'<p>word</p>'.repeat(50_000)}`)?.length).toBe(501);
  });

  it('is not looked for without an end', () => {
    let body: unknown = 'deep';
    for (let depth = 0; depth < 10_000; depth += 1) body = { error: body };
    expect(failureReason(body)).toBeUndefined();
  });
});

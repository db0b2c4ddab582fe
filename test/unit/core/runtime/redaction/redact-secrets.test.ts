import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PromptValidationError, redactPatterns, redactSecrets } from 'weakincentives';

describe('redactSecrets', () => {
  test.each([
    ['the key is sk-12345678.', 'the key is <redacted>.'],
    ['sk-12345678sk-12345678', '<redacted><redacted>'],
    ['a longer one: sk-12345678-long', 'a longer one: <redacted>'],
    ['nothing of that', 'nothing of that'],
    ['sk-1234567 is another', 'sk-1234567 is another'],
    ['{"quoted":"say \\"please\\"\\nnow"}', '{"quoted":"<redacted>"}'],
    [
      '"{\\"in JSON in JSON\\":\\"say \\\\\\"please\\\\\\"\\\\nnow\\"}"',
      '"{\\"in JSON in JSON\\":\\"<redacted>\\"}"',
    ],
    ['cut off: sk-12345678-l', 'cut off: <redacted>'],
    ['cut off: say "pleas', 'cut off: <redacted>'],
    ['cut off: "say \\"ple…", and more', 'cut off: "<redacted>…", and more'],
    ['not cut off: say "ple and more', 'not cut off: say "ple and more'],
    ['', ''],
  ])('makes %j to %j', (text, clean) => {
    const redact = redactSecrets(['sk-12345678', 'sk-12345678-long', 'say "please"\nnow']);
    expect(redact(text)).toBe(clean);
  });

  test('names secrets that have a name, and leaves out those that are not set', () => {
    const redact = redactSecrets({ API_KEY: 'key-of-mine', PASSWORD: undefined, TOKEN: '' });
    expect(redact('key-of-mine')).toBe('<API_KEY>');
    expect(redact('undefined')).toBe('undefined');
  });

  test.each([[['abc']], [['']], [{ SHORT: 'abc' }], [[4_711 as never]]])('refuses %j', (secrets) => {
    expect(() => redactSecrets(secrets)).toThrow(PromptValidationError);
    expect(() => redactSecrets(secrets)).not.toThrow(/abc/);
  });

  test('finds a secret in any text and in the JSON of it', () => {
    const secrets = fc
      .string({ unit: 'grapheme', minLength: 4, maxLength: 30 })
      .filter((text) => !'<redacted>'.includes(text));
    fc.assert(
      fc.property(
        secrets,
        fc.string(),
        fc.string(),
        fc.integer({ min: 0, max: 2 }),
        (secret, before, after, depth) => {
          let text = `${before}${secret}${after}`;
          let written = secret;
          for (let level = 0; level < depth; level += 1) {
            text = JSON.stringify(text);
            written = JSON.stringify(written).slice(1, -1);
          }
          expect(text).toContain(written);
          const clean = redactSecrets([secret])(text);
          expect(clean).toContain('<redacted>');
          expect(clean.split('<redacted>').some((rest) => rest.includes(written))).toBe(false);
        },
      ),
    );
  });
});

describe('redactPatterns', () => {
  test('replaces whatever matches', async () => {
    const redact = await redactPatterns(['sk-[a-z0-9]{8,}', '(?i)bearer \\S+']);
    expect(redact('sk-abcdefgh and Bearer x.y.z, sk-short')).toBe('<redacted> and <redacted> sk-short');
    expect(redact('$1 sk-abcdefgh $&')).toBe('$1 <redacted> $&');
  });

  test('takes time linear in the text for patterns that others would choke on', async () => {
    const redact = await redactPatterns(['(a+)+$']);
    expect(redact(`${'a'.repeat(20_000)}!`)).toHaveLength(20_001);
  });

  test.each(['', '(', 'x*', '(?=a)', '(a{1000}){1000}', 'a'.repeat(2_001)])('refuses %j', async (pattern) => {
    await expect(redactPatterns([pattern])).rejects.toThrow(
      expect.objectContaining({
        code: 'prompt-invalid',
        message: expect.stringContaining('pattern') as unknown,
      }),
    );
  });
});

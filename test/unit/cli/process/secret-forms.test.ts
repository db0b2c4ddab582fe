import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostRedact } from '../../../../src/cli/process/redact.ts';
import { draws } from '../../../support/draws.ts';

const nowhere = { workspace: undefined, agentFolder: undefined, workingFolder: '', home: '' };
const redactionOf = (secret: string): ReturnType<typeof hostRedact> =>
  hostRedact(nowhere, { variables: { APP_SECRET: secret } });

const json = (text: string): string => JSON.stringify(text).slice(1, -1);

/** How programs write a text. */
const writers: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  json,
  'json in json': (text) => json(json(text)),
  'json with escaped slashes': (text) => json(text).replaceAll('/', '\\/'),
  'single quotes of a shell': (text) => `'${text.replaceAll("'", "'\\''")}'`,
  'double quotes of a shell': (text) => `"${text.replace(/["$`\\]/g, '\\$&')}"`,
  'part of an address': encodeURIComponent,
  'part of an address in lower case': (text) =>
    encodeURIComponent(text).replace(/%[0-9A-F]{2}/g, (digits) => digits.toLowerCase()),
  form: (text) => new URLSearchParams({ a: text }).toString(),
  xml: (text) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#39;'),
  base64: (text) => Buffer.from(text).toString('base64'),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  'base64 after one byte': (text) => Buffer.from(`u${text}:x`).toString('base64'),
  'base64 after two bytes': (text) => Buffer.from(`us${text}:x`).toString('base64'),
  'base64 after three bytes': (text) => Buffer.from(`use${text}:x`).toString('base64'),
  'base64url after a user': (text) => Buffer.from(`ann:${text}`).toString('base64url'),
  hex: (text) => Buffer.from(text).toString('hex'),
  'hex in upper case': (text) => Buffer.from(text).toString('hex').toUpperCase(),
};

/** What a person reads back out of what is left; nothing long of the secret may be there. */
function longestLeft(written: string, shown: string): number {
  let longest = 0;
  for (let start = 0; start < written.length; start += 1) {
    while (shown.includes(written.slice(start, start + longest + 1)) && start + longest < written.length)
      longest += 1;
  }
  return longest;
}

const secrets = fc
  .string({
    unit: fc.constantFrom(...Array.from(`abcXYZ0123456789 '"\\$&<>/+=%_-!é\n`)),
    minLength: 12,
    maxLength: 60,
  })
  .filter((text) => text.trim() === text && new Set(text).size > 6);

describe('a secret', () => {
  it.each(Object.keys(writers))('is hidden as %s', (name) => {
    const write = writers[name] ?? String;
    fc.assert(
      fc.property(secrets, (secret) => {
        const written = write(secret);
        const shown = redactionOf(secret)(`before ${written} after`);
        expect(shown).toContain('<APP_SECRET>');
        // At its ends a character or two have parts of what is beside it.
        expect(longestLeft(written, shown)).toBeLessThanOrEqual(8);
      }),
      { numRuns: draws(200) },
    );
  });

  it.each(Object.keys(writers))('is hidden as %s, in pieces of a stream', (name) => {
    const write = writers[name] ?? String;
    fc.assert(
      fc.property(secrets, fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }), (secret, sizes) => {
        const redact = redactionOf(secret);
        const text = `before ${write(secret)} after. `;
        let shown = '';
        let waiting = '';
        let at = 0;
        for (let index = 0; at < text.length; index += 1) {
          const size = sizes[index % sizes.length] ?? 1;
          waiting += text.slice(at, at + size);
          at += size;
          const settled = waiting.length - (redact.pending?.(waiting) ?? waiting.length);
          const parts = redact(waiting.slice(0, settled)) + redact(waiting.slice(settled));
          if (settled <= 0 || parts !== redact(waiting)) continue;
          shown += redact(waiting.slice(0, settled));
          waiting = waiting.slice(settled);
        }
        expect(shown + redact(waiting)).toBe(redact(text));
      }),
      { numRuns: draws(100) },
    );
  });

  it('of several lines is hidden line by line', () => {
    const key = '-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcwggSjAgEAAoIB\n-----END KEY-----';
    const shown = redactionOf(key)('1: MIIEvQIBADANBgkqhkiG9w0B\n2: AQEFAASCBKcwggSjAgEAAoIB');
    expect(shown).toBe('1: <APP_SECRET>\n2: <APP_SECRET>');
  });
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { OutputWindow } from '../../../../src/host/process/output-window.ts';

const filled = (headBytes: number, tailBytes: number, chunks: readonly Uint8Array[]): OutputWindow => {
  const window = new OutputWindow({ headBytes, tailBytes });
  for (const chunk of chunks) window.add(chunk);
  return window;
};

it('keeps the first and the last bytes of any output, however it is cut into chunks', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ maxLength: 40, unit: fc.constantFrom('a', 'b', 'c', 'd') })),
      fc.nat(60),
      fc.nat(60),
      (texts, headBytes, tailBytes) => {
        const whole = texts.join('');
        const window = filled(
          headBytes,
          tailBytes,
          texts.map((text) => Buffer.from(text)),
        );
        expect(window.totalBytes).toBe(whole.length);
        const omitted = Math.max(0, whole.length - headBytes - tailBytes);
        expect(window.omittedBytes).toBe(omitted);
        const expected =
          omitted === 0
            ? whole
            : `${whole.slice(0, headBytes)}<${omitted}>${whole.slice(whole.length - tailBytes)}`;
        expect(window.text((bytes) => `<${bytes}>`)).toBe(expected);
      },
    ),
  );
});

it('never shows half a character at the gap', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀'), maxLength: 60 }),
      fc.nat(20),
      fc.nat(20),
      fc.integer({ min: 1, max: 7 }),
      (text, headBytes, tailBytes, chunkBytes) => {
        const bytes = Buffer.from(text);
        const chunks: Uint8Array[] = [];
        for (let at = 0; at < bytes.length; at += chunkBytes)
          chunks.push(bytes.subarray(at, at + chunkBytes));
        const window = filled(headBytes, tailBytes, chunks);
        expect(window.text()).not.toContain('\uFFFD');
        if (window.omittedBytes === 0) return;
        expect(text.startsWith(window.head())).toBe(true);
        expect(text.endsWith(window.tail())).toBe(true);
      },
    ),
  );
});

it('keeps nothing of an output without limits to keep, but counts it', () => {
  const window = filled(0, 0, [Buffer.from('abc'), Buffer.alloc(0)]);
  expect([window.text(() => '…'), window.totalBytes, window.omittedBytes]).toStrictEqual(['…', 3, 3]);
});

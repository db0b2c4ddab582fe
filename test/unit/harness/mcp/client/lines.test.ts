import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Lines } from '../../../../../src/harness/mcp/client/lines.ts';

function read(pieces: readonly Uint8Array[], maxBytes: number): { lines: string[]; tooLong: number } {
  const found: { lines: string[]; tooLong: number } = { lines: [], tooLong: 0 };
  const lines = new Lines({
    maxBytes,
    onLine: (line) => found.lines.push(line),
    onTooLong: () => {
      found.tooLong += 1;
    },
  });
  for (const piece of pieces) lines.add(piece);
  return found;
}

it('finds the same lines wherever the stream is divided', () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'ü', '😀', '\r', ' '), maxLength: 6 });
  fc.assert(
    fc.property(fc.array(line, { maxLength: 6 }), fc.array(fc.nat(40), { maxLength: 6 }), (texts, cuts) => {
      const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''));
      const ends = [...cuts.map((at) => Math.min(at, bytes.length)), bytes.length].sort((a, b) => a - b);
      const pieces = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
      const expected = texts.map((text) => (text.endsWith('\r') ? text.slice(0, -1) : text));
      expect(read(pieces, 100)).toEqual({ lines: expected, tooLong: 0 });
    }),
  );
});

it('stops at a line that is too long, in one piece or in many', () => {
  const whole = Buffer.from('ab\n123456789\nc\n');
  const bytes = [...whole].map((byte) => Uint8Array.of(byte));
  expect(read([whole], 8)).toEqual({ lines: ['ab'], tooLong: 1 });
  expect(read(bytes, 8)).toEqual({ lines: ['ab'], tooLong: 1 });
  expect(read(bytes, 9)).toEqual({ lines: ['ab', '123456789', 'c'], tooLong: 0 });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeFrame, FrameReader } from '../../../../src/host/remote/frames.ts';

/** The bytes in pieces, cut at the given places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

describe('FrameReader', () => {
  it('gives each message once it is complete, however the stream arrives in pieces', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue({ stringUnit: 'binary' })),
        fc.array(fc.nat()),
        (messages, places) => {
          const frames = messages.map(encodeFrame);
          const reader = new FrameReader(1_000_000);
          let received = 0;
          const read: unknown[] = [];
          for (const piece of cut(Buffer.concat(frames), places)) {
            read.push(...reader.push(piece));
            received += piece.length;
            let complete = 0;
            for (let end = 0; complete < frames.length; complete += 1) {
              end += frames[complete]?.length ?? 0;
              if (end > received) break;
            }
            expect(read).toHaveLength(complete);
          }
          // As JSON has them: a lone surrogate is kept, -0 is not.
          expect(read).toStrictEqual(JSON.parse(JSON.stringify(messages)));
        },
      ),
    );
  });

  it('refuses a message over the limit by its length alone, also byte by byte', () => {
    const frame = encodeFrame('x'.repeat(98));
    expect(new FrameReader(100).push(frame)).toStrictEqual(['x'.repeat(98)]);
    const reader = new FrameReader(99);
    const head = cut(frame.subarray(0, 4), [1, 2, 3]);
    for (const byte of head.slice(0, 3)) expect(reader.push(byte)).toStrictEqual([]);
    expect(() => reader.push(frame.subarray(3, 4))).toThrow('A message has 100 bytes; 99 are possible.');
  });

  it('takes time linear in the bytes for a long message in small pieces', () => {
    const frame = encodeFrame('x'.repeat(200_000));
    const reader = new FrameReader(1_000_000);
    const read: unknown[] = [];
    for (let at = 0; at < frame.length; at += 1) read.push(...reader.push(frame.subarray(at, at + 1)));
    expect(read).toStrictEqual(['x'.repeat(200_000)]);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameDecoder } from '../../../../../src/host/sandbox/podman/frame-decoder.ts';

interface Frame {
  readonly stream: 0 | 1 | 2;
  readonly content: Uint8Array;
}

const frame: fc.Arbitrary<Frame> = fc.record({
  stream: fc.constantFrom(0, 1, 2),
  content: fc.uint8Array({ maxLength: 40 }),
});

function encode(frames: readonly Frame[]): Buffer {
  return Buffer.concat(
    frames.flatMap(({ stream, content }) => {
      const header = Buffer.alloc(8);
      header[0] = stream;
      header.writeUInt32BE(content.length, 4);
      return [header, content];
    }),
  );
}

/** The bytes in pieces, cut at the given places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

function decode(pieces: readonly Uint8Array[]): {
  stdout: Buffer;
  stderr: Buffer;
  decoder: FrameDecoder;
} {
  const received: Record<'stdout' | 'stderr', Uint8Array[]> = { stdout: [], stderr: [] };
  const decoder = new FrameDecoder((stream, chunk) => received[stream].push(chunk));
  for (const piece of pieces) decoder.add(piece);
  return { stdout: Buffer.concat(received.stdout), stderr: Buffer.concat(received.stderr), decoder };
}

const contentOf = (frames: readonly Frame[], wanted: number): Buffer =>
  Buffer.concat(frames.filter(({ stream }) => stream === wanted).map(({ content }) => content));

describe('FrameDecoder', () => {
  it('separates the outputs, however the stream arrives in pieces', () => {
    fc.assert(
      fc.property(fc.array(frame), fc.array(fc.nat()), (frames, places) => {
        const { stdout, stderr, decoder } = decode(cut(encode(frames), places));
        expect(stdout).toStrictEqual(contentOf(frames, 1));
        expect(stderr).toStrictEqual(contentOf(frames, 2));
        expect(decoder.isComplete).toBe(true);
      }),
    );
  });

  it('passes on what there is of a frame that is cut off', () => {
    const bytes = encode([{ stream: 1, content: Buffer.from('abcdef') }]);
    const { stdout, decoder } = decode([bytes.subarray(0, 11)]);
    expect(stdout.toString()).toBe('abc');
    expect(decoder.isComplete).toBe(false);
  });

  it('ignores everything after a header that is not one, and never throws', () => {
    const before = encode([{ stream: 1, content: Buffer.from('good') }]);
    const { stdout, decoder } = decode([before, Buffer.from('HTTP/1.1 500 error'), before]);
    expect([stdout.toString(), decoder.isBroken, decoder.isComplete]).toStrictEqual(['good', true, false]);
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 30 })), (pieces) => {
        const { stdout: out, stderr } = decode(pieces);
        const all = pieces.reduce((sum, piece) => sum + piece.length, 0);
        expect(out.length + stderr.length).toBeLessThanOrEqual(all);
      }),
    );
  });
});

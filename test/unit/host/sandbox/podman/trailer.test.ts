import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TrailerReader } from '../../../../../src/host/sandbox/podman/trailer.ts';

const nonce = '0123456789abcdef01234567';

function read(pieces: readonly Uint8Array[]): { output: string; report: unknown } {
  const chunks: Uint8Array[] = [];
  const reader = new TrailerReader(nonce, (chunk) => chunks.push(Buffer.from(chunk)));
  for (const piece of pieces) reader.add(piece);
  const report = reader.end();
  return { output: Buffer.concat(chunks).toString('latin1'), report };
}

describe('TrailerReader', () => {
  it('separates the trailer from any output, however it arrives in pieces', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.nat(999),
        fc.nat(255),
        fc.nat(),
        (output, killed, code, place) => {
          const bytes = Buffer.concat([output, Buffer.from(`\0${nonce}:${killed}:${code}\n`)]);
          const at = place % bytes.length;
          expect(read([bytes.subarray(0, at), bytes.subarray(at)])).toStrictEqual({
            output: Buffer.from(output).toString('latin1'),
            report: { kind: 'ended', exitCode: code, killedProcesses: killed },
          });
        },
      ),
    );
  });

  it('believes only the last bytes', () => {
    const forged = `\0${nonce}:7:0\nmore`;
    expect(read([Buffer.from(forged)])).toStrictEqual({ output: forged, report: { kind: 'none' } });
    const twice = `\0${nonce}:7:0\n\0${nonce}:0:3\n`;
    expect(read([Buffer.from(twice)])).toStrictEqual({
      output: `\0${nonce}:7:0\n`,
      report: { kind: 'ended', exitCode: 3, killedProcesses: 0 },
    });
  });

  it('reports a missing directory, and passes on what has no trailer', () => {
    expect(read([Buffer.from(`\0${nonce}:missing\n`)]).report).toStrictEqual({ kind: 'missing-directory' });
    expect(read([Buffer.from('killed')])).toStrictEqual({ output: 'killed', report: { kind: 'none' } });
  });
});

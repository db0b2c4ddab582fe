import { describe, expect, test } from 'vitest';
import { WinkError } from 'weakincentives';
import { adapterConformance, ConformanceError, type ConformancePeer } from 'weakincentives/conformance';
import { scriptedPeer } from '../../../support/conformance/scripted-peer.ts';

const peerWith = (gaps: NonNullable<ConformancePeer['gaps']>): ConformancePeer => ({
  ...scriptedPeer(),
  gaps,
});

/** The names of all cases of a peer, and the skipped cases. */
function sorted(peer: ConformancePeer) {
  const cases = adapterConformance(peer);
  return {
    names: cases.map(({ name }) => name),
    left: cases.filter(({ skipped }) => skipped !== undefined),
  };
}

describe('the cases of a peer', () => {
  test('have unique names with the peer and the mode', () => {
    const { names, left } = sorted(peerWith([]));
    expect(left).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain('scripted model, whole: runs a tool call and returns its result');
    expect(names).toContain('scripted model, streamed: runs a tool call and returns its result');
  });

  test('are all included when the provider has a gap, and skipped ones have the reason', async () => {
    const all = sorted(peerWith([])).names;
    const { names, left } = sorted(peerWith([{ feature: 'approvals', why: 'it requests none' }]));
    expect(names).toHaveLength(all.length);
    expect(left.map(({ name, skipped }) => ({ name, skipped }))).toEqual(
      ['whole', 'streamed'].map((mode) => ({
        name: `scripted model, ${mode}: answers approval requests of the provider (skipped: approvals: it requests none)`,
        skipped: 'approvals: it requests none',
      })),
    );
    for (const { run } of left) await run();
  });

  test('are skipped in one mode only, also without streaming', () => {
    const { left } = sorted(
      peerWith([{ feature: 'malformed-arguments', mode: 'whole', why: 'they are objects' }]),
    );
    expect(left.map(({ name }) => name.split(' (')[0])).toEqual([
      'scripted model, whole: rejects arguments that are not JSON',
      'scripted model, whole: rejects a call that is truncated within its arguments',
    ]);
    const still = sorted(peerWith([{ feature: 'streaming', why: 'it has none' }]));
    expect(still.left.every(({ name }) => name.startsWith('scripted model, streamed'))).toBe(true);
    expect(still.left).toHaveLength(
      still.names.filter((name) => name.startsWith('scripted model, streamed')).length,
    );
  });

  test('can run again', async () => {
    const [first] = adapterConformance(scriptedPeer());
    await first?.run();
    await expect(first?.run()).resolves.toBeUndefined();
  });

  test('fail when the peer cannot be connected', async () => {
    const cause = new Error('The port is taken.');
    const [first] = adapterConformance({ ...scriptedPeer(), connect: () => Promise.reject(cause) });
    await expect(first?.run()).rejects.toBe(cause);
  });

  test('close their connection, even when they fail', async () => {
    let open = 0;
    const peer = scriptedPeer('broken', () => async () => ({ text: 'Always this.' }));
    const [first] = adapterConformance({
      ...peer,
      connect: async (provider) => {
        open += 1;
        const connection = await peer.connect(provider);
        return {
          ...connection,
          [Symbol.asyncDispose]: async () => {
            open -= 1;
          },
        };
      },
    });
    await expect(first?.run()).rejects.toBeInstanceOf(ConformanceError);
    expect(open).toBe(0);
  });

  test('report the expected and the actual value, in the message and as properties', async () => {
    const peer = scriptedPeer('broken', (script) => async (...given) => ({
      ...(await script(...given)),
      text: 'Something else.',
    }));
    const [first] = adapterConformance(peer);
    const error: unknown = await first?.run().catch((thrown: unknown) => thrown);
    expect(ConformanceError.isInstance(error) && WinkError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      name: 'ConformanceError',
      code: 'adapter-not-conformant',
      message: expect.stringMatching(
        /^the text of the response: expected "All is well.*", got "Something else\."\.$/,
      ),
      actual: 'Something else.',
      expected: expect.stringContaining('All is well'),
    });
  });
});

import { describe, expect, test } from 'vitest';
import { adapterConformance, type ConformancePeer } from 'weakincentives/conformance';
import { deadlockMs } from '../deadlock.ts';

/** Runs every case that the peer supports, and checks the list of skipped ones. */
export function runConformance(peer: ConformancePeer, gaps: readonly string[]): void {
  const cases = adapterConformance(peer, { patienceMs: deadlockMs });
  describe(peer.name, () => {
    for (const { name, run } of cases.filter(({ skipped }) => skipped === undefined))
      test(name, () => expect(run()).resolves.toBeUndefined());

    test('skips only these cases', () => {
      const features = (peer.gaps ?? []).map(({ feature, mode }) =>
        mode === undefined ? feature : `${feature} (${mode})`,
      );
      expect(features).toEqual(gaps);
      const skipped = cases.filter((it) => it.skipped !== undefined);
      expect(skipped.every(({ name, skipped: why = '' }) => name.endsWith(`(skipped: ${why})`))).toBe(true);
    });
  });
}

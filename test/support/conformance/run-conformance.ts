import { describe, expect, test } from 'vitest';
import { adapterConformance, type ConformancePeer } from 'weakincentives/testing';

/** Runs every case that the peer can play, and holds it to the list of features that it is without. */
export function runConformance(peer: ConformancePeer, gaps: readonly string[]): void {
  const cases = adapterConformance(peer);
  describe(peer.name, () => {
    for (const { name, run } of cases.filter(({ skipped }) => skipped === undefined)) test(name, run);

    test('plays every case but these', () => {
      const features = (peer.gaps ?? []).map(({ feature, mode }) =>
        mode === undefined ? feature : `${feature} (${mode})`,
      );
      expect(features).toEqual(gaps);
      const skipped = cases.filter((it) => it.skipped !== undefined);
      expect(skipped.every(({ name, skipped: why = '' }) => name.endsWith(`(left out: ${why})`))).toBe(true);
    });
  });
}

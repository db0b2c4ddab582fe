import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReadSet } from '../../src/core/session/fork/read-set.ts';
import type { Read } from '../../src/core/session/state/read.ts';
import { draws, seenAtLeast } from '../support/draws.ts';
import { batches, keyedBatches, refusingBatches } from './session-program.ts';
import { differenceInBatch, type Statistics } from './session-runner.ts';

const readKinds: Readonly<Record<Read['kind'], true>> = {
  slice: true,
  log: true,
  key: true,
  'reducer-view': true,
  'reducer-items': true,
  refusal: true,
  acceptance: true,
  restore: true,
};

describe('forks of a session', () => {
  it('give the state and the observations of running their programs one after the other', () => {
    const statistics: Statistics = { reruns: 0, kept: 0 };
    for (const [arbitrary, all] of [
      [batches, 1_000],
      [refusingBatches, 300],
      [keyedBatches, 300],
    ] as const) {
      fc.assert(
        fc.property(arbitrary, (batch) => {
          expect(differenceInBatch(batch, statistics)).toBeUndefined();
        }),
        { numRuns: draws(all) },
      );
    }
    // Both ways of ending a call were taken often, so neither "never" nor "always in conflict" would pass.
    expect(statistics.reruns).toBeGreaterThan(seenAtLeast(200));
    expect(statistics.kept).toBeGreaterThan(seenAtLeast(200));
  });

  it.each(Object.keys(readKinds))('need reads of kind %s to be recorded', (kind) => {
    // oxlint-disable-next-line typescript/unbound-method -- It is called on a read set below, and put back.
    const original = ReadSet.prototype.read;
    ReadSet.prototype.read = function record(read: Read): void {
      if (read.kind !== kind) original.call(this, read);
    };
    try {
      let isDifferent = false;
      for (let seed = 1; seed <= 50 && !isDifferent; seed += 1) {
        isDifferent = [batches, refusingBatches, keyedBatches]
          // oxlint-disable-next-line wink/draws -- A search, which ends at the first batch that differs.
          .flatMap((arbitrary) => fc.sample(arbitrary, { numRuns: 100, seed }))
          .some((batch) => differenceInBatch(batch, { reruns: 0, kept: 0 }) !== undefined);
      }
      expect(isDifferent).toBe(true);
    } finally {
      ReadSet.prototype.read = original;
    }
  });
});

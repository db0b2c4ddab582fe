import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { summarize } from '../../bench/harness/statistics.ts';

describe('summarize', () => {
  it('takes the middle of an odd number of samples and the mean of the two middle ones of an even number', () => {
    expect(summarize([9, 1, 5])).toEqual({ median: 5, min: 1, max: 9, count: 3 });
    expect(summarize([9, 1, 5, 7])).toEqual({ median: 6, min: 1, max: 9, count: 4 });
    expect(summarize([100, 20, 3])?.median).toBe(20);
  });

  it('is undefined without samples', () => {
    expect(summarize([])).toBeUndefined();
  });

  it('does not depend on the order, changes nothing, and lies between the extremes', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, min: 0, max: 1e9 }), { minLength: 1 }), (samples) => {
        const before = [...samples];
        const spread = summarize(samples);
        expect(samples).toEqual(before);
        expect(summarize([...samples].reverse())).toEqual(spread);
        expect(spread?.median).toBeGreaterThanOrEqual(Math.min(...samples));
        expect(spread?.median).toBeLessThanOrEqual(Math.max(...samples));
      }),
    );
  });
});

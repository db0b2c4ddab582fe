/** Summary of the samples of one figure. Less is better. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly count: number;
}

/** @returns `undefined` without samples */
export function summarize(samples: readonly number[]): Spread | undefined {
  const sorted = [...samples].sort((a, b) => a - b);
  const [min] = sorted;
  const max = sorted.at(-1);
  if (min === undefined || max === undefined) return undefined;
  const middle = (sorted.length - 1) / 2;
  const low = sorted[Math.floor(middle)] ?? min;
  const high = sorted[Math.ceil(middle)] ?? max;
  return { median: (low + high) / 2, min, max, count: sorted.length };
}

/**
 * The share of its cases that a property draws: a tenth, unless `WINK_PROPERTY_SCALE` says otherwise. `npm run test:all`
 * and CI draw all, the soak many times as many. The first cases are the same for every share.
 */
const given = process.env['WINK_PROPERTY_SCALE'] ?? '0.1';
const scale = Number(given);
if (!(scale > 0 && scale < Number.POSITIVE_INFINITY))
  throw new Error(`WINK_PROPERTY_SCALE is "${given}": give a number above 0, such as 0.1 or 1.`);

/** A property that draws fewer says too little to be worth its start. */
const leastDraws = 5;

/** How many cases a property draws in this run, of the `all` that it draws in CI: `numRuns: draws(300)`. */
export function draws(all: number): number {
  return Math.max(Math.min(all, leastDraws), Math.ceil(all * scale));
}

/**
 * How often something must have come up among the draws of this run, where all of them must show it `count` times. Few draws
 * lie further from the mean, so half of their share will do.
 */
export function seenAtLeast(count: number): number {
  return scale < 1 ? Math.floor((count * scale) / 2) : count;
}

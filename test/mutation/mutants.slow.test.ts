import { beforeAll, describe, expect, test } from 'vitest';
import * as core from 'weakincentives';
import * as testing from 'weakincentives/testing';
import { compareRuns, type OneByOne, runOneByOne } from '../property/parallel/compare.ts';
import { buildLibrary, type LoadLibrary } from './mutant-library.ts';
import { mutants } from './mutants.ts';

const maxRuns = 10_000;
// Always the same batches: what is noticed once is noticed every time. Of the seeds 1 to 9, 3 notices the faults with the
// fewest batches.
const seed = 3;
const reference = { ...core, ...testing };

// All faults are looked for with the same batches, so each of the first ones is run one by one only once.
const maxKnown = 2_000;
const known = new Map<string, ReturnType<OneByOne>>();
const oneByOne: OneByOne = (batch, accounts) => {
  const key = `${accounts} ${JSON.stringify(batch)}`;
  const observed = known.get(key) ?? runOneByOne(reference, batch, accounts);
  if (known.size < maxKnown) known.set(key, observed);
  return observed;
};

// The property that parallel calls behave as if run one after the other must notice every one of these faults.
describe('the property of parallel calls kills', () => {
  let load: LoadLibrary;
  beforeAll(async () => {
    load = await buildLibrary(mutants);
  });

  test('nothing when there is no fault', async () => {
    const comparison = await compareRuns(await load(), { runs: 100, shrink: false, oneByOne, seed });
    expect(comparison.difference).toBeUndefined();
  });

  test.each(mutants)('$name', async ({ name, accounts = 'parallel' }) => {
    const options = { runs: maxRuns, shrink: false, oneByOne, seed, accounts };
    const comparison = await compareRuns(await load(name), options);
    expect(comparison.difference, `not noticed in ${comparison.batches} batches`).toBeDefined();
  });
});

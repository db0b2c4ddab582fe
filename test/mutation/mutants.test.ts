import { beforeAll, describe, expect, test } from 'vitest';
import * as core from 'weakincentives';
import * as testing from 'weakincentives/testing';
import { compareRuns } from '../property/parallel/compare.ts';
import { compileOriginal, loadLibrary } from './mutant-library.ts';
import { mutants } from './mutants.ts';

const maxRuns = 20_000;
// Always the same batches: what is noticed once is noticed every time.
const seed = 1;
const reference = { ...core, ...testing };

// The property that parallel calls behave as if run one after the other must notice every one of these faults.
describe('the property of parallel calls kills', { timeout: 300_000 }, () => {
  beforeAll(() => compileOriginal(), 120_000);

  test('nothing when there is no fault', async () => {
    const comparison = await compareRuns(await loadLibrary(), { runs: 100, shrink: false, reference, seed });
    expect(comparison.difference).toBeUndefined();
  });

  test.each(mutants)('$name', async (mutant) => {
    const comparison = await compareRuns(await loadLibrary(mutant), {
      runs: maxRuns,
      shrink: false,
      reference,
      seed,
      ...(mutant.accounts === undefined ? {} : { accounts: mutant.accounts }),
    });
    expect(comparison.difference, `not noticed in ${comparison.batches} batches`).toBeDefined();
  });
});

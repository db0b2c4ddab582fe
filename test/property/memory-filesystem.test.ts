import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FilesystemError } from 'weakincentives';
import type { FilesystemRead } from '../../src/core/filesystem/fork/read-set.ts';
import { draws } from '../support/draws.ts';
import { type BatchOutcome, runInParallel, runOneByOne, type Setting } from './filesystem/run-calls.ts';
import { calls, tightCalls } from './filesystem/script.ts';

/** Limits are often so small that writes are refused. */
const setting: fc.Arbitrary<Setting> = fc.record({
  limits: fc.oneof(
    fc.constant({}),
    fc.record({
      maxBytes: fc.integer({ min: 10, max: 30 }),
      maxFiles: fc.integer({ min: 4, max: 8 }),
      maxFileBytes: fc.constantFrom(4, 12, 40),
    }),
  ),
  depth: fc.integer({ min: 0, max: 2 }),
});

function outcomeOf({ seen, left }: BatchOutcome): Omit<BatchOutcome, 'reruns'> {
  return { seen, left };
}

/** Passes over the one error that applying a patch may end with. */
function refusal(error: unknown): undefined {
  if (!FilesystemError.isInstance(error)) throw error;
}

const everyKind: Readonly<Record<FilesystemRead['kind'], true>> = {
  file: true,
  kind: true,
  listing: true,
  emptiness: true,
  names: true,
  glob: true,
  grep: true,
  tree: true,
  quota: true,
  'quota-refusal': true,
};
// The keys are those of the type.
const readKinds = Object.keys(everyKind) as FilesystemRead['kind'][];

describe('calls on forks of one moment, committed in order', () => {
  it.each([
    ['whatever they do', calls],
    ['when all work on the same few paths', tightCalls],
  ])('see and leave what they would one after the other, %s', async (_what, drawn) => {
    let reruns = 0;
    let quiet = 0;
    await fc.assert(
      fc.asyncProperty(drawn, setting, async (batch, place) => {
        const parallel = await runInParallel(batch, place);
        const sequential = await runOneByOne(batch, place);
        expect(outcomeOf(parallel)).toEqual(outcomeOf(sequential));
        reruns += parallel.reruns;
        if (parallel.reruns === 0) quiet += 1;
      }),
      { numRuns: draws(400) },
    );
    // The test must have bitten: some batches conflicted, and not all.
    expect(reruns).toBeGreaterThan(0);
    expect(quiet).toBeGreaterThan(0);
  });

  it.each(readKinds)('go wrong when reads of the kind %s are overlooked', async (kind) => {
    let isFound = false;
    for (let round = 0; round < 120 && !isFound; round += 1) {
      for (const [batch, place] of fc.sample(fc.tuple(calls, setting), {
        // oxlint-disable-next-line wink/draws -- A search, which ends at the first that goes wrong.
        numRuns: 500,
        seed: 1000 + round,
      })) {
        // A patch whose conflict was overlooked may not even fit.
        const careless = await runInParallel(batch, place, kind).catch(refusal);
        const sequential = await runOneByOne(batch, place);
        isFound = careless === undefined || !isDeepStrictEqual(outcomeOf(careless), outcomeOf(sequential));
        if (!isFound) continue;
        expect(outcomeOf(await runInParallel(batch, place))).toEqual(outcomeOf(sequential));
        break;
      }
    }
    expect(isFound).toBe(true);
  });
});

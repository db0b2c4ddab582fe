import { expect, test } from 'vitest';
import * as core from 'weakincentives';
import * as testing from 'weakincentives/testing';
import { draws } from '../support/draws.ts';
import { compareRuns } from './parallel/compare.ts';

const library = { ...core, ...testing };
const runs = draws(400);

test('parallel calls behave as if run one after the other', async () => {
  const comparison = await compareRuns(library, { runs });
  console.log(
    `parallel as sequential: ${comparison.distinct} distinct batches, ${comparison.calls} calls, ${comparison.reruns} re-runs, ${comparison.lateAccesses} late accesses`,
  );
  expect(comparison.difference).toBeUndefined();
  // The test must have bitten: batches differ, calls conflicted, handlers left things behind.
  expect(comparison.distinct).toBeGreaterThan(runs * 0.9);
  expect(comparison.reruns).toBeGreaterThan(0);
  expect(comparison.lateAccesses).toBeGreaterThan(0);
});

test('so do calls that share a resource which joins one transaction at a time', async () => {
  const comparison = await compareRuns(library, { runs, accounts: 'snapshots' });
  expect(comparison.difference).toBeUndefined();
  expect(comparison.reruns).toBe(0);
  expect(comparison.lateAccesses).toBeGreaterThan(0);
});

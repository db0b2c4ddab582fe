import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stagedFile } from '../../../../src/host/staged-folder/staging/baseline.ts';
import { tempFolder } from '../temp-folder.ts';

it('trusts a stamp only when no later write can have left the same times', () => {
  const found = statSync(join(tempFolder({ a: 'x' }), 'a'), { bigint: true });
  const source = { hash: () => 'hash', mode: undefined, isPresent: undefined };
  const isSettled = (mtimeNs: bigint, ctimeNs: bigint): boolean =>
    stagedFile(Object.assign(Object.create(found), { mtimeNs, ctimeNs }), source).isSettled;
  const changedNs = 1_700_000_000_000_000_000n;
  expect(isSettled(changedNs - 2_000_000_001n, changedNs)).toBe(true);
  expect(isSettled(changedNs - 2_000_000_000n, changedNs)).toBe(false);
  expect(isSettled(changedNs, changedNs)).toBe(false);
  expect(isSettled(changedNs + 5_000_000_000n, changedNs)).toBe(false);
});

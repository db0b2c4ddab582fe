#!/usr/bin/env node
// The long run of the property tests: `npm run test:soak [-- <batches>]`, 100000 batches unless told otherwise, with
// no time limit per test.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** How many batches these properties draw at a scale of 1. */
const batchesAtScale1 = 400;
const wanted = process.argv[2] ?? '100000';
if (!/^[1-9][0-9]*$/.test(wanted)) {
  console.error(`soak: "${wanted}" is no number of batches; use for example: npm run test:soak -- 250000`);
  process.exit(2);
}

const paths = ['parallel-as-sequential', 'memory-filesystem', 'host-filesystem'].map(
  (name) => `test/property/${name}.test.ts`,
);
const run = spawnSync(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    ...paths,
    '--project=core',
    '--testTimeout=0',
    '--disable-console-intercept',
  ],
  {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: 'inherit',
    env: {
      ...process.env,
      WINK_SOAK: '1',
      WINK_PROPERTY_SCALE: String(Number(wanted) / batchesAtScale1),
    },
  },
);
process.exit(run.status ?? 1);

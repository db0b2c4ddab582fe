#!/usr/bin/env node
// The long run of the property tests: `npm run test:soak [-- <batches>]`, 100000 batches unless told otherwise, with
// no time limit per test. Tests in test/soak/ run only here.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const wanted = process.argv[2] ?? process.env['WINK_SOAK_BATCHES'] ?? '100000';
if (!/^[1-9][0-9]*$/.test(wanted)) {
  console.error(`soak: "${wanted}" is no number of batches; use for example: npm run test:soak -- 250000`);
  process.exit(2);
}

const paths = ['parallel-as-sequential', 'memory-filesystem', 'host-filesystem'].map(
  (name) => `test/property/${name}.test.ts`,
);
if (existsSync(join(root, 'test/soak'))) paths.push('test/soak');
const run = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    ...paths,
    '--project=core',
    '--testTimeout=0',
    '--disable-console-intercept',
  ],
  { cwd: root, stdio: 'inherit', env: { ...process.env, WINK_SOAK: '1', WINK_PROPERTY_BATCHES: wanted } },
);
process.exit(run.status ?? 1);

#!/usr/bin/env node
// Every test that needs no service, with all draws of the property tests: `npm run test:all [-- <files and options of vitest>]`.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)],
  {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: 'inherit',
    env: { WINK_PROPERTY_SCALE: '1', ...process.env },
  },
);
process.exit(status ?? 1);

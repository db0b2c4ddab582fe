#!/usr/bin/env node
// Runs the tests with servers and clients of others that speak the Model Context Protocol, and the official conformance suite: `npm run test:mcp -- [files and options of vitest]`. What they need
// is in test/peers/mcp and test/peers/conformance, installed from the registry when it is not there. The tests run on the sources; programs that they start run on the built package. Without the suite,
// or without a Node that it runs on, its tests are skipped by name.
import { spawnSync } from 'node:child_process';
import { installPeers, root, run } from './peers.mjs';

run(process.execPath, ['scripts/build.mjs']);
if (!installPeers('mcp', ['--omit=optional'])) {
  console.error('test-mcp: the servers and clients of others could not be installed.');
  process.exit(1);
}
if (!installPeers('conformance'))
  console.error('test-mcp: the conformance suite could not be installed; its tests are skipped.');

const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project=mcp', ...process.argv.slice(2)];
const tests = spawnSync(process.execPath, vitest, { cwd: root, stdio: 'inherit' });
process.exit(tests.status ?? 1);

#!/usr/bin/env node
// Runs the tests with servers and clients of others that speak the Model Context Protocol, and the official conformance suite: `npm run test:mcp -- [files and options of vitest]`. What they need
// is in test/peers/mcp and test/peers/conformance, installed from the registry when it is not there. The tests run on the sources; programs that they start run on the built package. Without the suite,
// or without a Node that it runs on, its tests are skipped by name.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
run(process.execPath, ['scripts/build.mjs'], root);
if (!install('mcp', ['--omit=optional'])) {
  console.error('test-mcp: the servers and clients of others could not be installed.');
  process.exit(1);
}
if (!install('conformance', []))
  console.error('test-mcp: the conformance suite could not be installed; its tests are skipped.');

const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project=mcp', ...process.argv.slice(2)];
const tests = spawnSync(process.execPath, vitest, { cwd: root, stdio: 'inherit' });
process.exit(tests.status ?? 1);

/**
 * Installs what a folder of test/peers names, unless it is there.
 * @param {string} name
 * @param {readonly string[]} options
 * @returns {boolean} whether it is there now.
 */
function install(name, options) {
  const peers = join(root, 'test/peers', name);
  const installed = join(peers, 'node_modules/.package-lock.json');
  const isCurrent =
    existsSync(installed) &&
    statSync(installed).mtimeMs >= statSync(join(peers, 'package-lock.json')).mtimeMs;
  if (isCurrent) return true;
  const always = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', [...always, ...options], {
    cwd: peers,
    stdio: 'inherit',
    timeout: 300_000,
  });
  return status === 0;
}

/**
 * Runs a program; ends this one when it fails.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} cwd
 */
function run(command, args, cwd) {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (status === 0) return;
  console.error(`test-mcp: ${command} ${args.join(' ')} failed.`);
  process.exit(1);
}

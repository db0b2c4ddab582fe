#!/usr/bin/env node
// Runs the tests with servers and clients of others that speak the Model Context Protocol: `npm run test:mcp -- [files and options of vitest]`. They are those of
// test/peers/mcp, installed from the registry when they are not there. The tests run on the sources.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const peers = join(root, 'test/peers/mcp');
const installed = join(peers, 'node_modules/.package-lock.json');
if (
  !existsSync(installed) ||
  statSync(installed).mtimeMs < statSync(join(peers, 'package-lock.json')).mtimeMs
) {
  run('npm', ['ci', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'], peers);
}
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project=mcp', ...process.argv.slice(2)];
const tests = spawnSync(process.execPath, vitest, { cwd: root, stdio: 'inherit' });
process.exit(tests.status ?? 1);

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

// What scripts of tests need first: packages of test/peers, and the built package.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the project. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Installs what a folder of test/peers names from the registry, unless it is there.
 * @param {string} name
 * @param {readonly string[]} [options] those of npm.
 * @returns {boolean} whether it is there now.
 */
export function installPeers(name, options = []) {
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
 * @param {string} [cwd]
 */
export function run(command, args, cwd = root) {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (status === 0) return;
  console.error(`${command} ${args.join(' ')} failed.`);
  process.exit(1);
}

/**
 * The paths of Node at the beginning of the arguments of a script, which are taken from there.
 * @param {string[]} rest
 * @returns {string[]}
 */
export function takeNodes(rest) {
  /** @type {string[]} */
  const nodes = [];
  while (rest[0]?.endsWith('/node')) nodes.push(rest.shift() ?? '');
  return nodes;
}

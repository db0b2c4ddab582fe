#!/usr/bin/env node
// Runs the tests of the sandboxes, against the built package in an installation beside its optional peers:
// `npm run test:sandbox -- [files and options of vitest]`. The peers are those of test/peers/sandbox, installed from the
// registry when they are not there. Tests that need a program that is absent, such as podman, are skipped by name.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { installPeers, root, run } from './peers.mjs';

const peers = join(root, 'test/peers/sandbox');
// Has packages for some platforms only, and its lock file would name those that the registry lacks.
const unlocked = '@pydantic/monty@0.0.18';

run(process.execPath, ['scripts/build.mjs']);
if (!installPeers('sandbox', ['--omit=optional'])) {
  console.error('test-sandbox: the peers could not be installed.');
  process.exit(1);
}
if (!existsSync(join(peers, 'node_modules/@pydantic/monty'))) {
  const options = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status } = spawnSync('npm', ['install', ...options, unlocked], { cwd: peers, stdio: 'inherit' });
  if (status !== 0) console.error(`test-sandbox: ${unlocked} could not be installed; its tests are skipped.`);
}
const target = join(peers, 'node_modules/weakincentives');
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
cpSync(join(root, 'dist'), join(target, 'dist'), { recursive: true });
cpSync(join(root, 'package.json'), join(target, 'package.json'));
// Its own dependencies, as npm puts them where a peer brings another version of the same package.
/** @type {{ readonly dependencies: Readonly<Record<string, string>> }} */
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
for (const name of Object.keys(dependencies)) {
  const link = join(target, 'node_modules', name);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(join(root, 'node_modules', name), link);
}

// Commands that use up memory, disk or processes do so under limits of the operating system, too: a limit of a backend that
// does not hold fails its test, not the machine.
const outerLimits = ['--data=8589934592', '--fsize=4294967296', '--nproc=20000'];
const canLimit = spawnSync('prlimit', [...outerLimits, 'true'], { stdio: 'ignore' }).status === 0;
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project=sandbox', ...process.argv.slice(2)];
const [program = '', ...programArguments] = [
  ...(canLimit ? ['prlimit', ...outerLimits] : []),
  process.execPath,
  ...vitest,
];
const tests = spawnSync(program, programArguments, { cwd: root, stdio: 'inherit' });
process.exit(tests.status ?? 1);

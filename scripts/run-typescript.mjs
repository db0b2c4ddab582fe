#!/usr/bin/env node
// Runs TypeScript files of examples/ and bench/ on every supported Node: `npm run example -- <name> [arguments]`,
// `npm run examples` (all of them, a line each), `npm run bench -- [options]`.
// The package is built, the two folders are translated to .build/ (types stripped, not checked), and there
// `weakincentives` is the built package. `src/` is translated as well, for benchmarks of what is not exported.
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listPrograms, needs } from './list-programs.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [folder, name, ...rest] = process.argv.slice(2);
if (folder === undefined || !['examples', 'bench'].includes(folder)) {
  console.error('run-typescript: say which folder: examples or bench.');
  process.exit(2);
}

// Node 22 and 24 warn of node:sqlite.
const runOptions = ['--disable-warning=ExperimentalWarning'];

// Whoever is run ends by itself and says what it has; this process waits for it.
process.on('SIGINT', () => {});

if (folder === 'bench' && name !== '--translate') {
  // It has one program, which reads the rest itself.
  node(['scripts/build.mjs']);
  translate();
  node([join('.build', 'bench', 'main.js'), ...process.argv.slice(3)]);
  process.exit(0);
}

const programs = listPrograms(root, folder);
if (name === '--list') {
  console.log([...programs.keys()].join('\n'));
  process.exit(0);
}
if (name === '--all') {
  node(['scripts/build.mjs']);
  translate();
  process.exitCode = (await runAll()) ? 0 : 1;
} else if (name !== '--translate') {
  const file = name === undefined ? undefined : (programs.get(name) ?? byPath(name));
  if (file === undefined) {
    const known = [...programs.keys()].join(', ') || 'none yet';
    console.error(
      `${name === undefined ? 'Say which program' : `There is no "${name}" in ${folder}/`}: ${known}.`,
    );
    process.exit(2);
  }
  node(['scripts/build.mjs']);
  translate();
  node([...runOptions, built(file), ...rest]);
} else {
  translate();
}

/** @param {string} path */
function byPath(path) {
  const fromRoot = relative(root, resolve(path));
  return [...programs.values()].find((known) => known === fromRoot);
}

/** @param {string} file */
function built(file) {
  return join('.build', file.replace(/\.ts$/, '.js'));
}

/** Runs all programs, two at a time, and prints the last line of each. @returns {Promise<boolean>} whether all ended well */
async function runAll() {
  const startedAtMs = Date.now();
  const waiting = [...programs].filter(([each]) => !needs.has(each));
  const count = waiting.length;
  let failed = 0;
  let skipped = 0;
  for (const [each, what] of needs) console.log(`skip ${each}: needs ${what}`);
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [each, file] = next;
      const eachStartedAtMs = Date.now();
      const { isOk, stdout, stderr } = await endOf(file);
      const lines = stdout.trimEnd().split('\n');
      const last = lines.at(-1) ?? '';
      // What a program prints that lacks something, such as an optional package.
      const isSkipped = isOk && last.startsWith('needs ');
      if (!isOk) failed += 1;
      if (isSkipped) skipped += 1;
      const seconds = ((Date.now() - eachStartedAtMs) / 1000).toFixed(1);
      console.log(`${isSkipped ? 'skip' : isOk ? 'ok  ' : 'FAIL'} ${each} (${seconds} s) ${last}`);
      if (!isOk) console.log(`${stdout}${stderr}`.trimEnd().replace(/^/gm, '     '));
    }
  };
  await Promise.all([work(), work()]);
  const seconds = ((Date.now() - startedAtMs) / 1000).toFixed(0);
  const left = skipped === 0 ? '' : `, ${skipped} were skipped`;
  console.log(`${count - failed - skipped} of ${count} programs ended well${left} (${seconds} s)`);
  return failed === 0;
}

/** @param {string} file @returns {Promise<{ isOk: boolean, stdout: string, stderr: string }>} */
function endOf(file) {
  const env = { ...process.env, NO_COLOR: '1' };
  return new Promise((done) => {
    execFile(process.execPath, [...runOptions, built(file)], { cwd: root, env }, (error, stdout, stderr) =>
      done({ isOk: error === null && stdout.trim() !== '', stdout, stderr }),
    );
  });
}

function translate() {
  // The compiler refuses a project without files.
  if (listPrograms(root, 'examples').size + listPrograms(root, 'bench').size === 0) return;
  node(['node_modules/typescript-7/bin/tsc', '-p', 'tsconfig.run.json']);
  // What the benchmarks compare with, once it is installed there.
  const peers = join(root, '.build/bench/node_modules');
  if (existsSync(peers) || !existsSync(join(root, 'bench/node_modules'))) return;
  rmSync(peers, { force: true });
  symlinkSync('../../bench/node_modules', peers);
}

/** @param {readonly string[]} command what Node runs, relative to the root; ends this process when it fails */
function node(command) {
  const run = spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' });
  if (run.status !== 0) process.exit(run.status ?? 1);
}

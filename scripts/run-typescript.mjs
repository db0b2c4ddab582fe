#!/usr/bin/env node
// Runs TypeScript files of examples/ and bench/ on every supported Node: `npm run example -- <name> [arguments]`,
// `npm run bench -- [options]`.
// The package is built, the two folders are translated to .build/ (types stripped, not checked), and there
// `weakincentives` is the built package. `src/` is translated as well, for benchmarks of what is not exported.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [folder, name, ...rest] = process.argv.slice(2);
if (folder === undefined || !['examples', 'bench'].includes(folder)) {
  console.error('run-typescript: say which folder: examples or bench.');
  process.exit(2);
}

// Whoever is run ends by itself and says what it has; this process waits for it.
process.on('SIGINT', () => {});

if (folder === 'bench' && name !== '--translate') {
  // It has one program, which reads the rest itself.
  node(['scripts/build.mjs']);
  translate();
  node([join('.build', 'bench', 'main.js'), ...process.argv.slice(3)]);
  process.exit(0);
}

const programs = listPrograms(folder);
if (name === '--list') {
  console.log([...programs.keys()].join('\n'));
  process.exit(0);
}
if (name !== '--translate') {
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
  // Node 22 and 24 warn of node:sqlite.
  node(['--disable-warning=ExperimentalWarning', join('.build', file.replace(/\.ts$/, '.js')), ...rest]);
} else {
  translate();
}

/**
 * The programs of a folder by name: `<name>.ts` beside each other, and `<name>/main.ts` or `<name>/<name>.ts`.
 * @param {string} where
 * @returns {Map<string, string>} name to path relative to the root
 */
function listPrograms(where) {
  /** @type {Map<string, string>} */
  const found = new Map();
  if (!existsSync(join(root, where))) return found;
  for (const entry of readdirSync(join(root, where), { withFileTypes: true })) {
    const files = entry.isDirectory() ? ['main.ts', `${entry.name}.ts`] : [''];
    const paths = files.map((file) => join(where, entry.name, file));
    const path = paths.find((each) => each.endsWith('.ts') && existsSync(join(root, each)));
    if (path !== undefined) found.set(basename(entry.name).replace(/\.ts$/, ''), path);
  }
  return found;
}

/** @param {string} path */
function byPath(path) {
  const fromRoot = relative(root, resolve(path));
  return [...programs.values()].find((known) => known === fromRoot);
}

function translate() {
  // The compiler refuses a project without files.
  if (listPrograms('examples').size + listPrograms('bench').size === 0) return;
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

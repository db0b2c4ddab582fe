#!/usr/bin/env node
// Builds dist/ from src/: nothing to do when dist is newer than every input. The new tree is made beside the old one
// and takes its place only when it is complete, so that a failed build or two builds at once leave no half of one.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.mjs';
import { buildPage } from './viewer.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'dist');
// Written with the time the build began, so it dates the whole tree.
const stampFile = 'entries/index.js';
const stamp = join(target, stampFile);
const inputs = [
  'src',
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'scripts/build.mjs',
  'scripts/bundle.mjs',
  'scripts/mark-pure.mjs',
  'scripts/viewer.mjs',
];

/** What the declarations name besides ES2022, for projects without the types of Node. */
const platformReferences = [
  '/// <reference lib="esnext.disposable" />',
  '/// <reference path="../core/internal/platform-types.d.ts" />',
  '',
].join('\n');

const startedAtMs = Date.now();
const force = process.argv.includes('--force');
if (!force && existsSync(stamp) && newestMs(inputs) < statSync(stamp).mtimeMs) process.exit(0);

const staging = mkdtempSync(join(root, 'dist.'));
process.on('exit', () => rmSync(staging, { recursive: true, force: true }));

const compiler = join(root, 'node_modules/typescript-7/bin/tsc');
const compiled = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', staging], {
  cwd: root,
  stdio: 'inherit',
});
if (compiled.status !== 0) {
  console.error('build: the sources do not compile; dist/ is as it was.');
  process.exit(1);
}

await bundle(
  staging,
  [...entries(), ...commands(), ...programs()].map((file) => relative('dist', file)),
);
mkdirSync(join(staging, 'viewer'));
writeFileSync(join(staging, 'viewer/page.html'), await buildPage());
for (const file of filesBelow(staging)) {
  // The compiler rewrites './x.ts' to './x.js' in code but not in declarations.
  if (file.endsWith('.d.ts'))
    rewrite(file, (text) => text.replace(/(['"])(\.{1,2}\/[^'"\n]+)\.ts\1/g, '$1$2.js$1'));
}
for (const entry of entries()) {
  const file = join(staging, relative('dist', entry.replace(/\.js$/, '.d.ts')));
  rewrite(file, (text) => platformReferences + text);
}
for (const command of commands()) {
  const file = join(staging, relative('dist', command));
  if (!existsSync(file)) continue;
  if (!readFileSync(file, 'utf8').startsWith('#!')) rewrite(file, (text) => `#!/usr/bin/env node\n${text}`);
  chmodSync(file, 0o755);
}

// A file saved while the compiler ran is newer than the stamp and will be built next time.
utimesSync(join(staging, stampFile), startedAtMs / 1000, startedAtMs / 1000);
chmodSync(staging, 0o755);
replaceTree(staging, target);

/**
 * The paths of the modules that the package exports, relative to the root.
 * @returns {string[]}
 */
function entries() {
  /** @type {{ exports: Record<string, string | { default: string }> }} */
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.values(manifest.exports).flatMap((exported) =>
    typeof exported === 'string' ? [] : [exported.default],
  );
}

/**
 * The paths of the package's commands, relative to the root.
 * @returns {string[]}
 */
function commands() {
  /** @type {{ bin?: Record<string, string> }} */
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.values(manifest.bin ?? {});
}

/**
 * The paths of the modules that the package loads by their addresses: `program.js` in their rooms, which it starts in a thread or a process of their own, and what
 * needs Node of an entry that runs anywhere.
 * @returns {string[]}
 */
function programs() {
  return filesBelow(staging)
    .filter((file) => basename(file) === 'program.js' || file.endsWith('durable/parent/matrix.js'))
    .map((file) => join('dist', relative(staging, file)));
}

/**
 * The last modification time among `paths` (folders are walked). Removing a file changes its folder's time.
 * @param {readonly string[]} paths
 */
function newestMs(paths) {
  let newest = 0;
  for (const path of paths) {
    const stats = statSync(join(root, path));
    newest = Math.max(newest, stats.mtimeMs);
    if (stats.isDirectory()) {
      newest = Math.max(newest, newestMs(readdirSync(join(root, path)).map((name) => join(path, name))));
    }
  }
  return newest;
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)],
  );
}

/**
 * @param {string} file
 * @param {(text: string) => string} change
 */
function rewrite(file, change) {
  const before = readFileSync(file, 'utf8');
  const after = change(before);
  if (after !== before) writeFileSync(file, after);
}

/**
 * Puts the tree at `from` in the place of the one at `to`.
 * @param {string} from
 * @param {string} to
 */
function replaceTree(from, to) {
  const old = `${from}.old`;
  for (let attempt = 1; ; attempt += 1) {
    try {
      if (existsSync(to)) renameSync(to, old);
      renameSync(from, to);
      break;
    } catch (error) {
      // Another build put its own tree there between the two moves, or took the old one away first.
      if (attempt === 5) throw error;
    } finally {
      rmSync(old, { recursive: true, force: true });
    }
  }
}

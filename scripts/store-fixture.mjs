#!/usr/bin/env node
// Stores what this version writes as a fixture of test/fixtures/stored: `node scripts/store-fixture.mjs NAME`, on a Node with `node:sqlite`.
// See test/fixtures/stored/README.md.
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const [name] = process.argv.slice(2);
if (name === undefined || name.startsWith('-')) {
  console.error('store-fixture: say the name of the folder, such as 02.');
  process.exit(2);
}
run(['scripts/build.mjs']);
const program = join(root, '.build/store-fixture.mjs');
const build = await rolldown({
  input: join(root, 'test/support/stored/make-stored.ts'),
  platform: 'node',
  // The package is the one that was built just now.
  external: (id) => !id.startsWith('.') && !id.startsWith('/'),
});
await build.write({ file: program, format: 'esm' });
await build.close();
run(['--disable-warning=ExperimentalWarning', program, resolve('test/fixtures/stored', name), root]);

/** @param {readonly string[]} command what Node runs; ends this process when it fails */
function run(command) {
  const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

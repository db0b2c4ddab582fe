import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { deadlockMs } from '../support/deadlock.ts';
import { removeTestFolder } from '../support/ordinary-user.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = (args: readonly string[]) =>
  spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', timeout: deadlockMs / 2 });

test('names the file whose process ended in the middle, and none that is done', () => {
  // Within the project, where `vitest` is found.
  mkdirSync(join(root, '.build'), { recursive: true });
  const folder = mkdtempSync(join(root, '.build/unfinished-'));
  onTestFinished(() => removeTestFolder(folder));
  writeFileSync(join(folder, 'vitest.config.js'), "export default { test: { pool: 'forks' } };");
  const killed = `import { it } from 'vitest'; it('is killed', () => process.kill(process.pid, 'SIGKILL'));`;
  const done = `import { it } from 'vitest'; it('passes', () => {}); it.skip('is skipped', () => {});`;
  writeFileSync(join(folder, 'killed.test.js'), killed);
  writeFileSync(join(folder, 'done.test.js'), done);
  const summary = join(folder, 'summary.json');
  const options = ['--reporter=json', `--outputFile=${summary}`];
  run(['node_modules/vitest/vitest.mjs', 'run', `--root=${folder}`, ...options]);
  const { stdout } = run(['scripts/unfinished-tests.mjs', summary]);
  expect(stdout).toBe(`not finished: ${join(folder, 'killed.test.js')}\n`);
});

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { bubblewrapSandbox } from 'weakincentives/sandbox';
import { busyboxImage } from './support/busybox-image.ts';
import { unavailableReason } from './support/unavailable-reason.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const image = await busyboxImage();
afterAll(() => image[Symbol.dispose]());
const bubblewrapReason = await unavailableReason(bubblewrapSandbox());

describe.each([
  ['its own sandbox', [], bubblewrapReason],
  ['bubblewrap', ['--sandbox', 'bubblewrap'], bubblewrapReason],
  ['podman', ['--sandbox', `podman:${image.options.image}`], image.skip],
])('the example fix-tests in %s', (name, options, skip) => {
  it.skipIf(skip !== undefined)(
    `makes the tests pass, and a wrong edit on the way is rolled back${skip === undefined ? '' : ` (skipped: ${skip})`}`,
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'wink-fix-tests-'));
      try {
        const project = join(folder, 'project');
        cpSync(join(root, 'examples/fix-tests/project'), project, { recursive: true });
        const args = [
          'dist/cli/main.js',
          'run',
          'examples/fix-tests/agent.ts',
          project,
          '--apply',
          ...options,
        ];
        const { status, stdout, stderr } = spawnSync(process.execPath, args, {
          cwd: root,
          encoding: 'utf8',
          env: { ...process.env, NO_COLOR: '1', XDG_STATE_HOME: join(folder, 'state') },
        });
        expect([name, status, stderr]).toStrictEqual([
          name,
          0,
          expect.stringContaining('turn 3, call 3: shell_execute rolled back'),
        ]);
        expect(stdout).toContain('The tests pass.');
        expect(stdout).toContain('5 calls: 3 committed, 2 rolled back.');
        expect(spawnSync('sh', ['test.sh'], { cwd: project }).status).toBe(0);
        expect(readFileSync(join(project, 'slug.sh'), 'utf8')).toContain("tr 'A-Z' 'a-z' | tr -s ' _'");
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
});

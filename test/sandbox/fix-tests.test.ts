import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { bubblewrapSandbox } from 'weakincentives/sandbox';
import { busyboxImage } from './support/busybox-image.ts';
import { unavailableReason } from './support/unavailable-reason.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** The command of the installed package, which finds the optional peers beside it. */
const command = 'test/peers/sandbox/node_modules/weakincentives/dist/entries/wink.js';
const image = await busyboxImage();
afterAll(() => image[Symbol.dispose]());
const bubblewrapReason = await unavailableReason(bubblewrapSandbox());

describe.each([
  ['agent.ts', 'project', 'its own sandbox', [], bubblewrapReason],
  ['agent.ts', 'project', 'bubblewrap', ['--sandbox', 'bubblewrap'], bubblewrapReason],
  ['agent.ts', 'project', 'virtual', ['--sandbox', 'virtual'], undefined],
  ['agent.ts', 'project', 'podman', ['--sandbox', `podman:${image.options.image}`], image.skip],
  ['node-agent.ts', 'node-project', 'its own sandbox', [], bubblewrapReason],
])('the example fix-tests/%s on %s in %s', (agent, project, _sandbox, options, skip) => {
  it.skipIf(skip !== undefined)(
    `makes the tests pass, and a wrong edit on the way is rolled back${skip === undefined ? '' : ` (skipped: ${skip})`}`,
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'wink-fix-tests-'));
      try {
        const copy = join(folder, 'project');
        cpSync(join(root, 'examples/fix-tests', project), copy, { recursive: true });
        const args = [command, 'run', `examples/fix-tests/${agent}`, copy, '--apply', ...options];
        const { status, stdout, stderr } = spawnSync(process.execPath, args, {
          cwd: root,
          encoding: 'utf8',
          env: { ...process.env, NO_COLOR: '1', XDG_STATE_HOME: join(folder, 'state') },
        });
        expect([status, stderr]).toStrictEqual([
          0,
          expect.stringMatching(/turn 3, call 3: shell_execute .* rolled back/),
        ]);
        expect(stdout).toContain('The tests pass.');
        expect(stdout).toContain('5 calls: 3 committed, 2 rolled back.');
        const changed = ['slug.sh', 'median.mjs'].flatMap((name) => {
          const path = join(copy, name);
          return existsSync(path) ? [readFileSync(path, 'utf8')] : [];
        });
        expect(changed).toStrictEqual([
          expect.stringMatching(/tr 'A-Z' 'a-z' \| sed 's\/\[ _\]\[ _\]\*|sorted\[middle - 1\]/),
        ]);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
});

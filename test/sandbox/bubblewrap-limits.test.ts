import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { MemoryFilesystem } from 'weakincentives';
import { bubblewrapSandbox, type SandboxLimits, type SandboxOutcome } from 'weakincentives/sandbox';
import { deadlockMs } from '../support/deadlock.ts';
import { canOrdinaryUserRun } from '../support/ordinary-user.ts';
import { unavailableReason } from './support/unavailable-reason.ts';

const skip = await unavailableReason(bubblewrapSandbox());
const child = fileURLToPath(new URL('support/children/start-many.mjs', import.meta.url));
const dist = fileURLToPath(new URL('../peers/sandbox/node_modules/weakincentives/dist/', import.meta.url));
const isRoot = process.geteuid?.() === 0;

async function run(command: string, limits: SandboxLimits): Promise<SandboxOutcome> {
  await using sandbox = await bubblewrapSandbox({ limits }).start({ filesystem: new MemoryFilesystem() });
  return await sandbox.exec({ command, timeoutMs: deadlockMs });
}

describe.skipIf(skip !== undefined)(
  `the limits of bubblewrap${skip === undefined ? '' : ` (skipped: ${skip})`}`,
  () => {
    it('end a process that uses more processor time', async () => {
      const outcome = await run('while :; do :; done', { maxCpuMs: 1000 });
      // 128 and the number of SIGXCPU or SIGKILL.
      expect([152, 137]).toContain(outcome.exitCode);
      expect(outcome.timedOut).toBe(false);
    });

    it('end a process that writes a larger file', async () => {
      const outcome = await run('head -c 2000000 /dev/zero >big; echo "code $?"; wc -c <big', {
        maxFileBytes: 1_000_000,
      });
      expect(outcome.stdout.text).toMatch(/^code (?!0\n)\d+\n1000000\n$/);
    });

    it('end a program that uses more memory, and let Node run in less', async () => {
      const script = 'const kept = []; for (;;) kept.push(Buffer.alloc(1e7, 1));';
      const { exitCode } = await run(`node -e '${script}'`, { maxMemoryBytes: 300_000_000 });
      expect(exitCode).not.toBe(0);
      const { stdout } = await run(`node -e 'console.log(1 + 1)'`, { maxMemoryBytes: 300_000_000 });
      expect(stdout.text).toBe('2\n');
    });

    it('let a command add to them, but not raise them', async () => {
      const { stdout } = await run('ulimit -f unlimited 2>/dev/null || echo refused', {
        maxFileBytes: 1_000_000,
      });
      expect(stdout.text).toBe('refused\n');
    });

    const reason =
      canOrdinaryUserRun(child) && canOrdinaryUserRun(`${dist}entries/index.js`)
        ? undefined
        : 'an ordinary user cannot read the package';
    it.skipIf(reason !== undefined)(
      `refuse processes beyond the limit, in a process of an ordinary user${reason === undefined ? '' : ` (skipped: ${reason})`}`,
      () => {
        const { status, stdout, stderr } = spawnSync(process.execPath, [child, dist, '20'], {
          encoding: 'utf8',
          cwd: '/',
          ...(isRoot ? { uid: 65_534, gid: 65_534 } : {}),
        });
        expect([status, stderr]).toStrictEqual([0, '']);
        const { many, bomb, next } = JSON.parse(stdout);
        expect(many.stdout.text).toBe('');
        expect(many.exitCode).not.toBe(0);
        expect(many.killedProcesses).toBeGreaterThan(0);
        expect(many.killedProcesses).toBeLessThanOrEqual(20);
        expect(bomb.killedProcesses).toBeLessThanOrEqual(20);
        expect(next).toMatchObject({
          exitCode: 0,
          stdout: { text: expect.stringMatching(/^aworks\n65534\n/) },
        });
      },
    );
  },
);

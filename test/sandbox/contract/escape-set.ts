import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Filesystem, MemoryFilesystem } from 'weakincentives';
import { openHostFilesystem } from 'weakincentives/node';
import type { SandboxLimits, SandboxOutcome } from 'weakincentives/sandbox';
import { deadlockMs } from '../../support/deadlock.ts';
import { type SandboxSubject, suiteName } from './sandbox-subject.ts';

/** Commands that try to leave a sandbox, or to use up the machine. Each is held by the limits of the backend or by its time limit. */
export function escapeSet(subject: SandboxSubject): void {
  const { skip, isInterpreter } = subject;
  const boundsProcesses =
    isInterpreter || (skip === undefined && subject.open().capabilities.limits.maxProcesses !== 'none');

  const attack = async (
    command: string,
    limits?: SandboxLimits,
    timeoutMs = deadlockMs,
    filesystem: Filesystem = new MemoryFilesystem({ files: { a: 'a' } }),
  ): Promise<SandboxOutcome> => {
    const backend = subject.open(limits === undefined ? {} : { limits });
    await using sandbox = await backend.start({ filesystem });
    const outcome = await sandbox.exec({ command, timeoutMs, maxOutputBytes: 10_000 });
    // Whatever happened, this process continues, and a new sandbox works.
    await using next = await backend.start({ filesystem: new MemoryFilesystem() });
    expect((await next.exec({ command: 'echo works' })).stdout.text).toBe('works\n');
    return outcome;
  };

  describe.skipIf(skip !== undefined)(suiteName('the escape set', subject), () => {
    it('an output without end is cut, and ends with its time', async () => {
      const outcome = await attack(
        'while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done',
        undefined,
        1500,
      );
      expect(outcome.timedOut || outcome.exitCode !== 0).toBe(true);
      expect(outcome.stdout.text.length).toBeLessThan(10_200);
    });

    it('memory without end is refused', async () => {
      const command = 'x=aaaaaaaaaaaaaaaa; while :; do x="$x$x"; done';
      const outcome = await attack(command, { maxMemoryBytes: 100_000_000 });
      expect(outcome.exitCode).not.toBe(0);
    });

    it('a recursion without end is stopped', async () => {
      const outcome = await attack('f() { f; }; f', { maxMemoryBytes: 100_000_000 });
      expect(outcome.exitCode).not.toBe(0);
    });

    it.skipIf(isInterpreter)(
      'a process that leaves its session and its terminal ends with the command',
      async () => {
        const outcome = await attack(
          `setsid sh -c 'while :; do sleep 0.1; done' >/dev/null 2>&1 </dev/null & echo started`,
        );
        expect(outcome).toMatchObject({ exitCode: 0, stdout: { text: 'started\n' } });
        expect(outcome.killedProcesses).toBeGreaterThanOrEqual(1);
      },
    );

    it.skipIf(!boundsProcesses)(
      `a fork bomb is stopped${boundsProcesses ? '' : ' (skipped: no limit of processes for this user)'}`,
      async () => {
        const limits = isInterpreter ? undefined : { maxProcesses: 50 };
        const outcome = await attack('b() { b | b & }; b; while :; do b; done', limits, 3000);
        expect(outcome.timedOut || outcome.exitCode !== 0).toBe(true);
      },
    );

    it.skipIf(isInterpreter)('no process of a command that timed out is left', async () => {
      const mark = `wink-orphan-${randomUUID()}`;
      const orphan = `setsid sh -c 'while :; do sleep 0.1; done' ${mark}`;
      const outcome = await attack(`${orphan} & ${orphan}; sleep 1000`, undefined, 2000);
      expect(outcome.timedOut).toBe(true);
      expect(processesNamed(mark)).toStrictEqual([]);
    });

    it('a hard link is no way to a file of the machine', async () => {
      const root = mkdtempSync(join(tmpdir(), 'wink-sandbox-link-'));
      try {
        const outside = join(root, 'outside');
        writeFileSync(outside, 'outside');
        const shared = join(root, 'shared');
        mkdirSync(join(root, 'project'));
        writeFileSync(join(root, 'project/a'), 'a');
        await using filesystem = await openHostFilesystem({ root: join(root, 'project') });
        await attack(
          `ln ${outside} out && echo x >>out; ln a hard && echo x >>hard; ln a ${shared}; true`,
          undefined,
          undefined,
          filesystem,
        );
        // Nothing was collected.
        expect(readFileSync(join(root, 'project/a'), 'utf8')).toBe('a');
        expect(readFileSync(outside, 'utf8')).toBe('outside');
        expect(readdirSync(root).sort()).toStrictEqual(['outside', 'project']);
      } finally {
        rmSync(root, { recursive: true });
      }
    });

    it.skipIf(isInterpreter)('a command that kills its parent fails, or is killed', async () => {
      const outcome = await attack('kill -9 $PPID; sleep 1000', undefined, 5000);
      expect(outcome.exitCode).not.toBe(0);
    });

    it.skipIf(isInterpreter)('no user can be changed, by set-user-id or otherwise', async () => {
      const { stdout } = await attack(
        'id -u; cp "$(command -v id)" own-id && chmod u+s own-id && ./own-id -u; chown 0:0 a 2>/dev/null; su -c id 2>/dev/null; cat /proc/self/status | grep -E "CapEff|NoNewPrivs"',
      );
      expect(stdout.text).toMatch(/NoNewPrivs:\s+1/);
      expect(stdout.text).toMatch(/CapEff:\s+0+\n/);
      expect(stdout.text.split('\n')).not.toContain('0');
    });

    it.skipIf(isInterpreter)('nothing of the kernel can be changed through /proc and /sys', async () => {
      const { stdout } = await attack(
        'for f in /proc/sys/kernel/hostname /proc/sys/vm/drop_caches /proc/sysrq-trigger; do (echo 1 >$f) 2>/dev/null && echo "wrote $f"; done; mount -t tmpfs none /tmp 2>/dev/null && echo mounted; true',
      );
      expect(stdout.text).toBe('');
    });

    it.skipIf(isInterpreter)('no other process of the machine is visible', async () => {
      const { stdout } = await attack(
        'for p in /proc/[0-9]*; do echo "${p#/proc/}"; done; kill -0 ' + process.pid,
      );
      expect(stdout.text.split('\n')).not.toContain(String(process.pid));
      const highest = Math.max(...stdout.text.trim().split('\n').map(Number));
      expect(highest).toBeLessThan(200);
    });

    it('a file without end is stopped', async () => {
      const outcome = await attack('while :; do cat /dev/zero >big; done', { maxFileBytes: 1_000_000 }, 3000);
      expect(outcome.exitCode).not.toBe(0);
    });
  });
}

/** The processes of this machine with a text in their command line. */
function processesNamed(text: string): readonly string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && commandLine(name).includes(text));
}

/** Empty for a process that has ended meanwhile. */
function commandLine(id: string): string {
  try {
    return readFileSync(join('/proc', id, 'cmdline'), 'utf8');
  } catch {
    return '';
  }
}

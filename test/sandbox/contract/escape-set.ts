import { describe, expect, it } from 'vitest';
import { MemoryFilesystem } from 'weakincentives';
import type { SandboxLimits, SandboxOutcome } from 'weakincentives/sandbox';
import { type SandboxSubject, suiteName } from './sandbox-subject.ts';

/** Commands that try to leave a sandbox, or to use up the machine. Each is held by the limits of the backend or by its time limit. */
export function escapeSet(subject: SandboxSubject): void {
  const { skip, isInterpreter } = subject;

  const attack = async (
    command: string,
    limits?: SandboxLimits,
    timeoutMs = 20_000,
  ): Promise<SandboxOutcome> => {
    const backend = subject.open(limits === undefined ? {} : { limits });
    await using sandbox = await backend.start({ filesystem: new MemoryFilesystem({ files: { a: 'a' } }) });
    const outcome = await sandbox.exec({ command, timeoutMs, maxOutputBytes: 10_000 });
    // Whatever happened, this process goes on, and a new sandbox works.
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

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, describe, expect, it } from 'vitest';
import { MemoryFilesystem } from 'weakincentives';
import { podmanSandbox, type SandboxBackend, type SandboxCommand } from 'weakincentives/sandbox';
import { deadlockMs } from '../support/deadlock.ts';
import { busyboxImage } from './support/busybox-image.ts';

const image = await busyboxImage();
afterAll(() => image[Symbol.dispose]());

async function run(backend: SandboxBackend, command: string, options: Partial<SandboxCommand> = {}) {
  await using sandbox = await backend.start({ filesystem: new MemoryFilesystem() });
  return await sandbox.exec({ command, ...options });
}

describe('podmanSandbox', () => {
  it.each([
    ['CONTAINER_HOST', 'ssh://user@host/run/podman.sock', 'ssh'],
    ['DOCKER_HOST', 'tcp://127.0.0.1:2375', 'tcp'],
  ])('refuses a service on another machine: %s=%s', async (name, value, scheme) => {
    process.env[name] = value;
    try {
      const failure = podmanSandbox({ image: 'some/image' }).prepare();
      await expect(failure).rejects.toMatchObject({ code: 'sandbox-unavailable' });
      await expect(failure).rejects.toThrow(scheme);
    } finally {
      Reflect.deleteProperty(process.env, name);
    }
  });

  it.each([
    [{ image: '' }, 'image'],
    [{ image: 'x', network: 'some' as never }, 'network'],
    [{ image: 'x', runtime: '-x' }, 'runtime'],
    [{ image: 'x', staging: { layer: 'copy' } as never }, 'staging.layer'],
    [{ image: 'x', limits: { maxMemoryBytes: 0 } }, 'maxMemoryBytes'],
  ])('refuses %j', (options, name) => {
    expect(() => podmanSandbox(options)).toThrow(name);
  });

  it('reports a program that is missing', async () => {
    const missing = podmanSandbox({ image: 'some/image', program: 'no-such-podman', runtime: 'none' });
    await expect(missing.prepare()).rejects.toThrow('"no-such-podman" is not found');
  });

  describe.skipIf(image.skip !== undefined)(`with podman${image.skip ?? ''}`, () => {
    it('names the line to run for an image that is missing', async () => {
      await expect(image.open({ image: 'localhost/none:1' }).prepare()).rejects.toThrow(
        'podman pull localhost/none:1',
      );
    });

    it('kills what uses more memory than it may', async () => {
      const backend = image.open({ limits: { maxMemoryBytes: 33_554_432 } });
      const outcome = await run(backend, 'x=a; while :; do x=$x$x; done', { timeoutMs: deadlockMs });
      expect(outcome.timedOut).toBe(false);
      expect([137, 1, 2, undefined]).toContain(outcome.exitCode);
    });

    it('bounds the processes of a command, and kills them all', async () => {
      const backend = image.open({ limits: { maxProcesses: 8 } });
      const script = 'i=0; while [ $i -lt 30 ]; do sleep 1000 & i=$((i+1)); done; exit 0';
      const outcome = await run(backend, script, { timeoutMs: deadlockMs });
      expect(outcome.timedOut).toBe(false);
      expect(outcome.killedProcesses).toBeLessThanOrEqual(8);
    });

    it('bounds one file', async () => {
      const backend = image.open({ limits: { maxFileBytes: 1000 } });
      const outcome = await run(backend, 'head -c 100000 /dev/zero >big; wc -c <big');
      expect(outcome.stdout.text.trim()).toBe('1000');
    });

    it('gives no rights: no capability, no new privilege, a filter of system calls, no device', async () => {
      const { stdout } = await run(
        image.open(),
        'grep -E "^(CapEff|CapBnd|NoNewPrivs|Seccomp):" /proc/self/status; id -u; mknod d b 1 1 2>/dev/null || echo none',
      );
      const lines = stdout.text
        .trim()
        .split('\n')
        .map((line) => line.replace(/\s+/, ' '));
      expect(lines.slice(0, 4).sort()).toStrictEqual([
        'CapBnd: 0000000000000000',
        'CapEff: 0000000000000000',
        'NoNewPrivs: 1',
        'Seccomp: 2',
      ]);
      expect(lines[4]).not.toBe('0');
      expect(lines[5]).toBe('none');
    });

    it('removes the containers of processes that were killed, and only these', async () => {
      await using sandbox = await image.open().start({ filesystem: new MemoryFilesystem() });
      const controller = new AbortController();
      const began = once(controller.signal, 'abort');
      const running = sandbox.exec({
        command: 'echo began; while [ ! -e end ]; do sleep 1; done',
        timeoutMs: deadlockMs,
        onOutput: () => controller.abort(),
      });
      await began;
      const own = containers();
      const child = spawn(process.execPath, ['--input-type=module', '-e', program()], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(child.stdout, 'data');
      child.kill('SIGKILL');
      await once(child, 'exit');
      expect(containers()).toHaveLength(2);
      await using prepared = await image.open().prepare();
      void prepared;
      expect([own.length, containers()]).toStrictEqual([1, own]);
      const ended = expect(running).rejects.toMatchObject({ code: 'sandbox-disposed' });
      await sandbox[Symbol.asyncDispose]();
      await ended;
      expect(containers()).toStrictEqual([]);
    });
  });
});

const containers = (): string[] =>
  spawnSync('podman', ['ps', '--all', '--quiet', '--no-trunc'], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter((id) => id !== '');

/** Starts a command that does not end, and says when it runs. */
function program(): string {
  const entry = JSON.stringify(
    new URL('../peers/sandbox/node_modules/weakincentives/dist/', import.meta.url).href,
  );
  return `
    const { podmanSandbox } = await import(${entry} + 'entries/sandbox.js');
    const { MemoryFilesystem } = await import(${entry} + 'entries/index.js');
    const sandbox = await podmanSandbox(${JSON.stringify(image.options)}).start({ filesystem: new MemoryFilesystem() });
    await sandbox.exec({ command: 'echo runs; sleep 1000', onOutput: () => console.log('runs') });
  `;
}

import { describe, expect, it } from 'vitest';
import { type PodmanSandboxOptions, type SandboxCommand, SandboxError } from 'weakincentives/sandbox';
import { createManualClock } from 'weakincentives/testing';
import { checkCommand } from '../../../../../src/host/sandbox/backend/command.ts';
import { podmanSettings } from '../../../../../src/host/sandbox/podman/options.ts';
import { ownerLabels } from '../../../../../src/host/sandbox/podman/owner.ts';
import { runContainer } from '../../../../../src/host/sandbox/podman/run-container.ts';
import {
  endContainer,
  type FakeService,
  type FakeServiceOptions,
  fakeService,
  nonceOf,
  refuse,
  type Step,
  writeFrame,
} from './fake-service.ts';

const folder = '/private/staged';

interface RunOptions {
  readonly sandbox?: Partial<PodmanSandboxOptions>;
  readonly command?: Partial<SandboxCommand>;
  readonly signal?: AbortSignal;
  readonly keepsId?: boolean;
  readonly skills?: string;
}

async function runOn(
  service: FakeService,
  { sandbox, command, signal, skills, keepsId = false }: RunOptions = {},
) {
  return runContainer(
    {
      settings: podmanSettings({ image: 'localhost/some:1', ...sandbox }),
      client: service.client,
      user: { user: '65534:65534', keepsId, newOwner: undefined },
    },
    folder,
    checkCommand('podman', { command: 'go', ...command }),
    signal,
    skills,
  );
}

const failureOf = async (work: Promise<unknown>): Promise<string> => {
  const error: unknown = await work.catch((thrown: unknown) => thrown);
  if (!SandboxError.isInstance(error)) throw new Error('It did not fail.');
  return `${error.code}: ${error.message}`;
};

const stepsOf = ({ received }: FakeService): readonly Step[] => received.map(({ step }) => step);

/** The body of the only creation. */
function specOf({ received }: FakeService): Record<string, unknown> {
  const [body, ...others] = received.flatMap((one) => (one.step === 'create' ? [one.body] : []));
  expect(others).toStrictEqual([]);
  // What the service got is what was sent: an object.
  return body as Record<string, unknown>;
}

describe('the requests for one command', () => {
  it('are to create, attach, start and remove, under a name of ours', async () => {
    await using service = await fakeService();
    await runOn(service);
    const name = String(specOf(service)['name']);
    expect(name).toMatch(/^wink-[0-9a-f-]{36}$/);
    expect(
      service.received.map(({ method, path, body }) => [method, path, body === undefined]),
    ).toStrictEqual([
      ['POST', '/containers/create', false],
      ['POST', `/containers/${name}/attach?stream=true&stdin=false&stdout=true&stderr=true`, true],
      ['POST', `/containers/${name}/start`, true],
      ['DELETE', `/containers/${name}?force=true&timeout=0&v=true`, true],
    ]);
    expect(service.containers.size).toBe(0);
  });

  it('describe the container with all that isolates it', async () => {
    await using service = await fakeService();
    await runOn(service, {
      sandbox: { env: { A: '1', B: '1' } },
      command: { command: ['python3', '-c', 'x'], cwd: 'sub', env: { B: '2' } },
    });
    expect(specOf(service)).toStrictEqual({
      name: expect.any(String),
      image: 'localhost/some:1',
      entrypoint: ['/bin/sh', '-c', expect.stringContaining('kill -9 -1'), 'sh'],
      command: [expect.stringMatching(/^[0-9a-f]{24}$/), '/workspace/sub', 'python3', '-c', 'x'],
      env: { HOME: '/tmp', TMPDIR: '/tmp', A: '1', B: '2' },
      env_host: false,
      httpproxy: false,
      work_dir: '/workspace',
      hostname: 'sandbox',
      labels: ownerLabels(),
      stdin: false,
      terminal: false,
      systemd: 'false',
      image_volume_mode: 'ignore',
      log_configuration: { driver: 'none' },
      user: '65534:65534',
      netns: { nsmode: 'none' },
      cap_drop: ['ALL'],
      no_new_privileges: true,
      privileged: false,
      read_only_filesystem: true,
      r_limits: [
        { type: 'NOFILE', hard: 1024, soft: 1024 },
        { type: 'NPROC', hard: 4096, soft: 4096 },
        { type: 'CORE', hard: 0, soft: 0 },
        { type: 'FSIZE', hard: 268_435_456, soft: 268_435_456 },
      ],
      resource_limits: {
        memory: { limit: 1_073_741_824, swap: 1_073_741_824 },
        pids: { limit: 257 },
        cpu: { period: 100_000, quota: 100_000 },
      },
      mounts: [
        {
          type: 'bind',
          source: folder,
          destination: '/workspace',
          options: ['rw', 'nosuid', 'nodev', 'rprivate'],
        },
        {
          type: 'tmpfs',
          source: 'tmpfs',
          destination: '/tmp',
          options: ['rw', 'nosuid', 'nodev', 'size=268435456', 'mode=1777', 'notmpcopyup'],
        },
      ],
    });
  });

  it('have files of skills, which they cannot change', async () => {
    await using service = await fakeService();
    await runOn(service, { skills: '/tmp/skills' });
    expect(specOf(service)).toMatchObject({
      mounts: [
        { destination: '/workspace' },
        {
          type: 'bind',
          source: '/tmp/skills',
          destination: '/skills',
          options: ['ro', 'nosuid', 'nodev', 'rprivate'],
        },
        { destination: '/tmp' },
      ],
    });
  });

  it('have what options change, and nothing else', async () => {
    await using usual = await fakeService();
    await runOn(usual);
    await using other = await fakeService({
      answer: ({ step }, response) => {
        if (step !== 'inspect' || !('writeHead' in response)) return false;
        response.end(JSON.stringify({ OCIRuntime: 'runc' }));
        return true;
      },
    });
    const limits = { maxMemoryBytes: 1000, maxProcesses: 1, maxCpus: 0.001, maxFileBytes: 7 };
    await runOn(other, {
      keepsId: true,
      sandbox: { limits, network: 'full', runtime: 'runc' },
      command: { stdin: '' },
    });
    const [before, after] = [specOf(usual), specOf(other)];
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    const changed = names.filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
    expect(changed.sort()).toStrictEqual(
      ['command', 'name', 'netns', 'oci_runtime', 'r_limits', 'resource_limits', 'stdin', 'userns'].sort(),
    );
    // A rootless service maps its user to the same one in the container, so that it can read the staged files.
    expect(after['userns']).toStrictEqual({ nsmode: 'keep-id' });
    expect([after['netns'], after['oci_runtime'], after['stdin']]).toStrictEqual([undefined, 'runc', true]);
    expect(after['resource_limits']).toStrictEqual({
      memory: { limit: 1000, swap: 1000 },
      pids: { limit: 2 },
      // The least that the kernel takes.
      cpu: { period: 100_000, quota: 1000 },
    });
    expect(stepsOf(other)).toStrictEqual(['create', 'inspect', 'attach', 'start', 'remove']);
    expect(other.received[2]?.path).toContain('stdin=true');
  });

  it('pass on the input, and separate the outputs', async () => {
    await using service = await fakeService({
      run: (container) => {
        const { stream } = container;
        if (stream === undefined) return;
        let input = '';
        stream.on('data', (chunk: Buffer) => (input += chunk.toString()));
        stream.on('end', () => {
          writeFrame(stream, 1, `got ${input}`);
          writeFrame(stream, 2, 'warning');
          endContainer(container, 3, 2);
        });
      },
    });
    expect(await runOn(service, { command: { stdin: 'the input' } })).toMatchObject({
      exitCode: 3,
      signal: undefined,
      timedOut: false,
      stdout: { text: 'got the input' },
      stderr: { text: 'warning' },
      killedProcesses: 2,
    });
  });
});

describe('a service that fails', () => {
  const created: readonly Step[] = ['create', 'remove'];
  const attached: readonly Step[] = ['create', 'attach', 'remove'];
  const started: readonly Step[] = ['create', 'attach', 'start', 'remove'];
  /** Where the first process was killed, Podman is asked for the exit code. */
  const unreported: FakeServiceOptions = { run: ({ stream }) => void stream?.end(), exitCode: 137 };
  const waited: readonly Step[] = ['create', 'attach', 'start', 'wait', 'remove'];

  it.each([
    ['create', created],
    ['attach', attached],
    ['start', started],
    ['wait', waited],
  ] as const)(
    'at "%s" with the status 500 leaves no container, and no path in the message',
    async (failing, steps) => {
      await using service = await fakeService({
        ...unreported,
        answer: ({ step }, response) =>
          step === failing && refuse(response, 500, 'cannot open `/var/lib/containers/x`: exit status 1\n'),
      });
      expect(await failureOf(runOn(service))).toMatch(
        /^sandbox-failed: The container could not be run: cannot open `….*: exit status 1\.$/,
      );
      expect(stepsOf(service)).toStrictEqual(steps);
      expect(service.containers.size).toBe(0);
    },
  );

  it.each([
    ['create', created],
    ['attach', attached],
    ['start', started],
    ['wait', waited],
  ] as const)(
    'in the middle of "%s" by closing the connection leaves no container',
    async (failing, steps) => {
      await using service = await fakeService({
        ...unreported,
        answer: ({ step }, response) => {
          if (step === failing) response.destroy();
          return step === failing;
        },
      });
      expect(await failureOf(runOn(service))).toMatch(
        /^sandbox-failed: .* its service does not answer \(ECONNRESET\)\.$/,
      );
      expect(stepsOf(service)).toStrictEqual(steps);
      expect(service.containers.size).toBe(0);
    },
  );

  it('by ending is reported as a container that could not be removed', async () => {
    const service: FakeService = await fakeService({ run: () => service.stop() });
    await using _ = service;
    expect(await failureOf(runOn(service))).toMatch(
      /^sandbox-failed: The container could not be removed: its service does not answer \(E[A-Z]+\)\.$/,
    );
  });

  it('by another runtime than the one that was asked for is found out before the start', async () => {
    await using service = await fakeService({
      answer: ({ step }, response) => {
        if (step !== 'inspect' || !('writeHead' in response)) return false;
        response.end(JSON.stringify({ OCIRuntime: 'crun' }));
        return true;
      },
    });
    expect(await failureOf(runOn(service, { sandbox: { runtime: 'runc' } }))).toContain('it uses "crun"');
    expect(stepsOf(service)).toStrictEqual(['create', 'inspect', 'remove']);
  });
});

describe('a stream that breaks off', () => {
  const breakOff = (text: string) => ({
    run: ({ stream }: { readonly stream: { write(text: string): void; end(): void } | undefined }) => {
      stream?.write(text);
      stream?.end();
    },
  });

  it.each([
    ['without a report after exit code 0', '', 0],
    ['in the middle of a frame, with exit code 0', '\x01\0\0\0\0\0\0\x09abc', 0],
    ['by what is no frame', 'HTTP/1.1 500 error', 1],
  ])('%s is a failure, not a success', async (_what, text, exitCode) => {
    await using service = await fakeService({ ...breakOff(text), exitCode });
    expect(await failureOf(runOn(service))).toBe(
      'sandbox-failed: The container could not be run: its output broke off.',
    );
    expect(service.containers.size).toBe(0);
  });

  it('because the first process was killed is an outcome', async () => {
    await using service = await fakeService({ ...breakOff('\x01\0\0\0\0\0\0\x03abc'), exitCode: 137 });
    expect(await runOn(service)).toMatchObject({
      exitCode: undefined,
      signal: 'SIGKILL',
      timedOut: false,
      stdout: { text: 'abc' },
    });
  });

  it('with a report for another container is not believed', async () => {
    await using service = await fakeService({
      run: (container) => {
        const { stream } = container;
        if (stream === undefined) return;
        writeFrame(stream, 2, `\0${'0'.repeat(nonceOf(container).length)}:0:0\n`);
        stream.end();
      },
    });
    expect(await failureOf(runOn(service))).toContain('its output broke off');
  });
});

describe('an end from outside', () => {
  it.each(['create', 'inspect', 'attach', 'start'] as const)(
    'by an abort during "%s" removes the container, and rejects with the reason',
    async (during) => {
      const [controller, reason] = [new AbortController(), new Error('enough')];
      await using service = await fakeService({
        answer: ({ step }, response) => {
          if (step === during) controller.abort(reason);
          if (step !== 'inspect' || !('writeHead' in response)) return false;
          response.end(JSON.stringify({ OCIRuntime: 'runc' }));
          return true;
        },
      });
      const run = runOn(service, { signal: controller.signal, sandbox: { runtime: 'runc' } });
      await expect(run).rejects.toBe(reason);
      expect(service.containers.size).toBe(0);
      expect(stepsOf(service)).toContain('remove');
    },
  );

  it('by an abort while Podman is asked for the exit code removes the container', async () => {
    const [controller, reason] = [new AbortController(), new Error('enough')];
    await using service = await fakeService({
      run: ({ stream }) => void stream?.end(),
      answer: ({ step }) => {
        if (step === 'wait') controller.abort(reason);
        return false;
      },
    });
    await expect(runOn(service, { signal: controller.signal })).rejects.toBe(reason);
    expect(stepsOf(service)).toContain('wait');
    expect(service.containers.size).toBe(0);
  });

  it('by an abort while the command runs kills it by the removal', async () => {
    const [controller, reason] = [new AbortController(), new Error('enough')];
    await using service = await fakeService({ run: () => controller.abort(reason) });
    await expect(runOn(service, { signal: controller.signal })).rejects.toBe(reason);
    expect(service.containers.size).toBe(0);
  });

  it('by an abort before anything was requested requests nothing', async () => {
    const reason = new Error('enough');
    await using service = await fakeService();
    await expect(runOn(service, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(service.received).toStrictEqual([]);
  });

  it('by the time limit kills it by the removal, and keeps the output', async () => {
    const clock = createManualClock();
    await using service = await fakeService({
      run: ({ stream }) => {
        if (stream !== undefined) writeFrame(stream, 1, 'so far');
      },
    });
    const outcome = await runOn(service, {
      sandbox: { clock },
      command: { timeoutMs: 5000, onOutput: () => clock.advance(5000) },
    });
    expect(outcome).toMatchObject({
      exitCode: undefined,
      signal: 'SIGKILL',
      timedOut: true,
      stdout: { text: expect.stringMatching(/^(so far)?$/) },
    });
    expect(service.containers.size).toBe(0);
  });
});

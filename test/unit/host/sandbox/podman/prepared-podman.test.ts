import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryFilesystem } from 'weakincentives';
import {
  type PodmanSandboxOptions,
  podmanSandbox,
  type SandboxBackend,
  SandboxError,
} from 'weakincentives/sandbox';
import {
  endContainer,
  type FakeService,
  fakeService,
  refuse,
  type Step,
  writeFrame,
} from './fake-service.ts';

let tempRoot = '';
const namedBefore = process.env['CONTAINER_HOST'];

beforeEach(() => {
  tempRoot = mkdtempSync(join(tmpdir(), 'wink-podman-prepare-'));
});

afterEach(() => {
  rmSync(tempRoot, { recursive: true });
  if (namedBefore === undefined) delete process.env['CONTAINER_HOST'];
  else process.env['CONTAINER_HOST'] = namedBefore;
});

const backendOf = (
  { socketPath }: Pick<FakeService, 'socketPath'>,
  options: Partial<PodmanSandboxOptions> = {},
): SandboxBackend => {
  process.env['CONTAINER_HOST'] = `unix://${socketPath}`;
  return podmanSandbox({ image: 'localhost/some:1', staging: { tempRoot }, ...options });
};

async function prepareOn(service: FakeService, options: Partial<PodmanSandboxOptions> = {}): Promise<void> {
  await using prepared = await backendOf(service, options).prepare();
  void prepared;
}

async function failureOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.catch((thrown: unknown) => thrown);
  if (!SandboxError.isInstance(error)) throw new Error('It did not fail.');
  return `${error.code}: ${error.message}`;
}

const stepsOf = ({ received }: FakeService): readonly Step[] => received.map(({ step }) => step);
const allSteps: readonly Step[] = ['ping', 'image', 'list', 'info', 'create', 'attach', 'start', 'remove'];

describe('the preparation', () => {
  it('finds the service, the image, what is left and the user, and runs a command', async () => {
    await using service = await fakeService();
    await prepareOn(service);
    expect(stepsOf(service)).toStrictEqual(allSteps);
    expect(service.received[1]?.path).toBe('/images/localhost%2Fsome%3A1/exists');
    expect(service.containers.size).toBe(0);
    expect(readdirSync(tempRoot)).toStrictEqual([]);
  });

  it('names the line to run for an image that is missing, and runs nothing', async () => {
    await using service = await fakeService({
      answer: ({ step }, response) => step === 'image' && refuse(response, 404, 'no such image'),
    });
    await expect(prepareOn(service)).rejects.toHaveProperty('details.image', 'localhost/some:1');
    expect(await failureOf(prepareOn(service))).toBe(
      'sandbox-unavailable: The backend "podman" does not work here: there is no image "localhost/some:1", and none is pulled implicitly. Run `podman pull localhost/some:1`.',
    );
    expect(stepsOf(service)).toStrictEqual(['ping', 'image', 'ping', 'image']);
  });

  it.each(['image', 'list', 'info', 'create', 'attach', 'start'] as const)(
    'reports a service that fails at "%s", and leaves nothing',
    async (failing) => {
      await using service = await fakeService({
        answer: ({ step }, response) => step === failing && refuse(response, 500, 'the storage is broken'),
      });
      expect(await failureOf(prepareOn(service))).toMatch(
        /^sandbox-unavailable: The backend "podman" does not work here: .*the storage is broken/,
      );
      expect(service.containers.size).toBe(0);
      expect(readdirSync(tempRoot)).toStrictEqual([]);
    },
  );

  it('reports a socket where nobody listens, and one that is not there', async () => {
    const service = await fakeService();
    const { socketPath } = service;
    service.stop();
    for (const path of [socketPath, join(tempRoot, 'none.sock')]) {
      const message = await failureOf(backendOf({ socketPath: path }).prepare());
      expect(message).toContain(
        'no service of Podman answers at the socket that the variable CONTAINER_HOST names',
      );
      expect(message).not.toContain(path);
    }
    await service[Symbol.asyncDispose]();
  });

  it.each([
    ['exit status 1: cgroups in hybrid mode not supported', 'runtime: "runc"'],
    ['newuidmap: not found', '/etc/subuid'],
    ['exec: "/bin/sh": no such file, executable file not found', 'The image needs /bin/sh.'],
    ['something else', 'podman run --rm'],
  ])('has advice for "%s"', async (message, advice) => {
    await using service = await fakeService({
      answer: ({ step }, response) => step === 'start' && refuse(response, 500, message),
    });
    expect(await failureOf(prepareOn(service))).toContain(advice);
  });

  it('reports what the self-test writes when it ends with another exit code', async () => {
    await using service = await fakeService({
      run: (container) => {
        if (container.stream !== undefined) writeFrame(container.stream, 2, 'sh: cannot create file');
        endContainer(container, 1);
      },
    });
    expect(await failureOf(prepareOn(service))).toContain('does not work here: sh: cannot create file.');
  });

  it('is shared by all that use the backend at the same time, and made again afterwards', async () => {
    await using service = await fakeService();
    const backend = backendOf(service);
    {
      await using first = await backend.prepare();
      await using second = await backend.prepare();
      await using sandbox = await backend.start({ filesystem: new MemoryFilesystem() });
      void [first, second, sandbox];
      expect(stepsOf(service)).toStrictEqual(allSteps);
    }
    await using again = await backend.prepare();
    void again;
    expect(stepsOf(service)).toStrictEqual([...allSteps, ...allSteps]);
  });

  it('ends when the only one that waits for it is aborted, and leaves nothing', async () => {
    const [controller, reason] = [new AbortController(), new Error('enough')];
    await using service = await fakeService({ run: () => controller.abort(reason) });
    const backend = backendOf(service);
    await expect(backend.prepare({ signal: controller.signal })).rejects.toBe(reason);
    expect(service.containers.size).toBe(0);
    expect(readdirSync(tempRoot)).toStrictEqual([]);
  });

  it('continues while others wait for it', async () => {
    const [controller, reason] = [new AbortController(), new Error('enough')];
    await using service = await fakeService({
      run: (container) => {
        controller.abort(reason);
        endContainer(container);
      },
    });
    const backend = backendOf(service);
    const aborted = expect(backend.prepare({ signal: controller.signal })).rejects.toBe(reason);
    await using prepared = await backend.prepare();
    void prepared;
    await aborted;
    expect(stepsOf(service)).toStrictEqual(allSteps);
  });
});

describe('the user of commands', () => {
  const rootless = { host: { security: { rootless: true } } };
  const uid = process.geteuid?.() ?? 0;
  const own = `${uid}:${process.getegid?.() ?? 0}`;

  it.each([
    ['a rootless service', rootless, own, { nsmode: 'keep-id' }],
    ['a service of root', {}, uid === 0 ? '65534:65534' : own, undefined],
    ['a service that does not say', { host: 3 }, uid === 0 ? '65534:65534' : own, undefined],
  ])('with %s is the one that can read the staged files', async (_what, info, user, userns) => {
    await using service = await fakeService({ info });
    await prepareOn(service);
    const [body] = service.received.flatMap((one) => (one.step === 'create' ? [one.body] : []));
    expect(body).toMatchObject({ user });
    expect(Object(body).userns).toStrictEqual(userns);
  });
});

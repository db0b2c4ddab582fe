import { describe, expect, it } from 'vitest';
import { type PodmanSandboxOptions, SandboxError } from 'weakincentives/sandbox';
import { type ConnectionMachine, connect } from '../../../../../src/host/sandbox/podman/connection.ts';
import { podmanSettings } from '../../../../../src/host/sandbox/podman/options.ts';
import { PodmanClient } from '../../../../../src/host/sandbox/podman/podman-client.ts';

/** A machine with services at the given sockets, and a record of what was looked for on it. */
function machineWith(
  answering: readonly string[],
  parts: Partial<ConnectionMachine> & { readonly list?: string } = {},
) {
  const log: string[] = [];
  const clients = new Map<PodmanClient, string>();
  const clientOf = (path: string): PodmanClient => {
    const client = new PodmanClient(path);
    clients.set(client, path);
    return client;
  };
  const machine: ConnectionMachine = {
    env: {},
    isRoot: false,
    serviceAt: async (path) => {
      log.push(path);
      return answering.includes(path) ? clientOf(path) : undefined;
    },
    listConnections: async () => {
      log.push('list');
      return parts.list;
    },
    startService: async () => {
      log.push('start');
      return { client: clientOf('own'), [Symbol.asyncDispose]: async () => void log.push('stop') };
    },
    ...parts,
  };
  const find = async (options: Partial<PodmanSandboxOptions> = {}): Promise<string | undefined> => {
    const settings = podmanSettings({ image: 'some/image', ...options });
    await using service = await connect(settings, undefined, machine);
    return clients.get(service.client);
  };
  return { log, find };
}

const connections = (...list: readonly unknown[]): string => JSON.stringify(list);

async function failureOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.catch((thrown: unknown) => thrown);
  if (!SandboxError.isInstance(error)) throw new Error('It did not fail.');
  expect(error.code).toBe('sandbox-unavailable');
  return error.message;
}

describe('the connection to Podman', () => {
  const named = { CONTAINER_HOST: 'unix:///c', PODMAN_BASE_URL: 'unix:///b', DOCKER_HOST: 'unix:///d' };

  it.each([
    ['a path', {}, { CONTAINER_HOST: '/o' }, '/o'],
    ['CONTAINER_HOST', {}, named, '/c'],
    ['PODMAN_BASE_URL', {}, { ...named, CONTAINER_HOST: undefined }, '/b'],
    ['DOCKER_HOST', {}, { ...named, CONTAINER_HOST: '', PODMAN_BASE_URL: '' }, '/d'],
    ['a variable, also with a runtime', { runtime: 'runc' }, named, '/c'],
  ])('is what %s names, and nothing else is looked for', async (_what, options, env, path) => {
    const { find, log } = machineWith([path, '/run/podman/podman.sock'], { env, isRoot: true });
    expect(await find(options)).toBe(path);
    expect(log).toStrictEqual([path]);
  });

  it('is not another one when the named one does not answer', async () => {
    const { find, log } = machineWith(['/run/podman/podman.sock'], { env: named, isRoot: true });
    const message = await failureOf(find());
    expect(message).toContain(
      'no service of Podman answers at the socket that the variable CONTAINER_HOST names',
    );
    expect(message).not.toContain('/c');
    expect(log).toStrictEqual(['/c']);
  });

  it.each([
    ['ssh://user@host:22/run/podman.sock', 'ssh'],
    ['tcp://127.0.0.1:2375', 'tcp'],
    ['http+unix:///run/x.sock', 'http+unix'],
    ['podman.sock', 'a relative path'],
  ])('is refused where it is not a socket of this machine: %s', async (address, kind) => {
    const { find, log } = machineWith([], { env: { CONTAINER_HOST: address } });
    const message = await failureOf(find());
    expect(message).toContain(`of the kind ${kind},`);
    expect(message).not.toContain('user@host');
    expect(log).toStrictEqual([]);
  });

  it('is the default one of the program, then the usual socket, then a service of its own', async () => {
    const list = connections(
      { Name: 'other', URI: 'unix:///other', Default: false },
      { Name: 'usual', URI: 'unix:///configured', Default: true },
    );
    const env = { XDG_RUNTIME_DIR: '/run/user/1000' };
    const all = ['list', '/configured', '/run/user/1000/podman/podman.sock', 'start', 'stop'];
    for (const [answering, length, found] of [
      [['/configured', '/run/user/1000/podman/podman.sock'], 2, '/configured'],
      [['/run/user/1000/podman/podman.sock'], 3, '/run/user/1000/podman/podman.sock'],
      [[], 5, 'own'],
    ] as const) {
      const { find, log } = machineWith(answering, { list, env });
      expect(await find()).toBe(found);
      expect(log).toStrictEqual(all.slice(0, length));
    }
  });

  it('has another usual socket as root, and none for a user without a runtime folder', async () => {
    const root = machineWith([], { isRoot: true, env: { XDG_RUNTIME_DIR: '/run/user/0' } });
    expect(await root.find()).toBe('own');
    expect(root.log).toStrictEqual(['list', '/run/podman/podman.sock', 'start', 'stop']);
    const user = machineWith([]);
    expect(await user.find()).toBe('own');
    expect(user.log).toStrictEqual(['list', 'start', 'stop']);
  });

  it('is a service of its own where a runtime is named, which others may not have', async () => {
    const { find, log } = machineWith(['/run/podman/podman.sock'], { isRoot: true });
    expect(await find({ runtime: 'runc' })).toBe('own');
    expect(log).toStrictEqual(['start', 'stop']);
  });

  it.each([
    ['nothing', undefined],
    ['no JSON', 'Error: no such command'],
    ['no list', '{"Default":true,"URI":"unix:///x"}'],
    ['no default', connections({ Name: 'x', URI: 'unix:///x', Default: false })],
    ['no address', connections({ Name: 'x', URI: 5, Default: true })],
    ['other values', connections(null, 3, 'x', [])],
  ])('ignores a program that prints %s', async (_what, list) => {
    const { find } = machineWith(['/run/podman/podman.sock'], {
      isRoot: true,
      ...(list === undefined ? {} : { list }),
    });
    expect(await find()).toBe('/run/podman/podman.sock');
  });

  it('is refused when the default one is on another machine', async () => {
    const list = connections({ Name: 'x', URI: 'ssh://core@localhost:5000/run/p.sock', Default: true });
    const { find, log } = machineWith(['/run/podman/podman.sock'], { list, isRoot: true });
    expect(await failureOf(find())).toContain('the default connection of podman');
    expect(log).toStrictEqual(['list']);
  });

  it('leaves running what it has not started', async () => {
    const { find, log } = machineWith(['/o'], { env: { CONTAINER_HOST: '/o' } });
    await find();
    expect(log).toStrictEqual(['/o']);
  });
});

import { selfTest } from '../backend/self-test.ts';
import { connect } from './connection.ts';
import { containerUser, giveTo } from './container-user.ts';
import { type PodmanSettings, podmanBackend } from './options.ts';
import { removeLeftovers } from './owner.ts';
import type { PodmanClient } from './podman-client.ts';
import { PodmanRequestError, podmanUnavailable } from './podman-error.ts';
import { type ContainerHost, runContainer } from './run-container.ts';

/** A connection that works, until it is disposed. */
export interface PreparedPodman extends AsyncDisposable {
  readonly host: ContainerHost;
}

/**
 * Connects, removes what dead processes have left, and runs a command under all limits.
 * @throws {SandboxError} `sandbox-unavailable`.
 * @throws the signal's reason.
 */
export async function preparePodman(
  settings: PodmanSettings,
  signal: AbortSignal | undefined,
): Promise<PreparedPodman> {
  if (process.platform === 'win32')
    throw podmanUnavailable(
      'it requires sockets and files of this machine',
      'Use Linux, or another backend.',
    );
  const service = await connect(settings, signal);
  try {
    const { client } = service;
    await assertImage(client, settings.image, signal);
    await removeLeftovers(client, signal);
    const host = { settings, client, user: await containerUser(client, signal) };
    await test(host, signal);
    return { host, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
  } catch (error) {
    await service[Symbol.asyncDispose]();
    signal?.throwIfAborted();
    if (error instanceof PodmanRequestError) throw podmanUnavailable(error.message, 'See `podman info`.');
    throw error;
  }
}

async function assertImage(
  client: PodmanClient,
  image: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await client.send({ method: 'GET', path: `/images/${encodeURIComponent(image)}/exists`, signal });
  } catch (error) {
    if (!(error instanceof PodmanRequestError) || error.status !== 404) throw error;
    throw podmanUnavailable(
      `there is no image ${JSON.stringify(image)}, and none is pulled implicitly`,
      `Run \`podman pull ${image}\`.`,
      { image },
    );
  }
}

async function test(host: ContainerHost, signal: AbortSignal | undefined): Promise<void> {
  const failure = await selfTest({
    backend: podmanBackend,
    script:
      'echo works >file && [ "$(cat /workspace/file)" = works ] && echo works >/tmp/file && ! (echo x >/file) 2>/dev/null',
    staging: { ...host.settings.staging, layer: 'copy' },
    run: async ({ path }, command) => {
      if (host.user.newOwner !== undefined) await giveTo(host.user.newOwner, path);
      return runContainer(host, path, command, signal);
    },
  });
  if (failure !== undefined)
    throw podmanUnavailable(failure.reason, adviceFor(failure.reason), { cause: failure.cause });
}

function adviceFor(reason: string): string {
  if (/cgroups? in hybrid mode|crun/i.test(reason))
    return 'Install another OCI runtime and name it, such as `runtime: "runc"`, or use another backend.';
  if (/subuid|subgid|newuidmap|user namespace/i.test(reason))
    return 'Rootless Podman needs ranges for this user in /etc/subuid and /etc/subgid, and the package uidmap.';
  if (/bin\/sh|executable file/i.test(reason)) return 'The image needs /bin/sh.';
  return 'Run `podman run --rm --network none IMAGE true` to see whether Podman works, or use another backend.';
}

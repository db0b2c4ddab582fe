import { SandboxError } from '../../../core/error/index.ts';
import { MemoryFilesystem } from '../../../core/filesystem/index.ts';
import { present } from '../../../core/internal/index.ts';
import { openStagedFolder } from '../../staged-folder/open-staged-folder.ts';
import { checkCommand } from '../backend/command.ts';
import { connect } from './connection.ts';
import { containerUser, giveTo } from './container-user.ts';
import { type PodmanSettings, podmanBackend } from './options.ts';
import { removeLeftovers } from './owner.ts';
import type { PodmanClient } from './podman-client.ts';
import { PodmanRequestError, podmanUnavailable } from './podman-error.ts';
import { type ContainerHost, runContainer } from './run-container.ts';

/** Only a machine that hangs needs so much. */
const selfTestMs = 60_000;

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
    await selfTest(host, signal);
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
    throw new SandboxError(
      'sandbox-unavailable',
      `The backend "podman" does not work here: there is no image ${JSON.stringify(image)}, and none is pulled implicitly. Run \`podman pull ${image}\`.`,
      { details: { backend: podmanBackend } },
    );
  }
}

async function selfTest(host: ContainerHost, signal: AbortSignal | undefined): Promise<void> {
  const { tempRoot } = host.settings.staging;
  await using staged = await openStagedFolder(new MemoryFilesystem(), {
    layer: 'copy',
    ...present({ tempRoot }),
  });
  if (host.user.newOwner !== undefined) await giveTo(host.user.newOwner, staged.path);
  const script =
    'echo works >file && [ "$(cat /workspace/file)" = works ] && echo works >/tmp/file && ! (echo x >/file) 2>/dev/null';
  const command = checkCommand(podmanBackend, { command: script, timeoutMs: selfTestMs });
  let reason: string;
  try {
    const { exitCode, stderr } = await runContainer(host, staged.path, command, signal);
    if (exitCode === 0) return;
    reason = stderr.text.trim() || `its self-test ended with ${exitCode}`;
  } catch (error) {
    if (!SandboxError.isInstance(error) || error.code !== 'sandbox-failed') throw error;
    reason = error.message;
  }
  throw podmanUnavailable(reason, adviceFor(reason));
}

function adviceFor(reason: string): string {
  if (/cgroups? in hybrid mode|crun/i.test(reason))
    return 'Install another OCI runtime and name it, such as `runtime: "runc"`, or use another backend.';
  if (/subuid|subgid|newuidmap|user namespace/i.test(reason))
    return 'Rootless Podman needs ranges for this user in /etc/subuid and /etc/subgid, and the package uidmap.';
  if (/bin\/sh|executable file/i.test(reason)) return 'The image needs /bin/sh.';
  return 'Run `podman run --rm --network none IMAGE true` to see whether Podman works, or use another backend.';
}

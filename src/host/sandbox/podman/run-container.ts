import { randomBytes, randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { isRecord } from '../../../core/internal/index.ts';
import type { CheckedCommand } from '../backend/command.ts';
import { endInTime } from '../backend/command-end.ts';
import { missingDirectoryError } from '../backend/errors.ts';
import { CommandOutputs } from '../backend/output.ts';
import type { SandboxOutcome } from '../backend/sandbox-backend.ts';
import { containerSpec } from './container-spec.ts';
import type { ContainerUser } from './container-user.ts';
import { FrameDecoder } from './frame-decoder.ts';
import { type PodmanSettings, podmanBackend } from './options.ts';
import { ownerLabels, removeContainer } from './owner.ts';
import type { PodmanClient } from './podman-client.ts';
import { PodmanRequestError, podmanFailed } from './podman-error.ts';
import { type ContainerReport, TrailerReader } from './trailer.ts';

/** What runs containers. */
export interface ContainerHost {
  readonly settings: PodmanSettings;
  readonly client: PodmanClient;
  readonly user: ContainerUser;
}

/**
 * Runs a command in a container of its own, which is removed before the promise settles.
 * @param skills the folder that is shown at `/skills`. Default: none.
 * @throws {SandboxError} `sandbox-command-invalid` for a missing directory, `sandbox-failed` when Podman fails.
 * @throws the signal's reason.
 */
export async function runContainer(
  host: ContainerHost,
  folder: string,
  command: CheckedCommand,
  signal: AbortSignal | undefined,
  skills?: string,
): Promise<SandboxOutcome> {
  const { settings, client, user } = host;
  const nonce = randomBytes(12).toString('hex');
  // Named by us, so that it can be removed even when the answer is lost.
  const name = `wink-${randomUUID()}`;
  const spec = containerSpec(settings, { command, folder, skills, user, nonce, labels: ownerLabels() });
  signal?.throwIfAborted();
  try {
    await client.send({ method: 'POST', path: '/containers/create', body: { ...spec, name } });
    await assertRuntime(host, name);
    const outcome = await follow(host, name, nonce, command, signal);
    signal?.throwIfAborted();
    return outcome;
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof PodmanRequestError
      ? podmanFailed('The container could not be run', error.message)
      : error;
  } finally {
    await removed(client, name);
  }
}

async function removed(client: PodmanClient, name: string): Promise<void> {
  try {
    await removeContainer(client, name);
  } catch (error) {
    throw podmanFailed('The container could not be removed', error instanceof Error ? error.message : '');
  }
}

/** Older services ignore which runtime is asked for. */
async function assertRuntime({ settings, client }: ContainerHost, name: string): Promise<void> {
  const { runtime } = settings;
  if (runtime === undefined) return;
  const found = await client.send({ method: 'GET', path: `/containers/${name}/json` });
  const used = isRecord(found) ? found['OCIRuntime'] : undefined;
  if (used === runtime || (typeof used === 'string' && used === runtime.split('/').at(-1))) return;
  throw podmanFailed(
    'The service of Podman does not use the runtime that was asked for',
    `it uses ${JSON.stringify(used)}; start it as \`podman --runtime ${runtime} system service\``,
  );
}

/** Starts the container, and waits until it has ended or was killed. */
async function follow(
  { settings, client }: ContainerHost,
  name: string,
  nonce: string,
  command: CheckedCommand,
  signal: AbortSignal | undefined,
): Promise<SandboxOutcome> {
  const outputs = new CommandOutputs(command);
  const trailer = new TrailerReader(nonce, (chunk) => outputs.add('stderr', chunk));
  const frames = new FrameDecoder((stream, chunk) =>
    stream === 'stderr' ? trailer.add(chunk) : outputs.add(stream, chunk),
  );
  const { stream, head } = await client.attach(name, command.stdin !== undefined);
  const closed = receive(stream, head, frames);
  const kill = (): void => {
    // The removal that follows in any case reports a failure. Without a container there is no output.
    const close = (): void => void stream.destroy();
    removeContainer(client, name).then(close, close);
  };
  using end = endInTime(command, signal, settings.clock, kill);
  try {
    signal?.throwIfAborted();
    await client.send({ method: 'POST', path: `/containers/${name}/start` });
    if (command.stdin !== undefined) stream.end(command.stdin);
    await closed;
    const report = trailer.end();
    // What is reported is certain; Podman takes some time to know it, too.
    const exitCode = end.timedOut || report.kind !== 'none' ? undefined : await exitCodeOf(client, name);
    // A success that was not reported does not count: the stream broke off, and with it the output.
    if (exitCode === 0 || frames.isBroken)
      throw podmanFailed('The container could not be run', 'its output broke off');
    return outputs.outcome(endOf(command, report, exitCode, end.timedOut));
  } catch (error) {
    if (!end.timedOut) throw error;
    return outputs.outcome(endOf(command, trailer.end(), undefined, true));
  } finally {
    stream.destroy();
  }
}

/** Settles when the stream has ended. It breaks when the container is killed, which its state says better. */
async function receive(stream: Duplex, head: Buffer, frames: FrameDecoder): Promise<void> {
  frames.add(head);
  await new Promise<void>((resolve) => {
    stream.on('data', (chunk: Buffer) => frames.add(chunk));
    stream.on('error', () => undefined);
    stream.once('end', resolve);
    stream.once('close', resolve);
  });
}

async function exitCodeOf(client: PodmanClient, name: string): Promise<number | undefined> {
  const path = `/containers/${name}/wait?condition=stopped&interval=10ms`;
  const answer = await client.send({ method: 'POST', path });
  return typeof answer === 'number' ? answer : undefined;
}

/** @param exitCode where there is no report. */
function endOf(
  { cwd }: CheckedCommand,
  report: ContainerReport,
  exitCode: number | undefined,
  timedOut: boolean,
): Parameters<CommandOutputs['outcome']>[0] {
  if (report.kind === 'missing-directory') throw missingDirectoryError(podmanBackend, cwd);
  const reported = timedOut || report.kind !== 'ended' ? undefined : report;
  // Without a report the first process itself was killed, as by the kernel when the memory is used up.
  const isKilled = reported === undefined && (exitCode ?? 137) === 137;
  return {
    exitCode: isKilled ? undefined : (reported?.exitCode ?? exitCode),
    signal: isKilled ? 'SIGKILL' : undefined,
    timedOut,
    killedProcesses: report.kind === 'ended' ? report.killedProcesses : 0,
  };
}

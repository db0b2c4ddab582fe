import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { endOf } from '../../../core/internal/index.ts';
import type { PodmanSettings } from './options.ts';
import { PodmanClient } from './podman-client.ts';
import { podmanUnavailable } from './podman-error.ts';

/**
 * The service ends when the standard input is closed, which the kernel does when this process ends, however it does; the private folder
 * of the socket goes with it.
 */
const untilClosed = `folder=$1; shift
exec 3<&0
"$@" </dev/null 3<&- &
service=$!
{ cat >/dev/null; kill "$service"; } <&3 2>/dev/null &
exec 3<&-
wait "$service"
status=$?
rm -rf -- "$folder"
exit "$status"`;

const maxMessageCharacters = 4000;
const pollMs = 20;
/** Only a machine that hangs needs so much. */
const startMs = 60_000;

/** A service of Podman that was started by this process. */
export interface OwnService extends AsyncDisposable {
  readonly client: PodmanClient;
}

/**
 * Starts a service on a socket in a private folder.
 * @throws {SandboxError} `sandbox-unavailable`.
 * @throws the signal's reason.
 */
export async function startOwnService(
  { program, runtime, clock }: PodmanSettings,
  signal: AbortSignal | undefined,
): Promise<OwnService> {
  const folder = await mkdtemp(join(tmpdir(), 'wink-podman-'));
  const socketPath = join(folder, 'podman.sock');
  const options = runtime === undefined ? [] : ['--runtime', runtime];
  const service = [program, ...options, 'system', 'service', '--time=0', `unix://${socketPath}`];
  const child = spawn('sh', ['-c', untilClosed, 'sh', folder, ...service], {
    env: podmanEnvironment(),
    // The monitor of a container writes files to the working directory.
    cwd: folder,
    // A Ctrl-C is for this process, which ends the service itself.
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let message = '';
  child.stderr.on('data', (chunk: Buffer) => {
    message = endOf(message + chunk.toString('utf8'), maxMessageCharacters);
  });
  child.stdin.on('error', () => undefined);
  let hasEnded = false;
  const ended = new Promise<void>((resolve) => {
    const end = (): void => {
      hasEnded = true;
      resolve();
    };
    child.once('error', end);
    child.once('exit', end);
  });
  // The service must not keep this process running; it ends with it.
  child.unref();
  for (const pipe of [child.stdin, child.stderr])
    if ('unref' in pipe && typeof pipe.unref === 'function') pipe.unref();
  const stop = async (): Promise<void> => {
    child.ref();
    child.stdin.destroy();
    await ended;
    child.stderr.destroy();
  };
  const client = new PodmanClient(socketPath, clock);
  const startedAt = clock.now();
  try {
    while (!(await client.answers(signal))) {
      if (hasEnded || clock.now() - startedAt > startMs) throw startError(program, message);
      await delay(pollMs, undefined, signal === undefined ? {} : { signal });
    }
  } catch (error) {
    await stop();
    signal?.throwIfAborted();
    throw error;
  }
  return { client, [Symbol.asyncDispose]: stop };
}

/** What Podman needs to find its storage, its configuration and its helpers; no other variable of this process. */
export function podmanEnvironment(): Readonly<Record<string, string>> {
  const wanted = /^(PATH|HOME|USER|LOGNAME|TMPDIR|DBUS_SESSION_BUS_ADDRESS|XDG_[A-Z_]+|CONTAINERS_[A-Z_]+)$/;
  const entries = Object.entries(process.env).flatMap(([name, value]) =>
    value !== undefined && wanted.test(name) ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(entries), LC_ALL: 'C' };
}

function startError(program: string, message: string): Error {
  const line = message.trim().split('\n').at(-1) ?? '';
  const isMissing = /not found/.test(line);
  return podmanUnavailable(
    isMissing
      ? `no service of Podman answers, and the program ${JSON.stringify(program)} is not found`
      : `its service could not be started: ${line === '' ? 'it ended at once' : line}`,
    'Install it with `apt-get install podman` or the package manager of this system, or start `podman system service --time=0` yourself and set socketPath.',
  );
}

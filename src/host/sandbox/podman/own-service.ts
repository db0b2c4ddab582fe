import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { endOf } from '../../../core/internal/index.ts';
import { Child } from '../../process/child.ts';
import type { PodmanSettings } from './options.ts';
import { PodmanClient } from './podman-client.ts';
import { podmanUnavailable } from './podman-error.ts';

/**
 * The service ends when the standard input is closed, which the kernel does when this process ends, however it does; the private folder
 * of the socket goes with it. Once the service has ended, in whatever way, nothing waits any more to kill it: its number may be that of
 * another process by then.
 */
export const untilClosed: string = `folder=$1; shift
exec 3<&0
"$@" </dev/null 3<&- &
service=$!
{ cat >/dev/null; kill "$service"; } <&3 2>/dev/null &
watcher=$!
exec 3<&-
wait "$service"
status=$?
kill "$watcher" 2>/dev/null
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
  const child = new Child(
    // The monitor of a container writes files to the working directory.
    { command: 'sh', args: ['-c', untilClosed, 'sh', folder, ...service], cwd: folder },
    // A Ctrl-C is for this process, which ends the service itself. What containers have started outlives it.
    { env: podmanEnvironment(), stdio: ['pipe', 'ignore', 'pipe'], group: 'kept', clock },
  );
  let message = '';
  child.pipe(2).on('data', (chunk: Buffer) => {
    message = endOf(message + chunk.toString('utf8'), maxMessageCharacters);
  });
  let hasEnded = false;
  void child.ended.then(() => {
    hasEnded = true;
  });
  // The service must not keep this process running; it ends with it.
  child.hold(false);
  const stop = async (): Promise<void> => {
    child.hold(true);
    child.pipe(0).destroy();
    await child.exited;
    child.discard();
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
    'Install it with `apt-get install podman` or the package manager of this system, or start `podman system service --time=0` yourself and name its socket in CONTAINER_HOST.',
  );
}

import { posix } from 'node:path';
import { isRecord, present } from '../../../core/internal/index.ts';
import { runProcess } from '../../process/run-process.ts';
import type { PodmanSettings } from './options.ts';
import { type OwnService, podmanEnvironment, startOwnService } from './own-service.ts';
import { PodmanClient } from './podman-client.ts';
import { podmanUnavailable } from './podman-error.ts';

/** Variables that name a service, in the order of their precedence. */
const passedVariables = ['CONTAINER_HOST', 'PODMAN_BASE_URL', 'DOCKER_HOST'] as const;
/** Only a machine that hangs needs so much. */
const listMs = 30_000;
const maxListBytes = 65_536;

/** What names a service. */
interface Named {
  readonly socketPath: string;
  /** For messages. */
  readonly source: string;
}

/** The machine on which a service is looked for. */
export interface ConnectionMachine {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isRoot: boolean;
  /** The service at a socket; undefined: none answers. @throws the signal's reason. */
  readonly serviceAt: (
    socketPath: string,
    signal: AbortSignal | undefined,
  ) => Promise<PodmanClient | undefined>;
  /** What the program prints as the list of its connections; undefined: it is missing, or fails. @throws the signal's reason. */
  readonly listConnections: (
    settings: PodmanSettings,
    signal: AbortSignal | undefined,
  ) => Promise<string | undefined>;
  /** See `startOwnService`. */
  readonly startService: (settings: PodmanSettings, signal: AbortSignal | undefined) => Promise<OwnService>;
}

function thisMachine({ clock }: PodmanSettings): ConnectionMachine {
  return {
    env: process.env,
    isRoot: process.geteuid?.() === 0,
    serviceAt: async (socketPath, signal) => {
      const client = new PodmanClient(socketPath, clock);
      return (await client.answers(signal)) ? client : undefined;
    },
    listConnections,
    startService: startOwnService,
  };
}

/**
 * Finds a service of Podman, or starts one.
 * @param machine default: this one.
 * @throws {SandboxError} `sandbox-unavailable`.
 * @throws the signal's reason.
 */
export async function connect(
  settings: PodmanSettings,
  signal: AbortSignal | undefined,
  machine: ConnectionMachine = thisMachine(settings),
): Promise<OwnService> {
  const named = namedService(machine.env);
  if (named !== undefined) {
    const client = await machine.serviceAt(named.socketPath, signal);
    if (client !== undefined) return shared(client);
    throw podmanUnavailable(
      `no service of Podman answers at the socket that ${named.source} names`,
      'Start one with `podman system service --time=0 unix://PATH`, or name another one.',
    );
  }
  // One that others have started may have another runtime.
  const found = settings.runtime === undefined ? await usualService(settings, signal, machine) : undefined;
  return found === undefined ? machine.startService(settings, signal) : shared(found);
}

function shared(client: PodmanClient): OwnService {
  return { client, [Symbol.asyncDispose]: () => Promise.resolve() };
}

/** The service that a variable names. @throws {SandboxError} `sandbox-unavailable` for one on another machine. */
function namedService(env: Readonly<Record<string, string | undefined>>): Named | undefined {
  for (const variable of passedVariables) {
    const value = env[variable];
    if (value === undefined || value === '') continue;
    const source = `the variable ${variable}`;
    return { socketPath: pathOf(value, source), source };
  }
  return undefined;
}

/** Staged files are on this machine, and so must be the service. */
function pathOf(address: string, source: string): string {
  const path = address.startsWith('unix://') ? address.slice('unix://'.length) : address;
  if (path.startsWith('/')) return path;
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(address)?.[1] ?? 'a relative path';
  throw podmanUnavailable(
    `${source} has an address of the kind ${scheme}, and only sockets of this machine can be used`,
    'Use an address such as unix:///run/podman/podman.sock.',
  );
}

async function usualService(
  settings: PodmanSettings,
  signal: AbortSignal | undefined,
  machine: ConnectionMachine,
): Promise<PodmanClient | undefined> {
  const { env, isRoot, serviceAt, listConnections: list } = machine;
  // A relative one is not valid: it would be a socket of the present folder.
  const configured = env['XDG_RUNTIME_DIR'] ?? '';
  const runtimeFolder = posix.isAbsolute(configured) ? configured : undefined;
  const uri = defaultUri((await list(settings, signal)) ?? '');
  const candidates = [
    uri === undefined ? undefined : pathOf(uri, 'the default connection of podman'),
    isRoot ? '/run/podman/podman.sock' : runtimeFolder && posix.join(runtimeFolder, 'podman/podman.sock'),
  ];
  for (const path of candidates) {
    const client = path && (await serviceAt(path, signal));
    if (client) return client;
  }
  return undefined;
}

async function listConnections(
  { program, clock }: PodmanSettings,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const { exitCode, stdout } = await runProcess(
    { command: program, args: ['system', 'connection', 'list', '--format', 'json'], cwd: '/' },
    {
      env: podmanEnvironment(),
      clock,
      timeoutMs: listMs,
      maxOutputBytes: maxListBytes,
      ...present({ signal }),
    },
  ).ended;
  return exitCode === 0 ? stdout : undefined;
}

/** The address of the connection that is configured as the default. */
function defaultUri(output: string): string | undefined {
  try {
    const list: unknown = JSON.parse(output);
    if (!Array.isArray(list)) return undefined;
    const found: unknown = list.find((entry) => isRecord(entry) && entry['Default'] === true);
    return isRecord(found) && typeof found['URI'] === 'string' ? found['URI'] : undefined;
  } catch {
    return undefined;
  }
}

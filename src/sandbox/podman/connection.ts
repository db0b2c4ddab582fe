import { join } from 'node:path';
import { isRecord } from '../../internal/index.ts';
import { startProcess } from '../../node/internal.ts';
import type { PodmanSettings } from './options.ts';
import { answers, type OwnService, podmanEnvironment, startOwnService } from './own-service.ts';
import { PodmanClient } from './podman-client.ts';
import { podmanUnavailable } from './podman-error.ts';

/** Variables that name a service, in the order of their precedence. */
const VARIABLES = ['CONTAINER_HOST', 'PODMAN_BASE_URL', 'DOCKER_HOST'] as const;
/** Only a machine that hangs needs so much. */
const LIST_MS = 30_000;
const MAX_LIST_BYTES = 65_536;

/** What names a service. */
interface Named {
  readonly socketPath: string;
  /** For messages. */
  readonly source: string;
}

/**
 * Finds a service of Podman, or starts one.
 * @throws {SandboxError} `sandbox-unavailable`.
 * @throws the signal's reason.
 */
export async function connect(
  settings: PodmanSettings,
  signal: AbortSignal | undefined,
): Promise<OwnService> {
  const named = namedService(settings, process.env);
  if (named !== undefined) {
    const client = new PodmanClient(named.socketPath);
    if (await answers(client, signal)) return shared(client);
    throw podmanUnavailable(
      `no service of Podman answers at the socket that ${named.source} names`,
      'Start one with `podman system service --time=0 unix://PATH`, or name another one.',
    );
  }
  // One that others have started may have another runtime.
  const found = settings.runtime === undefined ? await usualService(settings, signal) : undefined;
  return found === undefined ? startOwnService(settings, signal) : shared(found);
}

function shared(client: PodmanClient): OwnService {
  return { client, [Symbol.asyncDispose]: () => Promise.resolve() };
}

/** The service that options or variables name. @throws {SandboxError} `sandbox-unavailable` for one on another machine. */
export function namedService(
  { socketPath }: Pick<PodmanSettings, 'socketPath'>,
  env: Readonly<Record<string, string | undefined>>,
): Named | undefined {
  if (socketPath !== undefined)
    return { socketPath: pathOf(socketPath, 'the option socketPath'), source: 'the option socketPath' };
  for (const variable of VARIABLES) {
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
): Promise<PodmanClient | undefined> {
  const runtimeFolder = process.env['XDG_RUNTIME_DIR'];
  const usual =
    process.geteuid?.() === 0
      ? ['/run/podman/podman.sock']
      : runtimeFolder === undefined
        ? []
        : [join(runtimeFolder, 'podman/podman.sock')];
  const configured = await defaultConnection(settings, signal);
  for (const path of [...(configured === undefined ? [] : [configured]), ...usual]) {
    const client = new PodmanClient(path);
    if (await answers(client, signal)) return client;
  }
  return undefined;
}

/** The socket of the default connection that is configured for the program. */
async function defaultConnection(
  { program, clock }: PodmanSettings,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  let output = '';
  const { ended } = startProcess(
    { command: program, args: ['system', 'connection', 'list', '--format', 'json'], cwd: '/' },
    {
      env: podmanEnvironment(),
      signal,
      clock,
      timeoutMs: LIST_MS,
      onStdout: (chunk) => {
        if (output.length < MAX_LIST_BYTES) output += Buffer.from(chunk).toString('utf8');
      },
    },
  );
  if ((await ended).exitCode !== 0) return undefined;
  const uri = defaultUri(output);
  return uri === undefined ? undefined : pathOf(uri, 'the default connection of podman');
}

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

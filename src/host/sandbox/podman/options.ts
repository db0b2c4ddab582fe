import { assertOptions, SandboxError } from '../../../core/error/index.ts';
import { type Clock, systemClock } from '../../../core/session/index.ts';
import type { StagedFolderOptions } from '../../staged-folder/staging/options.ts';
import {
  resolveSandboxLimits,
  type SandboxLimitScopes,
  type SandboxLimits,
} from '../backend/sandbox-limits.ts';

/** The name of the backend. */
export const podmanBackend = 'podman';

/** Options of `podmanSandbox`. */
export interface PodmanSandboxOptions {
  /** The image, such as `docker.io/library/debian:bookworm-slim`. It must be there, and have `/bin/sh`: no image is ever pulled. */
  readonly image: string;
  /**
   * Limits of each command. Memory, processes and processors are those of the command with all its processes, by control groups.
   * Default: 1 GiB of memory, 256 processes, 1 processor, 256 MiB for one file.
   */
  readonly limits?: SandboxLimits;
  /** `full` gives commands the network that Podman gives by default. Default: `none`. */
  readonly network?: 'none' | 'full';
  /** Environment variables for every command, besides those of the image. Default: none but `HOME` and `TMPDIR`, which are `/tmp`. */
  readonly env?: Readonly<Record<string, string>>;
  /** Which files are staged. Files are always staged as a copy. Default: all of them. */
  readonly staging?: Omit<StagedFolderOptions, 'signal' | 'layer'>;
  /**
   * Bytes of the folder `/tmp` of a command, which is in memory and counts as such. A whole number above 0. Default: 67,108,864 (64 MiB).
   */
  readonly maxTemporaryBytes?: number;
  /**
   * The OCI runtime, such as `runc`. A service of Podman that was started by others may not honor it, which the self-test
   * finds. Default: that of Podman.
   */
  readonly runtime?: string;
  /**
   * The path of the socket of a service of Podman, which must be on this machine. Default: the variables `CONTAINER_HOST`, `PODMAN_BASE_URL` and `DOCKER_HOST`
   * in this order, then the default connection of the program `podman`, then its usual socket; when none answers, the program is
   * started as a service of this process's own.
   */
  readonly socketPath?: string;
  /** The program `podman`, to find a connection or to start a service. Default: `podman`, found in the `PATH` of this process. */
  readonly program?: string;
  /** The clock for time-outs. Default: the system clock. */
  readonly clock?: Clock;
}

/** Options with their defaults. */
export interface PodmanSettings {
  readonly image: string;
  readonly limits: SandboxLimits;
  readonly network: 'none' | 'full';
  readonly env: Readonly<Record<string, string>>;
  readonly staging: Omit<StagedFolderOptions, 'signal' | 'layer'>;
  readonly maxTemporaryBytes: number;
  readonly runtime: string | undefined;
  readonly socketPath: string | undefined;
  readonly program: string;
  readonly clock: Clock;
}

const mib = 1_048_576;

/** What control groups and the kernel enforce. */
export const podmanLimitScopes: SandboxLimitScopes = Object.freeze({
  maxMemoryBytes: 'command',
  maxProcesses: 'command',
  maxCpuMs: 'none',
  maxCpus: 'command',
  maxFileBytes: 'process',
});

const imageName = /^[a-zA-Z0-9][a-zA-Z0-9._:/@-]{0,255}$/;
const runtimeName = /^[a-zA-Z0-9/][a-zA-Z0-9._/-]{0,255}$/;

/** @throws {SandboxError} `sandbox-option-invalid`. */
export function resolvePodmanOptions(options: PodmanSandboxOptions): PodmanSettings {
  assertOptions(
    'podmanSandbox()',
    options,
    {
      clock: 'object',
      maxTemporaryBytes: 'number',
      image: 'string!',
      limits: 'object',
      network: 'string',
      env: 'object',
      staging: 'object',
      runtime: 'string',
      socketPath: 'string',
      program: 'string',
    },
    (message, { details }) => invalid(message, String(details['option'])),
  );
  const { image, network = 'none', maxTemporaryBytes = 64 * mib, runtime } = options;
  if (!imageName.test(image))
    throw invalid(`The option image is ${JSON.stringify(image)}; it must be the name of an image.`, 'image');
  if (runtime !== undefined && !runtimeName.test(runtime))
    throw invalid(
      `The option runtime is ${JSON.stringify(runtime)}; it must be the name of an OCI runtime, such as "runc".`,
      'runtime',
    );
  if (network !== 'none' && network !== 'full')
    throw invalid(
      `The option network is ${JSON.stringify(network)}; it must be "none" or "full".`,
      'network',
    );
  if (!Number.isSafeInteger(maxTemporaryBytes) || maxTemporaryBytes <= 0)
    throw invalid(
      `The option maxTemporaryBytes is ${maxTemporaryBytes}; it must be a whole number above 0.`,
      'maxTemporaryBytes',
    );
  const defaults = { maxMemoryBytes: 1024 * mib, maxProcesses: 256, maxCpus: 1, maxFileBytes: 256 * mib };
  return {
    image,
    limits: resolveSandboxLimits(
      podmanBackend,
      podmanLimitScopes,
      { ...defaults, ...options.limits },
      { maxCpuMs: 'Control groups limit processors, not processor time: see maxCpus.' },
    ),
    network,
    env: { HOME: '/tmp', TMPDIR: '/tmp', ...options.env },
    staging: options.staging ?? {},
    maxTemporaryBytes,
    runtime,
    socketPath: options.socketPath,
    program: options.program ?? 'podman',
    clock: options.clock ?? systemClock,
  };
}

function invalid(message: string, option: string): SandboxError {
  return new SandboxError('sandbox-option-invalid', message, { details: { backend: podmanBackend, option } });
}

import {
  assertOptions,
  integer,
  matching,
  number,
  type OptionsOf,
  oneOf,
  required,
  withDefaults,
} from '../../../core/error/index.ts';
import { present } from '../../../core/internal/index.ts';
import { type Clock, systemClock } from '../../../core/session/index.ts';
import { copyChecks, type StagedFolderOptions } from '../../staged-folder/staging/options.ts';
import { refuseOption } from '../backend/errors.ts';
import { notEnforced, type SandboxLimitScopes, type SandboxLimits } from '../backend/sandbox-limits.ts';

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
   * The OCI runtime, such as `runc`. A service of Podman that was started by others may not honor it, which the self-test
   * finds. Default: that of Podman.
   */
  readonly runtime?: string;
  /**
   * The program `podman`, to find a connection or to start a service: see docs/spec/sandboxes.md §5. Default: `podman`, found in the `PATH` of this process.
   */
  readonly program?: string;
  /** The clock for time-outs. Default: the system clock. */
  readonly clock?: Clock;
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

const limitChecks = {
  maxMemoryBytes: integer({ min: 1, default: 1024 * mib }),
  maxProcesses: integer({ min: 1, default: 256 }),
  maxCpuMs: notEnforced('control groups limit processors, not processor time: see maxCpus'),
  maxCpus: number({ above: 0, default: 1 }),
  maxFileBytes: integer({ min: 1, default: 256 * mib }),
} satisfies OptionsOf<SandboxLimits>;

const checks: OptionsOf<PodmanSandboxOptions> = {
  image: required(matching(imageName, 'the name of an image')),
  limits: limitChecks,
  network: oneOf(['none', 'full']),
  env: 'object',
  staging: copyChecks,
  runtime: matching(runtimeName, 'the name of an OCI runtime, such as "runc"'),
  program: 'string',
  clock: 'object',
};

/** Options with their defaults. */
export type PodmanSettings = Required<Omit<PodmanSandboxOptions, 'runtime'>> &
  Pick<PodmanSandboxOptions, 'runtime'>;

/** @throws {SandboxError} `sandbox-option-invalid`. */
export function podmanSettings(options: PodmanSandboxOptions): PodmanSettings {
  assertOptions('podmanSandbox()', options, checks, refuseOption(podmanBackend));
  return {
    network: 'none',
    staging: {},
    program: 'podman',
    clock: systemClock,
    ...present(options),
    env: { HOME: '/tmp', TMPDIR: '/tmp', ...options.env },
    limits: present(withDefaults(limitChecks, options.limits)),
  };
}

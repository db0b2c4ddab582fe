import { posix } from 'node:path';
import {
  assertOptions,
  integer,
  listOf,
  number,
  type OptionsOf,
  oneOf,
  withDefaults,
} from '../../../core/error/index.ts';
import { present } from '../../../core/internal/index.ts';
import { type Clock, systemClock } from '../../../core/session/index.ts';
import { type StagedFolderOptions, stagingChecks } from '../../staged-folder/staging/options.ts';
import { refuseOption } from '../backend/errors.ts';
import type { SandboxCapabilities } from '../backend/sandbox-backend.ts';
import { notEnforced, type SandboxLimitScopes, type SandboxLimits } from '../backend/sandbox-limits.ts';
import { nodePaths } from './read-only-paths.ts';

/** The name of the backend. */
export const bubblewrapBackend = 'bubblewrap';

/** Options of `bubblewrapSandbox`. */
export interface BubblewrapSandboxOptions {
  /**
   * Limits on what commands may use. Each process has its own limits of memory (its writable private memory), processor time and file size.
   * Processes are counted together, but only when this process does not run as root, whom the kernel exempts.
   * Default: 1 GiB of memory for each process, 256 MiB for one file and, where it can be enforced, 256 processes.
   */
  readonly limits?: SandboxLimits;
  /** `full` gives commands the network of this machine, with its loopback addresses. Default: `none`. */
  readonly network?: 'none' | 'full';
  /**
   * Absolute paths of this machine that commands can read under the same path, besides the system folders (`/usr`, `/bin`, `/lib` and
   * what belongs to them). Default: what `process.execPath` needs, so that `node` runs.
   */
  readonly readOnlyPaths?: readonly string[];
  /** Environment variables for every command. Default: none besides `PATH`, `HOME`, `TMPDIR` and `LANG`. */
  readonly env?: Readonly<Record<string, string>>;
  /** How files are staged, and what is not. Default: an overlay where the kernel allows one, else a copy. */
  readonly staging?: Omit<StagedFolderOptions, 'signal'>;
  /** The program. Default: `bwrap`, found in the `PATH` of this process. */
  readonly program?: string;
  /** The clock for time-outs. Default: the system clock. */
  readonly clock?: Clock;
}

const mib = 1_048_576;
/** Paths that the sandbox has of its own. */
const ownPaths = ['/', '/dev', '/proc', '/tmp', '/workspace'];

function isReadOnlyPath(path: unknown): boolean {
  if (typeof path !== 'string' || ownPaths.includes(path)) return false;
  return posix.isAbsolute(path) && posix.normalize(path) === path && !path.includes('\0');
}

/** What is enforced when this process runs as the given user. */
export function limitScopes(isRoot: boolean): SandboxLimitScopes {
  return Object.freeze({
    maxMemoryBytes: 'process',
    maxProcesses: isRoot ? 'none' : 'command',
    maxCpuMs: 'process',
    maxCpus: 'none',
    maxFileBytes: 'process',
  });
}

const limitChecks = {
  maxMemoryBytes: integer({ min: 1, default: 1024 * mib }),
  maxProcesses: integer({ min: 1, default: 256 }),
  maxCpuMs: number({ above: 0 }),
  maxCpus: notEnforced('nothing limits processors here; use another backend'),
  maxFileBytes: integer({ min: 1, default: 256 * mib }),
} satisfies OptionsOf<SandboxLimits>;

const limitChecksOfRoot = {
  ...limitChecks,
  maxProcesses: notEnforced(
    'the kernel does not limit the processes of root, and this process runs as root; use another backend',
  ),
} satisfies OptionsOf<SandboxLimits>;

const checks = {
  network: oneOf(['none', 'full']),
  readOnlyPaths: listOf<string>(
    isReadOnlyPath,
    `a list of absolute paths without "." and "..", and none of ${ownPaths.join(', ')}`,
  ),
  env: 'object',
  staging: stagingChecks,
  program: 'string',
  clock: 'object',
} satisfies OptionsOf<Omit<BubblewrapSandboxOptions, 'limits'>>;

/** Options with their defaults. */
export type BubblewrapSettings = Required<BubblewrapSandboxOptions>;

/** @throws {SandboxError} `sandbox-option-invalid`. */
export function bubblewrapSettings(options: BubblewrapSandboxOptions, isRoot: boolean): BubblewrapSettings {
  const limits = isRoot ? limitChecksOfRoot : limitChecks;
  assertOptions('bubblewrapSandbox()', options, { ...checks, limits }, refuseOption(bubblewrapBackend));
  return {
    network: 'none',
    readOnlyPaths: options.readOnlyPaths ?? nodePaths(process.execPath),
    env: {},
    staging: {},
    program: 'bwrap',
    clock: systemClock,
    ...present(options),
    limits: present(withDefaults(limits, options.limits)),
  };
}

/** What commands find, as one sentence for a model. */
export function describe(network: BubblewrapSettings['network']): SandboxCapabilities['description'] {
  const reach = network === 'none' ? 'there is no network' : 'the network can be reached';
  return `Commands run with sh and the installed programs of this machine, which are read-only; ${reach}.`;
}

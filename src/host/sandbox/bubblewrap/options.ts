import { posix } from 'node:path';
import { assertOptions, SandboxError } from '../../../core/error/index.ts';
import { present } from '../../../core/internal/index.ts';
import type { Clock } from '../../../core/session/index.ts';
import type { StagedFolderOptions } from '../../staged-folder/staging/options.ts';
import type { SandboxCapabilities } from '../backend/sandbox-backend.ts';
import {
  resolveSandboxLimits,
  type SandboxLimitScopes,
  type SandboxLimits,
} from '../backend/sandbox-limits.ts';
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

/** Options with their defaults. */
export interface BubblewrapSettings {
  readonly limits: SandboxLimits;
  readonly network: 'none' | 'full';
  readonly readOnlyPaths: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly staging: Omit<StagedFolderOptions, 'signal'>;
  readonly program: string;
  readonly clock: Clock | undefined;
}

const mib = 1_048_576;
const rootReason = 'The kernel does not limit the processes of root, and this process runs as root.';
/** Paths that the sandbox has of its own. */
const ownPaths = ['/', '/dev', '/proc', '/tmp', '/workspace'];

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

/** @throws {SandboxError} `sandbox-option-invalid`. */
export function resolveOptions(options: BubblewrapSandboxOptions, isRoot: boolean): BubblewrapSettings {
  assertOptions(
    'bubblewrapSandbox()',
    options,
    {
      clock: 'object',
      limits: 'object',
      network: 'string',
      readOnlyPaths: 'array',
      env: 'object',
      staging: 'object',
      program: 'string',
    },
    (message, { details }) => invalid(message, String(details['option'])),
  );
  const { network = 'none', readOnlyPaths = nodePaths(process.execPath), env = {}, staging = {} } = options;
  if (network !== 'none' && network !== 'full')
    throw invalid(
      `The option network is ${JSON.stringify(network)}; it must be "none" or "full".`,
      'network',
    );
  readOnlyPaths.forEach((path, index) => {
    const isUsable = posix.isAbsolute(path) && posix.normalize(path) === path && !path.includes('\0');
    if (isUsable && !ownPaths.includes(path)) return;
    const list = ownPaths.join(', ');
    throw invalid(
      `The option readOnlyPaths[${index}] must be an absolute path without "." and "..", and not one of ${list}.`,
      'readOnlyPaths',
    );
  });
  const scopes = limitScopes(isRoot);
  const defaults: SandboxLimits = {
    maxMemoryBytes: 1024 * mib,
    maxFileBytes: 256 * mib,
    ...present({ maxProcesses: isRoot ? undefined : 256 }),
  };
  const limits = resolveSandboxLimits(
    bubblewrapBackend,
    scopes,
    { ...defaults, ...options.limits },
    { maxProcesses: rootReason },
  );
  return {
    limits,
    network,
    readOnlyPaths,
    env,
    staging,
    program: options.program ?? 'bwrap',
    clock: options.clock,
  };
}

/** What commands find, as one sentence for a model. */
export function describe(network: BubblewrapSettings['network']): SandboxCapabilities['description'] {
  const reach = network === 'none' ? 'there is no network' : 'the network can be reached';
  return `Commands run with sh and the installed programs of this machine, which are read-only; ${reach}.`;
}

function invalid(message: string, option: string): SandboxError {
  return new SandboxError('sandbox-option-invalid', message, {
    details: { backend: bubblewrapBackend, option },
  });
}

import {
  assertOptions,
  integer,
  listOf,
  type OptionsOf,
  required,
  rule,
  withDefaults,
} from '../../../core/error/index.ts';
import { type Clock, systemClock } from '../../../core/session/index.ts';
import { refuseOption } from '../backend/errors.ts';
import { notEnforced, type SandboxLimitScopes, type SandboxLimits } from '../backend/sandbox-limits.ts';

/** The name of the backend. */
export const virtualBackend = 'virtual';

/** The methods of HTTP that can be allowed. */
export type VirtualNetworkMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'OPTIONS';

/** What `curl` can reach. */
export interface VirtualNetworkOptions {
  /**
   * The addresses, at least one: an origin such as `https://api.example.com`, or an origin with a path, whose last segment is whole:
   * `https://api.example.com/v1` allows `/v1` and `/v1/users`, not `/v10`. Each redirect is checked, too.
   */
  readonly allow: readonly string[];
  /** Default: `['GET', 'HEAD']`. */
  readonly methods?: readonly VirtualNetworkMethod[];
  /** True: addresses of this machine and of private networks can be reached when `allow` has them. Default: false. */
  readonly allowPrivateRanges?: boolean;
}

/** Options of `virtualSandbox`. */
export interface VirtualSandboxOptions {
  /**
   * Limits on what a command may use. `maxMemoryBytes` is the heap of the interpreter, at least 64 MiB;
   * one string, such as the value of a variable or the output of a program, may take a sixteenth of it.
   * Default: 512 MiB of memory, 32 MiB for one file.
   */
  readonly limits?: SandboxLimits;
  /** Gives commands the program `curl` for some addresses. Default: no network. */
  readonly network?: VirtualNetworkOptions;
  /** Environment variables for every command. Default: none besides `PATH`, `HOME`, `TMPDIR` and `LANG`. */
  readonly env?: Readonly<Record<string, string>>;
  /** The clock for time-outs. Default: the system clock. */
  readonly clock?: Clock;
}

/** The network, as `just-bash` takes it. */
export interface VirtualNetwork {
  readonly allowedUrlPrefixes: readonly string[];
  readonly allowedMethods: readonly VirtualNetworkMethod[];
  readonly denyPrivateRanges: boolean;
}

const mib = 1_048_576;
/** The interpreter itself takes about 30 MiB. */
const minMemoryBytes = 64 * mib;
const httpMethods: readonly VirtualNetworkMethod[] = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'OPTIONS',
];

/** What is enforced. There are no processes, and the thread's processor time is its time limit. */
export const virtualLimitScopes: SandboxLimitScopes = Object.freeze({
  maxMemoryBytes: 'command',
  maxProcesses: 'none',
  maxCpuMs: 'none',
  maxCpus: 'none',
  maxFileBytes: 'command',
});

function isAddress(address: unknown): boolean {
  if (typeof address !== 'string' || !URL.canParse(address)) return false;
  const { protocol, username, password, search, hash } = new URL(address);
  return (protocol === 'https:' || protocol === 'http:') && username + password + search + hash === '';
}

const limitChecks = {
  maxMemoryBytes: integer({ min: minMemoryBytes, default: 512 * mib }),
  maxProcesses: notEnforced('there are no processes'),
  maxCpuMs: notEnforced('limit the time of the command instead'),
  maxCpus: notEnforced('a command uses one thread'),
  maxFileBytes: integer({ min: 1, default: 32 * mib }),
} satisfies OptionsOf<SandboxLimits>;

const networkChecks: OptionsOf<VirtualNetworkOptions> = {
  allow: required(
    rule(
      (addresses) => Array.isArray(addresses) && addresses.length > 0 && addresses.every(isAddress),
      'a list of at least one http or https address without user, query and fragment, such as ["https://api.example.com/v1"]',
    ),
  ),
  methods: listOf(
    (method) => httpMethods.some((known) => known === method),
    `a list of ${httpMethods.join(', ')}`,
  ),
  allowPrivateRanges: 'boolean',
};

const checks: OptionsOf<VirtualSandboxOptions> = {
  limits: limitChecks,
  network: networkChecks,
  env: 'object',
  clock: 'object',
};

/** Options with their defaults. */
export interface VirtualSettings {
  readonly maxMemoryBytes: number;
  readonly maxFileBytes: number;
  readonly network: VirtualNetwork | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

/** @throws {SandboxError} `sandbox-option-invalid`. */
export function virtualSettings(options: VirtualSandboxOptions): VirtualSettings {
  assertOptions('virtualSandbox()', options, checks, refuseOption(virtualBackend));
  const { network, env = {}, clock = systemClock } = options;
  const { maxMemoryBytes, maxFileBytes } = withDefaults(limitChecks, options.limits);
  return {
    maxMemoryBytes,
    maxFileBytes,
    network: network && networkOf(network),
    env,
    clock,
  };
}

function networkOf({
  allow,
  methods = ['GET', 'HEAD'],
  allowPrivateRanges = false,
}: VirtualNetworkOptions): VirtualNetwork {
  return {
    allowedUrlPrefixes: [...allow],
    allowedMethods: [...methods],
    denyPrivateRanges: !allowPrivateRanges,
  };
}

/** What commands find, as one sentence for a model. */
export function describeVirtual(network: VirtualNetwork | undefined): string {
  const reach =
    network === undefined
      ? 'there is no network'
      : `curl reaches only ${network.allowedUrlPrefixes.join(', ')} (${network.allowedMethods.join(', ')})`;
  return (
    'Commands run in an interpreter of bash scripts with the usual text tools (grep, sed, awk, sort, find, jq, tar and the like); ' +
    `there are no programs of a machine (no git, make, node or python), no background jobs and no symbolic links, and ${reach}.`
  );
}

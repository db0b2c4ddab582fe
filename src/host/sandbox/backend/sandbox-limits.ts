import { SandboxError } from '../../../core/error/index.ts';

/** Limits on what the commands of a sandbox may use. Each is enforced by the backend; one that is left out is not set. */
export interface SandboxLimits {
  /** Bytes of memory; a whole number above 0. Whether for each process or all together: see {@link SandboxCapabilities}. */
  readonly maxMemoryBytes?: number;
  /** Processes and threads that exist at the same time; a whole number above 0. */
  readonly maxProcesses?: number;
  /** Milliseconds of processor time; above 0. */
  readonly maxCpuMs?: number;
  /** Processors that are used at the same time, such as 0.5; above 0. */
  readonly maxCpus?: number;
  /** Bytes of one file that a command writes; a whole number above 0. */
  readonly maxFileBytes?: number;
}

/** Which limits a backend enforces, and for what: for each process, for all of a command together, or not at all. */
export type SandboxLimitScopes = Readonly<Record<keyof SandboxLimits, 'process' | 'command' | 'none'>>;

const wholeLimits: ReadonlySet<keyof SandboxLimits> = new Set([
  'maxMemoryBytes',
  'maxProcesses',
  'maxFileBytes',
]);

/**
 * The given limits, checked against what the backend enforces.
 * @param reasons why the backend does not enforce a limit, for messages.
 * @throws {SandboxError} `sandbox-option-invalid` for an unknown limit, a bad value, or a limit that the backend does not enforce.
 */
export function resolveSandboxLimits(
  backend: string,
  scopes: SandboxLimitScopes,
  limits: SandboxLimits,
  reasons: Partial<Readonly<Record<keyof SandboxLimits, string>>> = {},
): SandboxLimits {
  const enforced = limitNames(scopes).filter((name) => scopes[name] !== 'none');
  for (const [name, value] of Object.entries(limits)) {
    if (!isLimitName(scopes, name)) {
      throw invalid(backend, name, `There is no limit "${name}". Its limits are: ${list(enforced)}.`);
    }
    if (value === undefined) continue;
    if (scopes[name] === 'none') {
      const reason = reasons[name] ?? `The backend "${backend}" does not enforce it.`;
      throw invalid(
        backend,
        name,
        `The limit ${name} is not available. ${reason} Leave it out, or use another backend. The backend "${backend}" enforces: ${list(enforced)}.`,
      );
    }
    const isUsable =
      typeof value === 'number' &&
      (wholeLimits.has(name) ? Number.isSafeInteger(value) : Number.isFinite(value));
    if (!isUsable || !(value > 0)) {
      const wanted = wholeLimits.has(name) ? 'a whole number above 0' : 'a number above 0';
      throw invalid(backend, name, `The limit ${name} is ${String(value)}; it must be ${wanted}.`);
    }
  }
  return Object.freeze({ ...limits });
}

function limitNames(scopes: SandboxLimitScopes): readonly (keyof SandboxLimits)[] {
  return Object.keys(scopes).filter((name) => isLimitName(scopes, name));
}

function isLimitName(scopes: SandboxLimitScopes, name: string): name is keyof SandboxLimits {
  return Object.hasOwn(scopes, name);
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.join(', ');
}

function invalid(backend: string, option: string, message: string): SandboxError {
  return new SandboxError('sandbox-option-invalid', message, {
    details: { backend, option: `limits.${option}` },
  });
}

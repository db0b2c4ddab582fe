import { type OptionRule, rule } from '../../../core/error/index.ts';

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

/** A limit that a backend does not enforce. @param why to be read after "left out". */
export function notEnforced(why: string): OptionRule<never, undefined> {
  return rule(() => false, `left out: ${why}`);
}

/** Bytes of the folder `/tmp` of a sandbox, which is in memory. */
export const temporaryBytes = 268_435_456;

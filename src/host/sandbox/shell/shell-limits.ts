import {
  integer,
  maxTimerMs,
  number,
  type OptionRule,
  type OptionsOf,
  oneOf,
  SandboxError,
} from '../../../core/error/index.ts';
import { defaultOutputBytes } from '../backend/command.ts';

/** Limits of one `shell_execute` call. */
export interface ShellLimits {
  /** Milliseconds that a command may take unless the call says otherwise; above 0. Default: 30,000. */
  readonly timeoutMs: number;
  /** The longest time that a call may ask for; at least `timeoutMs`. Default: 300,000, or `timeoutMs` where that is longer. */
  readonly maxTimeoutMs: number;
  /** Bytes kept of each output, half of them from its start; a whole number of at least 0. Default: 32,768. */
  readonly maxOutputBytes: number;
}

const timeout = number({ above: 0, max: maxTimerMs });
/** What the limits must be. */
export const shellLimitChecks: OptionsOf<ShellLimits> = {
  timeoutMs: timeout,
  maxTimeoutMs: timeout,
  maxOutputBytes: integer({ min: 0 }),
};

/** When the changes of a command are dropped: when it fails, or only when it cannot be completed. */
export type ShellRollback = 'failure' | 'never';

/** What the option `rollbackOn` must be. */
export const rollbackCheck: OptionRule<ShellRollback> = oneOf(['failure', 'never']);

/** The limits with their defaults. @throws {SandboxError} `sandbox-option-invalid` when they contradict each other. */
export function shellLimitsOf(limits: Partial<ShellLimits> = {}): ShellLimits {
  const { timeoutMs = 30_000, maxOutputBytes = defaultOutputBytes } = limits;
  const { maxTimeoutMs = Math.max(300_000, timeoutMs) } = limits;
  if (maxTimeoutMs < timeoutMs)
    throw new SandboxError(
      'sandbox-option-invalid',
      `The limit maxTimeoutMs is ${maxTimeoutMs}; it must be at least timeoutMs, which is ${timeoutMs}.`,
      { details: { option: 'limits.maxTimeoutMs' } },
    );
  return { timeoutMs, maxTimeoutMs, maxOutputBytes };
}

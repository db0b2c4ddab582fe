import { SandboxError } from '../../../core/error/index.ts';
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

/** The longest delay that timers can keep. */
const maxTimerMs = 2_147_483_647;
const limitNames: readonly string[] = [
  'timeoutMs',
  'maxTimeoutMs',
  'maxOutputBytes',
] satisfies readonly (keyof ShellLimits)[];

/** @throws {SandboxError} `sandbox-option-invalid`. */
export function resolveShellLimits(limits: Partial<ShellLimits> = {}): ShellLimits {
  for (const name of Object.keys(limits)) {
    if (!limitNames.includes(name))
      throw invalid(name, `There is no limit "${name}"; the limits are: ${limitNames.join(', ')}.`);
  }
  const { timeoutMs = 30_000, maxOutputBytes = defaultOutputBytes } = limits;
  const { maxTimeoutMs = Math.max(300_000, timeoutMs) } = limits;
  for (const [name, value] of Object.entries({ timeoutMs, maxTimeoutMs })) {
    if (typeof value !== 'number' || !(value > 0 && value <= maxTimerMs))
      throw invalid(
        name,
        `The limit ${name} is ${String(value)}; it must be above 0 and at most ${maxTimerMs}.`,
      );
  }
  if (maxTimeoutMs < timeoutMs)
    throw invalid(
      'maxTimeoutMs',
      `The limit maxTimeoutMs is ${maxTimeoutMs}; it must be at least timeoutMs, which is ${timeoutMs}.`,
    );
  if (!Number.isSafeInteger(maxOutputBytes) || maxOutputBytes < 0)
    throw invalid(
      'maxOutputBytes',
      `The limit maxOutputBytes is ${String(maxOutputBytes)}; it must be a whole number of at least 0.`,
    );
  return { timeoutMs, maxTimeoutMs, maxOutputBytes };
}

function invalid(name: string, message: string): SandboxError {
  return new SandboxError('sandbox-option-invalid', message, { details: { option: `limits.${name}` } });
}

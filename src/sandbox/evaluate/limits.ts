import { SandboxError } from '../../error/index.ts';

/** Limits of one `evaluate_code` call. Each is a whole number of at least 1. */
export interface EvaluateLimits {
  /** Characters of code. Default: 8,000; at most 32,000. */
  readonly maxCodeCharacters: number;
  /** Milliseconds that code may take. Its process is killed at 1.5 times of it. Default: 5,000. */
  readonly timeoutMs: number;
  /** Bytes of memory that the interpreter may use. Default: 67,108,864 (64 MiB). */
  readonly maxMemoryBytes: number;
  /** Characters kept of what the code prints, and of its value. Default: 20,000. */
  readonly maxOutputCharacters: number;
  /** Paths in `reads`, and in `writes`. Default: 20. */
  readonly maxFiles: number;
  /** Characters of all files read, and of all files written. Default: 2,000,000. */
  readonly maxFileCharacters: number;
}

const DEFAULTS: EvaluateLimits = {
  maxCodeCharacters: 8000,
  timeoutMs: 5000,
  maxMemoryBytes: 67_108_864,
  maxOutputCharacters: 20_000,
  maxFiles: 20,
  maxFileCharacters: 2_000_000,
};
/** The parser of Monty overflows its stack above 100,000. */
const MAX_CODE_CHARACTERS = 32_000;

/** @throws {SandboxError} `sandbox-option-invalid`. */
export function resolveEvaluateLimits(limits: Partial<EvaluateLimits> = {}): EvaluateLimits {
  for (const [name, value] of Object.entries(limits)) {
    const most = name === 'maxCodeCharacters' ? MAX_CODE_CHARACTERS : 1_073_741_824;
    if (!Object.hasOwn(DEFAULTS, name) || !Number.isSafeInteger(value) || value < 1 || value > most)
      throw new SandboxError(
        'sandbox-option-invalid',
        Object.hasOwn(DEFAULTS, name)
          ? `The limit ${name} is ${String(value)}; it must be a whole number from 1 to ${most}.`
          : `There is no limit "${name}"; the limits are: ${Object.keys(DEFAULTS).join(', ')}.`,
        { details: { option: `limits.${name}` } },
      );
  }
  return { ...DEFAULTS, ...limits };
}

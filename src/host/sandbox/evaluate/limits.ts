import { SandboxError } from '../../../core/error/index.ts';
import { defaultOutputBytes } from '../backend/command.ts';

/** Limits of one `evaluate_code` call. All are whole numbers. */
export interface CodeEvaluationLimits {
  /** Characters of code, from 1 to 32,000. Default: 8,000. */
  readonly maxCodeCharacters: number;
  /** Milliseconds that code may take, from 1 to 1,000,000,000. Its process is killed at 1.5 times of it. Default: 5,000. */
  readonly timeoutMs: number;
  /** Bytes of memory that the interpreter may use for the values of the code, from 1 MiB to 1 GiB. Default: 67,108,864 (64 MiB). */
  readonly maxMemoryBytes: number;
  /**
   * Bytes kept of each output, half of them from its start, and the most that the value may have as text; from 1 to 16 MiB.
   * Default: 32,768.
   */
  readonly maxOutputBytes: number;
  /** Paths in `reads`, and in `writes`, from 1 to 1,000. Default: 20. */
  readonly maxFiles: number;
  /** Bytes of all files read together, and of all files written, from 1 to 32 MiB. Default: 2,097,152 (2 MiB). */
  readonly maxTotalFileBytes: number;
}

const mib = 1_048_576;
/** The default, the least and the most of each limit. */
const ranges: Readonly<Record<keyof CodeEvaluationLimits, readonly [number, number, number]>> = {
  // The parser of Monty overflows its stack above 100,000.
  maxCodeCharacters: [8000, 1, 32_000],
  timeoutMs: [5000, 1, 1_000_000_000],
  maxMemoryBytes: [64 * mib, mib, 1024 * mib],
  maxOutputBytes: [defaultOutputBytes, 1, 16 * mib],
  maxFiles: [20, 1, 1000],
  // A message is one string of JSON, in which a byte can take six.
  maxTotalFileBytes: [2 * mib, 1, 32 * mib],
};

/** @throws {SandboxError} `sandbox-option-invalid`. */
export function resolveEvaluateLimits(limits: Partial<CodeEvaluationLimits> = {}): CodeEvaluationLimits {
  for (const name of Object.keys(limits)) {
    if (!Object.hasOwn(ranges, name))
      throw invalid(name, `There is no limit "${name}"; the limits are: ${Object.keys(ranges).join(', ')}.`);
  }
  const limit = (name: keyof CodeEvaluationLimits): number => {
    const [usual, least, most] = ranges[name];
    const value = limits[name] ?? usual;
    if (!Number.isSafeInteger(value) || value < least || value > most)
      throw invalid(
        name,
        `The limit ${name} is ${String(value)}; it must be a whole number from ${least} to ${most}.`,
      );
    return value;
  };
  return {
    maxCodeCharacters: limit('maxCodeCharacters'),
    timeoutMs: limit('timeoutMs'),
    maxMemoryBytes: limit('maxMemoryBytes'),
    maxOutputBytes: limit('maxOutputBytes'),
    maxFiles: limit('maxFiles'),
    maxTotalFileBytes: limit('maxTotalFileBytes'),
  };
}

function invalid(name: string, message: string): SandboxError {
  return new SandboxError('sandbox-option-invalid', message, { details: { option: `limits.${name}` } });
}

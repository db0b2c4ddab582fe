import { integer, type LimitsOf } from '../../../core/error/index.ts';
import { defaultOutputBytes } from '../backend/command.ts';

/** Limits of one `evaluate_code` call. All are whole numbers. */
export interface CodeEvaluationLimits {
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
/** What the limits must be. */
export const evaluateLimitChecks: LimitsOf<CodeEvaluationLimits> = {
  timeoutMs: integer({ min: 1, max: 1_000_000_000, default: 5000 }),
  maxMemoryBytes: integer({ min: mib, max: 1024 * mib, default: 64 * mib }),
  maxOutputBytes: integer({ min: 1, max: 16 * mib, default: defaultOutputBytes }),
  maxFiles: integer({ min: 1, max: 1000, default: 20 }),
  // A message is one string of JSON, in which a byte can take six.
  maxTotalFileBytes: integer({ min: 1, max: 32 * mib, default: 2 * mib }),
};

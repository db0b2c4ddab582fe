/** Machine-readable facts about an error. JSON-safe by contract; never holds secrets or host paths. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/** Options of {@link WinkError}. */
export interface WinkErrorOptions<Code extends string = string> {
  /** Stable identifier of the problem, in kebab-case. Part of the public interface: it changes only in a major version. */
  readonly code: Code;
  /** The value that led to this error, as it was thrown. */
  readonly cause?: unknown;
  /** Facts for programs. Default: none. */
  readonly details?: ErrorDetails;
}

const marker: unique symbol = Symbol.for('weakincentives.error');

/** True when `value` carries the marker of an error class of this library, from this or another loaded copy. */
export function hasErrorMarker(value: unknown, className?: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  try {
    return marker in value && (className === undefined || value[marker] === className);
  } catch {
    // A proxy that throws is not an error of this library.
    return false;
  }
}

/**
 * Base class of every error this library throws. `message` says what happened, which value was involved and what to do;
 * `code` is stable for programs.
 */
export class WinkError<Code extends string = string> extends Error {
  readonly code: Code;
  readonly details: ErrorDetails;

  constructor(name: string, message: string, options: WinkErrorOptions<Code>) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = name;
    this.code = options.code;
    this.details = Object.freeze({ ...options.details });
    Object.defineProperty(this, marker, { value: name });
  }

  /** Recognizes any error of this library, including one from another loaded copy of the package. */
  static isInstance(value: unknown): value is WinkError {
    return hasErrorMarker(value);
  }
}

import { hasErrorMarker, WinkError, type WinkErrorOptions } from './wink-error.ts';

/**
 * An invalid definition of a prompt, section, tool or policy. `details` name the section path, tool or placeholder.
 *
 * Code: `prompt-invalid`.
 * What to do: correct the definition: the message says where and what would be right.
 */
export class PromptValidationError extends WinkError<'prompt-invalid'> {
  constructor(message: string, options: Omit<WinkErrorOptions, 'code'> = {}) {
    super('PromptValidationError', message, { code: 'prompt-invalid', ...options });
  }

  /** Recognizes this error, including one from another loaded copy of the package. */
  static override isInstance(value: unknown): value is PromptValidationError {
    return hasErrorMarker(value, 'PromptValidationError');
  }
}

/**
 * A prompt that could not be rendered with the given params and session.
 *
 * Code: `prompt-render-failed`.
 * What to do: pass params that fit, or read the `cause` when a function of the template threw.
 */
export class PromptRenderError extends WinkError<'prompt-render-failed'> {
  constructor(message: string, options: Omit<WinkErrorOptions, 'code'> = {}) {
    super('PromptRenderError', message, { code: 'prompt-render-failed', ...options });
  }

  /** Recognizes this error, including one from another loaded copy of the package. */
  static override isInstance(value: unknown): value is PromptRenderError {
    return hasErrorMarker(value, 'PromptRenderError');
  }
}

/**
 * Thrown by a handler whose params are inconsistent. Becomes a failed result that starts with `Tool validation failed:`.
 *
 * Code: `tool-validation-failed`.
 * What to do: nothing: the model reads the message and calls again.
 */
export class ToolValidationError extends WinkError<'tool-validation-failed'> {
  constructor(message: string, options: Omit<WinkErrorOptions, 'code'> = {}) {
    super('ToolValidationError', message, { code: 'tool-validation-failed', ...options });
  }

  /** Recognizes this error, including one from another loaded copy of the package. */
  static override isInstance(value: unknown): value is ToolValidationError {
    return hasErrorMarker(value, 'ToolValidationError');
  }
}

/**
 * Codes of {@link OverridesError}.
 *
 * - `overrides-corrupt`: the stored value is not JSON, or does not have the shape of overrides.
 *   What to do: repair the file that the message names, or write it again with `wink prompt seed --refresh`.
 * - `overrides-mismatched`: they were made for another prompt or tag.
 *   What to do: name the tag and the prompt that they were made for.
 * - `overrides-version-unsupported`: they were written by a newer version of the library.
 *   What to do: upgrade the library.
 * - `overrides-conflicting`: another process changed them in the meantime, or holds the lock.
 *   What to do: load them again, then save.
 * - `overrides-storage-failed`: they could not be read or written.
 *   What to do: read the `cause`: permissions, a full disk.
 */
export type OverridesErrorCode =
  | 'overrides-corrupt'
  | 'overrides-mismatched'
  | 'overrides-version-unsupported'
  | 'overrides-conflicting'
  | 'overrides-storage-failed';

/** Prompt overrides that could not be loaded, saved or used at all. A single stale entry is not an error: it is dropped and reported. */
export class OverridesError extends WinkError<OverridesErrorCode> {
  constructor(code: OverridesErrorCode, message: string, options: Omit<WinkErrorOptions, 'code'> = {}) {
    super('OverridesError', message, { code, ...options });
  }

  /** Recognizes this error, including one from another loaded copy of the package. */
  static override isInstance(value: unknown): value is OverridesError {
    return hasErrorMarker(value, 'OverridesError');
  }
}

import { type ErrorDetails, hasErrorMarker, WinkError } from './wink-error.ts';

/**
 * A prompt, section, tool or policy that is put together wrongly. `details` name the section path, tool or placeholder.
 *
 * Code: `prompt-invalid`.
 */
export class PromptValidationError extends WinkError<'prompt-invalid'> {
  constructor(message: string, options: { readonly cause?: unknown; readonly details?: ErrorDetails } = {}) {
    super('PromptValidationError', message, { code: 'prompt-invalid', ...options });
  }

  /** Recognises this error, also one made by another loaded copy of the package. */
  static override isInstance(value: unknown): value is PromptValidationError {
    return hasErrorMarker(value, 'PromptValidationError');
  }
}

/**
 * A prompt that could not be rendered with the given params and session.
 *
 * Code: `prompt-render-failed`.
 */
export class PromptRenderError extends WinkError<'prompt-render-failed'> {
  constructor(message: string, options: { readonly cause?: unknown; readonly details?: ErrorDetails } = {}) {
    super('PromptRenderError', message, { code: 'prompt-render-failed', ...options });
  }

  /** Recognises this error, also one made by another loaded copy of the package. */
  static override isInstance(value: unknown): value is PromptRenderError {
    return hasErrorMarker(value, 'PromptRenderError');
  }
}

/**
 * Thrown by a handler to say that its params make no sense together. Becomes a failed result that starts with `Tool validation failed:`.
 *
 * Code: `tool-validation-failed`.
 */
export class ToolValidationError extends WinkError<'tool-validation-failed'> {
  constructor(message: string, options: { readonly cause?: unknown; readonly details?: ErrorDetails } = {}) {
    super('ToolValidationError', message, { code: 'tool-validation-failed', ...options });
  }

  /** Recognises this error, also one made by another loaded copy of the package. */
  static override isInstance(value: unknown): value is ToolValidationError {
    return hasErrorMarker(value, 'ToolValidationError');
  }
}

/**
 * What went wrong with prompt overrides.
 *
 * - `overrides-corrupt`: what is stored is no JSON, or not of the form of overrides.
 * - `overrides-mismatched`: they were made for another prompt or tag.
 * - `overrides-version-unsupported`: they were written by a newer version of the library.
 * - `overrides-conflicting`: somebody else changed them meanwhile, or holds them.
 * - `overrides-storage-failed`: they could not be read or written.
 */
export type OverridesErrorCode =
  | 'overrides-corrupt'
  | 'overrides-mismatched'
  | 'overrides-version-unsupported'
  | 'overrides-conflicting'
  | 'overrides-storage-failed';

/** Prompt overrides that could not be loaded, kept or used at all. A single stale entry is no error: it is dropped and reported. */
export class OverridesError extends WinkError<OverridesErrorCode> {
  constructor(
    code: OverridesErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly details?: ErrorDetails } = {},
  ) {
    super('OverridesError', message, { code, ...options });
  }

  /** Recognises this error, also one made by another loaded copy of the package. */
  static override isInstance(value: unknown): value is OverridesError {
    return hasErrorMarker(value, 'OverridesError');
  }
}

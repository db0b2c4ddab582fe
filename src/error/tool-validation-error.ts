import { type ErrorDetails, hasErrorMarker, WinkError } from './wink-error.ts';

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

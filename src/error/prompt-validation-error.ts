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

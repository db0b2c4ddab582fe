import { type ErrorDetails, hasErrorMarker, WinkError } from './wink-error.ts';

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

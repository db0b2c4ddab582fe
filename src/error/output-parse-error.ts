import { type ErrorDetails, hasErrorMarker, WinkError } from './wink-error.ts';

/**
 * A final answer of the model that does not fit the prompt's output schema. `details.text` holds the answer.
 *
 * Code: `output-parse-failed`.
 */
export class OutputParseError extends WinkError<'output-parse-failed'> {
  constructor(message: string, options: { readonly cause?: unknown; readonly details?: ErrorDetails } = {}) {
    super('OutputParseError', message, { code: 'output-parse-failed', ...options });
  }

  /** Recognises this error, also one made by another loaded copy of the package. */
  static override isInstance(value: unknown): value is OutputParseError {
    return hasErrorMarker(value, 'OutputParseError');
  }
}

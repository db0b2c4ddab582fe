import { type ErrorDetails, hasErrorMarker, WinkError } from './wink-error.ts';

/**
 * Codes of {@link ModelResponseError}.
 *
 * - `model-response-failed`: the provider answered that it failed, for a reason that another attempt would not change.
 * - `model-response-invalid`: the answer does not have the shape that the provider's interface promises.
 * - `model-response-empty`: the answer says nothing: no text, no call, no output of a hosted tool.
 * - `model-context-exceeded`: the request is longer than what the model can look at.
 */
export type ModelResponseErrorCode =
  | 'model-response-failed'
  | 'model-response-invalid'
  | 'model-response-empty'
  | 'model-context-exceeded';

/**
 * A model provider answered, but the answer cannot be used. Thrown by a model provider, it ends the evaluation in
 * phase `response` and is the cause of the error.
 */
export class ModelResponseError extends WinkError<ModelResponseErrorCode> {
  constructor(
    code: ModelResponseErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly details?: ErrorDetails } = {},
  ) {
    super('ModelResponseError', message, { code, ...options });
  }

  /** Recognises this error, also one made by another loaded copy of the package. */
  static override isInstance(value: unknown): value is ModelResponseError {
    return hasErrorMarker(value, 'ModelResponseError');
  }
}

import { type ErrorDetails, hasErrorMarker, WinkError } from './wink-error.ts';

/**
 * The deadline of a run has passed.
 *
 * Code: `deadline-exceeded`.
 */
export class DeadlineExceededError extends WinkError<'deadline-exceeded'> {
  constructor(message: string, options: { readonly cause?: unknown; readonly details?: ErrorDetails } = {}) {
    super('DeadlineExceededError', message, { code: 'deadline-exceeded', ...options });
  }

  /** Recognises this error, also one made by another loaded copy of the package. */
  static override isInstance(value: unknown): value is DeadlineExceededError {
    return hasErrorMarker(value, 'DeadlineExceededError');
  }
}

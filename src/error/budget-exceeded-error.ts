import { type ErrorDetails, hasErrorMarker, WinkError } from './wink-error.ts';

/**
 * A token or cost budget of a run is used up.
 *
 * Code: `budget-exceeded`.
 */
export class BudgetExceededError extends WinkError<'budget-exceeded'> {
  constructor(message: string, options: { readonly cause?: unknown; readonly details?: ErrorDetails } = {}) {
    super('BudgetExceededError', message, { code: 'budget-exceeded', ...options });
  }

  /** Recognises this error, also one made by another loaded copy of the package. */
  static override isInstance(value: unknown): value is BudgetExceededError {
    return hasErrorMarker(value, 'BudgetExceededError');
  }
}

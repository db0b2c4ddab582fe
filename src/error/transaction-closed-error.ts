import { type ErrorDetails, hasErrorMarker, WinkError } from './wink-error.ts';

/**
 * An access through the view of a tool call that has ended. Nothing it would have written lands anywhere.
 *
 * Code: `transaction-closed`.
 */
export class TransactionClosedError extends WinkError<'transaction-closed'> {
  constructor(message: string, options: { readonly cause?: unknown; readonly details?: ErrorDetails } = {}) {
    super('TransactionClosedError', message, { code: 'transaction-closed', ...options });
  }

  /** Recognises this error, also one made by another loaded copy of the package. */
  static override isInstance(value: unknown): value is TransactionClosedError {
    return hasErrorMarker(value, 'TransactionClosedError');
  }
}

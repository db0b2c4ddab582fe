import { type ErrorDetails, hasErrorMarker, WinkError } from './wink-error.ts';

/**
 * A second evaluation on a root session that is held by one already.
 *
 * Code: `session-busy`.
 */
export class SessionBusyError extends WinkError<'session-busy'> {
  constructor(message: string, options: { readonly cause?: unknown; readonly details?: ErrorDetails } = {}) {
    super('SessionBusyError', message, { code: 'session-busy', ...options });
  }

  /** Recognises this error, also one made by another loaded copy of the package. */
  static override isInstance(value: unknown): value is SessionBusyError {
    return hasErrorMarker(value, 'SessionBusyError');
  }
}

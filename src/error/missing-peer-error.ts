import { type ErrorDetails, hasErrorMarker, WinkError } from './wink-error.ts';

/**
 * An optional package that is needed here is not installed. The message names it and the install line.
 *
 * Code: `missing-peer`.
 */
export class MissingPeerError extends WinkError<'missing-peer'> {
  constructor(message: string, options: { readonly cause?: unknown; readonly details?: ErrorDetails } = {}) {
    super('MissingPeerError', message, { code: 'missing-peer', ...options });
  }

  /** Recognises this error, also one made by another loaded copy of the package. */
  static override isInstance(value: unknown): value is MissingPeerError {
    return hasErrorMarker(value, 'MissingPeerError');
  }
}

import { type ErrorDetails, hasErrorMarker, WinkError } from './wink-error.ts';

/**
 * Codes of {@link SessionError}.
 *
 * - `slice-invalid`: a slice is declared with options that do not go together.
 * - `slice-not-keyed`: an item was asked for by key, or removed by key, in a slice without keys.
 * - `slice-unknown`: the slice is not installed in this session.
 * - `slice-duplicate`: two different slices share a name.
 * - `event-invalid`: an event is declared without a name.
 * - `event-duplicate`: two different events share a name.
 * - `event-policy-mixed`: one event feeds STATE and LOG slices.
 * - `reducer-failed`: a reducer threw, or returned something that is no slice operation.
 * - `log-append-only`: a LOG slice was asked to replace or clear.
 * - `item-key-invalid`: the key function of a keyed slice returned no text.
 * - `session-invalid`: a session is made with an id or tags that are wrong.
 * - `session-read-only`: a write through a view that may only read.
 * - `session-disposed`: the session was disposed.
 */
export type SessionErrorCode =
  | 'slice-invalid'
  | 'slice-not-keyed'
  | 'slice-unknown'
  | 'slice-duplicate'
  | 'event-invalid'
  | 'event-duplicate'
  | 'event-policy-mixed'
  | 'reducer-failed'
  | 'log-append-only'
  | 'item-key-invalid'
  | 'session-invalid'
  | 'session-read-only'
  | 'session-disposed';

/** A misuse of a session: an unknown slice, two definitions under one name, a reducer that refused. */
export class SessionError extends WinkError<SessionErrorCode> {
  constructor(
    code: SessionErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly details?: ErrorDetails } = {},
  ) {
    super('SessionError', message, { code, ...options });
  }

  /** Recognises this error, also one made by another loaded copy of the package. */
  static override isInstance(value: unknown): value is SessionError {
    return hasErrorMarker(value, 'SessionError');
  }
}

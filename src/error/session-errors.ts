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
 * - `slice-append-only`: a LOG slice was asked to replace or clear.
 * - `slice-key-invalid`: the key function of a keyed slice returned no text.
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
  | 'slice-append-only'
  | 'slice-key-invalid'
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

/**
 * Codes of {@link SnapshotError}.
 *
 * - `snapshot-foreign`: the snapshot belongs to another session or file system.
 * - `snapshot-released`: the snapshot was released, and its content with it.
 * - `snapshot-slice-unknown`: the snapshot, or the export of a session, holds a slice that this session does not know.
 * - `snapshot-malformed`: what should be the export of a session is none: not plain JSON, too large, or of another shape.
 * - `snapshot-version-unsupported`: the export, or a slice in it, has a version that cannot be read here.
 * - `snapshot-migration-failed`: the `migrate` of a slice threw, or returned no list.
 * - `snapshot-item-invalid`: an item does not fit its slice; the details name the slice, the index and the schema's issues.
 */
export type SnapshotErrorCode =
  | 'snapshot-foreign'
  | 'snapshot-released'
  | 'snapshot-slice-unknown'
  | 'snapshot-malformed'
  | 'snapshot-version-unsupported'
  | 'snapshot-migration-failed'
  | 'snapshot-item-invalid';

/** A snapshot or export that does not fit the session or file system it is restored into. */
export class SnapshotError extends WinkError<SnapshotErrorCode> {
  constructor(
    code: SnapshotErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly details?: ErrorDetails } = {},
  ) {
    super('SnapshotError', message, { code, ...options });
  }

  /** Recognises this error, also one made by another loaded copy of the package. */
  static override isInstance(value: unknown): value is SnapshotError {
    return hasErrorMarker(value, 'SnapshotError');
  }
}

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

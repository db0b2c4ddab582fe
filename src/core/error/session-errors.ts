import { hasErrorMarker, WinkError, type WinkErrorOptions } from './wink-error.ts';

/**
 * Codes of {@link SessionError}.
 *
 * - `slice-invalid`: a slice is declared with conflicting options.
 *   What to do: correct the options that the message names.
 * - `slice-not-keyed`: an item was read or removed by key in a slice without keys.
 *   What to do: declare `key` at the slice.
 * - `slice-unknown`: the slice is not installed in this session.
 *   What to do: install it: `slices` of a section, or `session.install()`.
 * - `slice-duplicate`: two different slices share a name.
 *   What to do: rename one of them, or share one definition.
 * - `event-invalid`: an event is declared without a name.
 *   What to do: give it a name.
 * - `event-duplicate`: two different events share a name.
 *   What to do: rename one of them, or share one definition.
 * - `event-policy-mixed`: one event feeds STATE and LOG slices.
 *   What to do: use one event for each kind of slice.
 * - `reducer-failed`: a reducer threw, or returned a value that is not a slice operation.
 *   What to do: mend the reducer; the `cause` is what it threw.
 * - `slice-append-only`: an operation would replace or clear the items of a LOG slice.
 *   What to do: append, or declare a STATE slice.
 * - `slice-key-invalid`: the key function of a keyed slice did not return a string.
 *   What to do: return a string from `key` for every item.
 * - `session-invalid`: a session is created with an invalid id or invalid tags.
 *   What to do: correct the id or the tag that the message names.
 * - `session-read-only`: a write through a read-only view.
 *   What to do: dispatch an event in a handler; policies and templates only read.
 * - `session-disposed`: the session was disposed.
 *   What to do: keep the session open as long as it is used.
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

/** A misuse of a session: an unknown slice, two definitions with one name, a reducer that failed. */
export class SessionError extends WinkError<SessionErrorCode> {
  constructor(code: SessionErrorCode, message: string, options: Omit<WinkErrorOptions, 'code'> = {}) {
    super('SessionError', message, { code, ...options });
  }

  /** Recognizes this error, including one from another loaded copy of the package. */
  static override isInstance(value: unknown): value is SessionError {
    return hasErrorMarker(value, 'SessionError');
  }
}

/**
 * A second evaluation on a root session that another evaluation holds.
 *
 * Code: `session-busy`.
 * What to do: wait for the other evaluation, or give each run a session of its own.
 */
export class SessionBusyError extends WinkError<'session-busy'> {
  constructor(message: string, options: Omit<WinkErrorOptions, 'code'> = {}) {
    super('SessionBusyError', message, { code: 'session-busy', ...options });
  }

  /** Recognizes this error, including one from another loaded copy of the package. */
  static override isInstance(value: unknown): value is SessionBusyError {
    return hasErrorMarker(value, 'SessionBusyError');
  }
}

/**
 * Codes of {@link SnapshotError}.
 *
 * - `snapshot-foreign`: the snapshot belongs to another session or file system.
 *   What to do: restore it where it was taken.
 * - `snapshot-released`: the snapshot was released, and its content with it.
 *   What to do: keep the snapshot until it is not needed any more.
 * - `snapshot-slice-unknown`: the snapshot, or the export of a session, holds a slice that is not installed in this session.
 *   What to do: install the slice first, or restore with the definition that was exported.
 * - `snapshot-malformed`: the value is not the export of a session: not plain JSON, too large, or of another shape.
 *   What to do: pass what `session.exportState()` returned, unchanged.
 * - `snapshot-version-unsupported`: the export, or a slice in it, has a version that cannot be read here.
 *   What to do: upgrade the library, or raise the `version` of the slice with a `migrate`.
 * - `snapshot-migration-failed`: the `migrate` of a slice threw, or did not return a list.
 *   What to do: mend `migrate`; it must return a list.
 * - `snapshot-item-invalid`: an item does not match the schema of its slice; the details name the slice, the index and the issues.
 *   What to do: give the slice a `migrate` for items of the earlier shape.
 */
export type SnapshotErrorCode =
  | 'snapshot-foreign'
  | 'snapshot-released'
  | 'snapshot-slice-unknown'
  | 'snapshot-malformed'
  | 'snapshot-version-unsupported'
  | 'snapshot-migration-failed'
  | 'snapshot-item-invalid';

/** A snapshot or export that does not match the session or file system it is restored into. */
export class SnapshotError extends WinkError<SnapshotErrorCode> {
  constructor(code: SnapshotErrorCode, message: string, options: Omit<WinkErrorOptions, 'code'> = {}) {
    super('SnapshotError', message, { code, ...options });
  }

  /** Recognizes this error, including one from another loaded copy of the package. */
  static override isInstance(value: unknown): value is SnapshotError {
    return hasErrorMarker(value, 'SnapshotError');
  }
}

/**
 * An access through the view of a tool call that has ended. Nothing is written.
 *
 * Code: `transaction-closed`.
 * What to do: await everything in the handler before it returns.
 */
export class TransactionClosedError extends WinkError<'transaction-closed'> {
  constructor(message: string, options: Omit<WinkErrorOptions, 'code'> = {}) {
    super('TransactionClosedError', message, { code: 'transaction-closed', ...options });
  }

  /** Recognizes this error, including one from another loaded copy of the package. */
  static override isInstance(value: unknown): value is TransactionClosedError {
    return hasErrorMarker(value, 'TransactionClosedError');
  }
}

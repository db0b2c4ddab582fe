import { type ErrorDetails, hasErrorMarker, WinkError } from './wink-error.ts';

/**
 * Codes of {@link SnapshotError}.
 *
 * - `snapshot-foreign`: the snapshot belongs to another session or file system.
 * - `snapshot-released`: the snapshot was released, and its content with it.
 * - `snapshot-unknown-slice`: the snapshot, or the export of a session, holds a slice that this session does not know.
 * - `snapshot-malformed`: what should be the export of a session is none: not plain JSON, too large, or of another shape.
 * - `snapshot-version`: the export, or a slice in it, has a version that cannot be read here.
 * - `snapshot-migration-failed`: the `migrate` of a slice threw, or returned no list.
 * - `snapshot-item-invalid`: an item does not fit its slice; the details name the slice, the index and the schema's issues.
 */
export type SnapshotErrorCode =
  | 'snapshot-foreign'
  | 'snapshot-released'
  | 'snapshot-unknown-slice'
  | 'snapshot-malformed'
  | 'snapshot-version'
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

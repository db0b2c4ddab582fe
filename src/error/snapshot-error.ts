import { type ErrorDetails, hasErrorMarker, WinkError } from './wink-error.ts';

/**
 * Codes of {@link SnapshotError}.
 *
 * - `snapshot-foreign`: the snapshot belongs to another session or file system.
 * - `snapshot-released`: the snapshot was released, and its content with it.
 * - `snapshot-unknown-slice`: the snapshot holds a slice that this session does not know.
 */
export type SnapshotErrorCode = 'snapshot-foreign' | 'snapshot-released' | 'snapshot-unknown-slice';

/** A snapshot that does not fit the session or file system it is restored into. */
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

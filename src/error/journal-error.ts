import { type ErrorDetails, hasErrorMarker, WinkError } from './wink-error.ts';

/**
 * Codes of {@link JournalError}.
 *
 * - `journal-failed`: the database could not do what was asked, because it is full, locked, or cannot be read; nothing was written.
 *   The `cause` is the error of its driver. The journal can be used again when the reason is gone.
 * - `journal-version-unsupported`: another version of the library made the journal, in a format of its own; `details.version` is that format.
 * - `journal-closed`: the journal was disposed, or its thread has ended.
 * - `journal-invalid`: the options are not those of a journal.
 */
export type JournalErrorCode =
  | 'journal-failed'
  | 'journal-version-unsupported'
  | 'journal-closed'
  | 'journal-invalid';

/** A journal of runs that cannot be read or written. */
export class JournalError extends WinkError<JournalErrorCode> {
  constructor(
    code: JournalErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly details?: ErrorDetails } = {},
  ) {
    super('JournalError', message, { code, ...options });
  }

  /** Recognizes this error, including one from another loaded copy of the package. */
  static override isInstance(value: unknown): value is JournalError {
    return hasErrorMarker(value, 'JournalError');
  }
}

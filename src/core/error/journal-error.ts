import { hasErrorMarker, WinkError, type WinkErrorOptions } from './wink-error.ts';

/**
 * Codes of {@link JournalError}.
 *
 * - `journal-failed`: the database could not do what was asked, because it is full, locked, or cannot be reached; nothing was written.
 *   The `cause` is the error of its driver. The journal can be used again when the reason is gone, and a run tries again for a while.
 *   What to do: free the disk, end who holds the lock, or bring the server back.
 * - `journal-damaged`: the file is not a database, or one whose content is not whole. It has to be restored.
 *   What to do: restore it from a backup.
 * - `journal-version-unsupported`: the journal has a format that this version of the library does not know, or another version has migrated it since it was
 *   opened; `details.version` is that format.
 *   What to do: upgrade the library, or migrate the journal with `wink journal migrate`.
 * - `journal-closed`: the journal was disposed, or its thread has ended.
 *   What to do: keep the journal open as long as its runs.
 * - `journal-invalid`: the options are not those of a journal.
 *   What to do: correct the option that the message names.
 * - `journal-read-only`: something was to be written to a journal that was opened with `readOnly`.
 *   What to do: open it without `readOnly`.
 */
export type JournalErrorCode =
  | 'journal-failed'
  | 'journal-damaged'
  | 'journal-version-unsupported'
  | 'journal-closed'
  | 'journal-invalid'
  | 'journal-read-only';

/** A journal of runs that cannot be read or written. */
export class JournalError extends WinkError<JournalErrorCode> {
  constructor(code: JournalErrorCode, message: string, options: Omit<WinkErrorOptions, 'code'> = {}) {
    super('JournalError', message, { code, ...options });
  }

  /** Recognizes this error, including one from another loaded copy of the package. */
  static override isInstance(value: unknown): value is JournalError {
    return hasErrorMarker(value, 'JournalError');
  }
}

import { type ErrorDetails, hasErrorMarker, WinkError } from './wink-error.ts';

/**
 * Codes of {@link FilesystemError}.
 *
 * - `not-found`: no such file or directory.
 * - `already-exists`: the target exists.
 * - `is-directory`: a file was expected.
 * - `not-a-directory`: a directory was expected, also along the path.
 * - `directory-not-empty`: a directory with content and no `recursive`.
 * - `invalid-path`: the path breaks the path rules.
 * - `outside-root`: the path leaves the root.
 * - `read-only`: a write through a view that may only read.
 * - `quota-exceeded`: a limit on size or count would be passed.
 * - `not-text`: the file is no UTF-8 text.
 * - `too-large`: one file is over its limit.
 * - `invalid-pattern`: a glob or regular expression that cannot be used.
 * - `edit-not-found`: the text to replace does not occur.
 * - `edit-ambiguous`: the text to replace occurs more than once.
 * - `invalid-argument`: an argument is out of range.
 * - `permission-denied`: the operating system refuses access.
 * - `left-out`: the path is not part of the file system, though it may be on the disk; or the directory holds such a path.
 * - `changed-on-disk`: somebody else changed a file that was read or is to be written.
 * - `root-replaced`: the folder itself was renamed, removed or replaced by another one since it was opened.
 * - `locked`: another process works on the folder.
 * - `storage-failed`: the disk could not do it: full, broken, or of a kind that cannot.
 */
export type FilesystemErrorCode =
  | 'not-found'
  | 'already-exists'
  | 'is-directory'
  | 'not-a-directory'
  | 'directory-not-empty'
  | 'invalid-path'
  | 'outside-root'
  | 'read-only'
  | 'quota-exceeded'
  | 'not-text'
  | 'too-large'
  | 'invalid-pattern'
  | 'edit-not-found'
  | 'edit-ambiguous'
  | 'invalid-argument'
  | 'permission-denied'
  | 'left-out'
  | 'changed-on-disk'
  | 'root-replaced'
  | 'locked'
  | 'storage-failed';

/** A file operation that cannot be done. `details.path` is the path relative to the root. */
export class FilesystemError extends WinkError<FilesystemErrorCode> {
  constructor(
    code: FilesystemErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly details?: ErrorDetails } = {},
  ) {
    super('FilesystemError', message, { code, ...options });
  }

  /** Recognises this error, also one made by another loaded copy of the package. */
  static override isInstance(value: unknown): value is FilesystemError {
    return hasErrorMarker(value, 'FilesystemError');
  }
}

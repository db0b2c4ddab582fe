import { hasErrorMarker, WinkError, type WinkErrorOptions } from './wink-error.ts';

/**
 * Codes of {@link FilesystemError}.
 *
 * - `path-not-found`: no such file or directory.
 * - `path-taken`: the target exists.
 * - `path-is-directory`: a file was expected.
 * - `path-not-directory`: a directory was expected, also along the path.
 * - `directory-not-empty`: a directory with content and no `recursive`.
 * - `path-invalid`: the path breaks the path rules.
 * - `path-outside-root`: the path leaves the root.
 * - `filesystem-read-only`: a write through a read-only view.
 * - `filesystem-quota-exceeded`: a limit on size or count would be exceeded.
 * - `file-not-text`: the file is not UTF-8 text.
 * - `file-too-large`: one file is over its limit.
 * - `pattern-invalid`: a glob or regular expression that cannot be used.
 * - `edit-not-found`: the text to replace does not occur.
 * - `edit-ambiguous`: the text to replace occurs more than once.
 * - `argument-invalid`: an argument is out of range.
 * - `path-forbidden`: the operating system refuses access.
 * - `path-excluded`: the path is not part of the file system, though it may exist on disk; or the directory contains such a path.
 * - `file-changed-on-disk`: another process changed a file that was read or is to be written.
 * - `root-replaced`: the root folder was renamed, removed or replaced by another one since it was opened.
 * - `filesystem-locked`: another process has the folder open.
 * - `filesystem-busy`: changes are staged that were neither landed nor discarded, so nothing else is written.
 * - `filesystem-storage-failed`: the disk failed: it is full, broken, or does not support the operation.
 */
export type FilesystemErrorCode =
  | 'path-not-found'
  | 'path-taken'
  | 'path-is-directory'
  | 'path-not-directory'
  | 'directory-not-empty'
  | 'path-invalid'
  | 'path-outside-root'
  | 'filesystem-read-only'
  | 'filesystem-quota-exceeded'
  | 'file-not-text'
  | 'file-too-large'
  | 'pattern-invalid'
  | 'edit-not-found'
  | 'edit-ambiguous'
  | 'argument-invalid'
  | 'path-forbidden'
  | 'path-excluded'
  | 'file-changed-on-disk'
  | 'root-replaced'
  | 'filesystem-locked'
  | 'filesystem-busy'
  | 'filesystem-storage-failed';

/** A file operation that failed. `details.path` is the path relative to the root. */
export class FilesystemError extends WinkError<FilesystemErrorCode> {
  constructor(code: FilesystemErrorCode, message: string, options: Omit<WinkErrorOptions, 'code'> = {}) {
    super('FilesystemError', message, { code, ...options });
  }

  /** Recognizes this error, including one from another loaded copy of the package. */
  static override isInstance(value: unknown): value is FilesystemError {
    return hasErrorMarker(value, 'FilesystemError');
  }
}

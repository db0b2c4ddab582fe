import { hasErrorMarker, WinkError, type WinkErrorOptions } from './wink-error.ts';

/**
 * Codes of {@link FilesystemError}.
 *
 * - `path-not-found`: no such file or directory.
 *   What to do: list the folder for the right name.
 * - `path-taken`: the target exists.
 *   What to do: choose another name, or remove the target first.
 * - `path-is-directory`: a file was expected.
 *   What to do: name a file in it.
 * - `path-not-directory`: a directory was expected, also along the path.
 *   What to do: name a directory.
 * - `directory-not-empty`: a directory with content and no `recursive`.
 *   What to do: pass `recursive: true`.
 * - `path-invalid`: the path breaks the path rules.
 *   What to do: use relative paths with `/`, without `..` and control characters.
 * - `path-outside-root`: the path leaves the root.
 *   What to do: name a path below the root.
 * - `filesystem-read-only`: a write through a read-only view.
 *   What to do: write in a handler; policies only read.
 * - `filesystem-quota-exceeded`: a limit on size or count would be exceeded.
 *   What to do: raise the limit that the message names, or exclude what is not needed.
 * - `file-not-text`: the file is not UTF-8 text.
 *   What to do: read it with `readBytes`.
 * - `file-too-large`: one file is over its limit.
 *   What to do: read it in parts, or raise the limit.
 * - `pattern-invalid`: a glob or regular expression that cannot be used.
 *   What to do: correct the pattern: look-around and back-references do not exist here.
 * - `edit-not-found`: the text to replace does not occur.
 *   What to do: read the file again and copy the text exactly.
 * - `edit-ambiguous`: the text to replace occurs more than once.
 *   What to do: take more lines around it, or replace all.
 * - `argument-invalid`: an argument is out of range.
 *   What to do: pass a value in the range that the message names.
 * - `path-forbidden`: the operating system refuses access.
 *   What to do: give the process the permission, or exclude the path.
 * - `path-excluded`: the path is not part of the file system, though it may exist on disk; or the directory contains such a path.
 *   What to do: change `include` and `exclude` of the workspace.
 * - `file-changed-on-disk`: another process changed a file that was read or is to be written.
 *   What to do: read the file again. Keep other programs out of the folder while the run works on it.
 * - `root-replaced`: the root folder was renamed, removed or replaced by another one since it was opened.
 *   What to do: open the folder again.
 * - `filesystem-locked`: another process has the folder open.
 *   What to do: end the other process, or wait for it.
 * - `filesystem-busy`: changes are staged that were neither landed nor discarded, so nothing else is written.
 *   What to do: land or discard the staged changes first.
 * - `filesystem-storage-failed`: the disk failed: it is full, broken, or does not support the operation.
 *   What to do: read the `cause`: free the disk, or use another one.
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

import type { FileContent } from '../content/file-content.ts';
import type { TreeNode } from '../content/tree-node.ts';
import type { TextRanges } from '../text/text-ranges.ts';

/**
 * One path that differs between a fork and its base, or between two snapshots. Directories appear only when an empty one was created or removed.
 * `before` and `after` are the contents of files: `created` has only `after`, `removed` only `before`, `modified` both.
 */
export interface FileChange {
  readonly path: string;
  readonly kind: 'created' | 'modified' | 'removed';
  readonly entry: 'file' | 'directory';
  readonly before?: FileContent;
  readonly after?: FileContent;
  /**
   * The former path of a file whose content, or of a link that, `move` or `copy` took unchanged from another path. Absent for
   * written files, and between snapshots.
   */
  readonly from?: string;
  /**
   * The permission bits of a file of a host folder after the change, those of a removed one before it. A written file keeps those of
   * the file that it replaces, a moved or copied one its own. Absent when they are 0o644, as for a file that is new, and where there are none.
   */
  readonly mode?: number;
  /** The permission bits of the regular file in whose place another one, or a link, is now, where they are not those of `mode` (`modified`). */
  readonly replacedMode?: number;
  /**
   * The target, as it is written there, of an entry that is a symbolic link: of a link that was moved or copied, or removed. Characters that are not UTF-8 are
   * replaced. Its contents are those of the file that it leads to; a link to a directory has the entry `directory`.
   */
  readonly link?: string;
  /** The same of a symbolic link in whose place a file or another link is now (`modified`). */
  readonly replacedLink?: string;
  /** The outermost directory that was removed with this entry in it (`removed`). Absent when its directory is still there. */
  readonly removedWith?: string;
}

/**
 * One step of a patch. `put` places a file, or a directory that is merged into an existing one; `remove` removes a
 * file or a whole directory and does nothing when the path does not exist.
 */
export type FileOperation =
  | { readonly op: 'put'; readonly path: string; readonly node: TreeNode }
  | { readonly op: 'remove'; readonly path: string };

/** The net changes of a fork, in the order in which to apply them. */
export interface FilePatch {
  readonly changes: readonly FileOperation[];
  /** What a call of an earlier run has left, which is put there whatever is there: a fork that gets it reads what is at these paths. Default: it depends on all files. @internal */
  readonly '~isRecorded'?: true;
}

/**
 * One read of a fork, on which its outcome may depend.
 *
 * - `file`: a file with its content and time, or that something else, or nothing, is at the path.
 * - `kind`: whether a file, a directory or nothing is at a path.
 * - `listing`, `emptiness`: the children of a directory. `names`: the names of everything below it. `tree`: everything below it.
 * - `glob`: which files match `pattern` below a directory. `grep`: the content of the files that match it, of all files without one.
 * - `quota`, `quota-refusal`: the total size of the files; they have no path.
 */
export interface FileRead {
  readonly kind:
    | 'file'
    | 'kind'
    | 'listing'
    | 'emptiness'
    | 'names'
    | 'glob'
    | 'grep'
    | 'tree'
    | 'quota'
    | 'quota-refusal';
  /** The read in a short phrase, such as `file notes.md`: what `conflicts()` would say of it. */
  readonly what: string;
  readonly path?: string;
  readonly pattern?: string;
  /** What was at the path when the fork was made; only for `file` and `kind`. */
  readonly found?: 'file' | 'directory' | 'absent';
  /** The content that the fork began with; only where a `file` read found a file. */
  readonly content?: FileContent;
  /** Names of the children, sorted; only for `listing`. */
  readonly names?: readonly string[];
  /** What was found when the fork was made, as a text that is the same exactly when the read finds the same; only where it is asked for. */
  readonly result?: string;
}

/** What was returned to a caller of the content of a file. @internal */
export interface ContentRead {
  readonly path: string;
  readonly content: FileContent;
  /** The parts of its text, which may be none. Undefined: all of it. */
  readonly ranges: TextRanges | undefined;
  /** The length of the text; undefined where bytes were read. */
  readonly length?: number | undefined;
}

/**
 * The commit of a run that staged changes are: after a crash, the folder says that it may be decided.
 * @internal
 */
export interface PendingMark {
  readonly runId: string;
  /** Number of the commit within the run. */
  readonly commit: number;
}

/**
 * How changes are staged.
 * @internal
 */
export interface StageOptions {
  /** The commit that someone else decides, so that it may be decided when it is undone. Default: the caller does. */
  readonly pending?: PendingMark | undefined;
}

/**
 * Changes that are checked and written next to their places, so that what is left to do is short: the caller decides, then calls
 * one of the two, once. Until then every view shows the old content, and other writes are refused (`filesystem-busy`).
 *
 * @see docs/spec/filesystem.md §6
 * @internal
 */
export interface StagedChanges {
  /**
   * Brings the changes to their places, all or none. What they replace is compared once more with what was seen. Synchronous.
   * @throws {FilesystemError} `file-changed-on-disk`, `root-replaced`, `path-forbidden`, `path-excluded`, `filesystem-storage-failed`: the
   * old content is then in place, nothing staged is left, and the folder keeps the mark of the commit; `argument-invalid` after either of the two was called.
   */
  land(): void;
  /**
   * Removes what was staged. What cannot be removed now is removed by the next opening. Never throws; does nothing after `land`.
   * @param options with `isUndecided`, the folder keeps the mark of the commit: it may have been decided. Default: it was not.
   */
  discard(options?: { readonly isUndecided?: boolean }): void;
}

/** A file that another process has changed, and how. */
export interface OutsideChange {
  readonly path: string;
  readonly kind: 'changed' | 'created' | 'removed';
}

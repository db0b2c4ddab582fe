import { type NamedResourceToken, transactionalResource } from '../../resource/index.ts';
import type { FileLink } from '../content/tree-node.ts';
import type { EditResult, TextEdit } from '../text/edit.ts';
import type { TextWindow, TextWindowOptions } from '../text/text-window.ts';
import type {
  ContentRead,
  FileChange,
  FilePatch,
  FileRead,
  StagedChanges,
  StageOptions,
} from './file-change.ts';
import type { LandableChange, LandingReport, PutBackPath, PutBackReport } from './landing.ts';

/** The guarantees of an implementation. */
export interface FilesystemCapabilities {
  /**
   * What discarding a fork rolls back: `all` changes, the changes made through it (`own-writes`; other processes can write
   * to the same files), or `none`.
   */
  readonly rollback: 'all' | 'own-writes' | 'none';
  /** True when symbolic links can exist below the root: `list` names them as entries of the kind `link`. False: there are none. */
  readonly symlinks: boolean;
  /** What confines paths to the root: no real files at all, the operating system, or checks before each access. */
  readonly jail: 'virtual' | 'kernel' | 'checked';
}

/**
 * The metadata of a path. A directory and a link have `bytes` 0; a directory has `modifiedAtMs` 0. A link that leads to a file or a
 * directory is followed: `path` and `kind` are those of its target. Any other link has the kind `link`.
 */
export interface FileStat {
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'link';
  readonly bytes: number;
  /** Milliseconds since the Unix epoch. */
  readonly modifiedAtMs: number;
  /** The target when the path names a symbolic link; absent otherwise. */
  readonly link?: FileLink;
}

/** One child of a directory. A directory and a link have `bytes` 0. */
export interface DirectoryEntry {
  readonly name: string;
  /** Relative to the root of the file system. */
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'link';
  readonly bytes: number;
  /** The target of a link; absent for anything else. */
  readonly link?: FileLink;
}

/** How to treat an existing file: `create` refuses it, `overwrite` replaces it, `append` adds at its end. */
export type WriteMode = 'create' | 'overwrite' | 'append';

/** The outcome of a write. `bytes` is the size of the whole file afterwards. */
export interface WriteResult {
  readonly path: string;
  readonly created: boolean;
  readonly bytes: number;
}

/** The scope and limits of a glob. */
export interface GlobOptions {
  /** The directory that the pattern is relative to. Default: the root. */
  readonly path?: string;
  /** The maximum number of paths to return, at least 1. Default: all. */
  readonly limit?: number;
  /**
   * Leave out what the `.gitignore` files between the root and an entry name, and Git's own directory. A `path` that is
   * ignored itself is searched as a whole. Default: false.
   */
  readonly respectGitignore?: boolean;
  /** Aborts the search; it then rejects with the signal's reason. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

/** Paths of files, relative to the root, sorted by UTF-16 units. `truncated`: there were more than the limit. */
export interface GlobResult {
  readonly paths: readonly string[];
  readonly truncated: boolean;
  /** The targets of the paths that are symbolic links, by path. Absent when there are none. */
  readonly links?: Readonly<Record<string, FileLink>>;
  /**
   * The number of entries left out because of `.gitignore` files, up to where the search ended; a directory counts once.
   * Present with `respectGitignore`.
   */
  readonly ignored?: number;
}

/** The scope, pattern mode and limits of a search. */
export interface GrepOptions {
  /** The file or directory to search. Default: the root. */
  readonly path?: string;
  /**
   * Which files to search: a glob relative to `path`. A pattern without `/` matches file names at any depth.
   * Default: all files.
   */
  readonly glob?: string;
  /** Search for the pattern literally, not as a regular expression. Default: false. */
  readonly literal?: boolean;
  /** Default: false. */
  readonly ignoreCase?: boolean;
  /** The maximum number of matches to return, at least 1. Default: 1,000. */
  readonly limit?: number;
  /**
   * A longer line is shown in part: so many UTF-16 units around a match, with `…` where it is cut. Matches that are farther apart are matches of their
   * own. At least 1. Default: 2,000.
   */
  readonly maxLineLength?: number;
  /** Whether the caller shows a match: only then it counts as read. False ends the search. Default: all are shown. @internal */
  readonly '~shown'?: (match: GrepMatch) => boolean;
  /**
   * Leave out what the `.gitignore` files between the root and an entry name, and Git's own directory. A `path` that is
   * ignored itself is searched as a whole. Default: false.
   */
  readonly respectGitignore?: boolean;
  /** Aborts the search; it then rejects with the signal's reason. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

/** One matching line, or of a line that is longer than `maxLineLength`, a part with a match. `line` counts from 1; `text` has no line ending. */
export interface GrepMatch {
  readonly path: string;
  readonly line: number;
  /** Where the match begins in a line that is shown in part, from 1, in UTF-16 units. Absent for a line that is shown whole. */
  readonly column?: number;
  readonly text: string;
  /** The line has more matches after this one, which are not shown: of one line there are at most five parts. */
  readonly more?: true;
}

/** Matching lines ordered by path and line. `skippedBinary`: the number of binary files, up to where the search ended. */
export interface GrepResult {
  readonly matches: readonly GrepMatch[];
  readonly truncated: boolean;
  readonly skippedBinary: number;
  /**
   * The number of entries left out because of `.gitignore` files, up to where the search ended; a directory counts once.
   * Present with `respectGitignore`.
   */
  readonly ignored?: number;
}

/** `created`: false when the directory existed. */
export interface MakeDirectoryResult {
  readonly path: string;
  readonly created: boolean;
}

/** How many files and directories were removed, including the named one. */
export interface RemoveResult {
  readonly path: string;
  readonly files: number;
  readonly directories: number;
  /** How many of the files were write-protected in their folder: their permissions let no user write them. Absent when none was. */
  readonly writeProtected?: number;
}

/** What was moved or copied, with the number of files. */
export interface TransferResult {
  readonly from: string;
  readonly to: string;
  readonly kind: 'file' | 'directory';
  readonly files: number;
}

/** The permissions of a fork. */
export interface FilesystemForkOptions {
  /** Refuse every write through the view. A fork of a read-only fork is read-only. Default: false. */
  readonly readOnly?: boolean;
}

/**
 * Files below one root, the same for memory, disk and containers.
 *
 * Paths are POSIX, relative to the root (see `normalizePath`); results contain normalized paths. Every method rejects with
 * a `FilesystemError`: `path-invalid` or `path-outside-root` for a path that breaks the rules, `path-not-directory` when a
 * parent of the path is a file, `filesystem-read-only` for a write through a read-only view, `argument-invalid` for an option out
 * of range. Each method lists the other errors that it rejects with. The view of a disposed fork throws `TransactionClosedError`.
 */
export interface Filesystem {
  readonly capabilities: FilesystemCapabilities;
  /**
   * The real path of the folder on the host that contains the files; views of forks have it too. Absent when the files are not in one. Never
   * show it to a model. What is done there directly is outside of every transaction.
   */
  readonly hostPath?: string;
  /**
   * A window of lines of a UTF-8 file. Lines end at `\n`; the text is the exact slice of the file.
   * @throws {FilesystemError} `path-not-found`, `path-is-directory`, `file-not-text`.
   */
  read(path: string, options?: TextWindowOptions): Promise<TextWindow>;
  /**
   * A copy of the content of a file.
   * @throws {FilesystemError} `path-not-found`, `path-is-directory`.
   */
  readBytes(path: string): Promise<Uint8Array>;
  /**
   * A short string that is equal for equal contents and differs for different ones, computed once per content. Counts as
   * reading the content. Optional: without it, callers read the bytes.
   * @throws {FilesystemError} `path-not-found`, `path-is-directory`.
   */
  digest?(path: string): Promise<string>;
  /**
   * Writes a whole file, or appends to it. Missing parents are created. Default mode: `overwrite`.
   * @throws {FilesystemError} `path-taken` (mode `create`), `path-is-directory`, `path-forbidden` (a write-protected file), `file-too-large`,
   * `filesystem-quota-exceeded`.
   */
  write(
    path: string,
    data: string | Uint8Array,
    options?: { readonly mode?: WriteMode },
  ): Promise<WriteResult>;
  /**
   * Replaces pieces of a text file, all or none (see `applyTextEdits`).
   * @throws {FilesystemError} `path-not-found`, `path-is-directory`, `file-not-text`, `edit-not-found`, `edit-ambiguous`,
   * `file-too-large`, `filesystem-quota-exceeded`.
   */
  edit(path: string, edits: readonly TextEdit[]): Promise<EditResult>;
  /** The metadata of a path, with links followed; undefined when the path does not exist. */
  stat(path: string): Promise<FileStat | undefined>;
  /**
   * The children of a directory, sorted by name (UTF-16 units). Default: the root.
   * @throws {FilesystemError} `path-not-found`, `path-not-directory`.
   */
  list(path?: string): Promise<readonly DirectoryEntry[]>;
  /**
   * The files that a pattern matches (see `compileGlob`). Names with brackets, braces or groups at its start that exist as they are written are
   * these names; elsewhere such a name also matches itself. Long searches yield to timers; they search the content as it was at the
   * start, except for what other processes change on a disk.
   * @throws {FilesystemError} `pattern-invalid`, `path-not-found`, `path-not-directory`.
   */
  glob(pattern: string, options?: GlobOptions): Promise<GlobResult>;
  /**
   * The lines that a regular expression in RE2 syntax matches, in time linear in the text searched.
   * @throws {FilesystemError} `pattern-invalid`, `path-not-found`.
   */
  grep(pattern: string, options?: GrepOptions): Promise<GrepResult>;
  /**
   * Creates a directory and its missing parents.
   * @throws {FilesystemError} `path-taken` when a file is at the path, `filesystem-quota-exceeded`.
   */
  mkdir(path: string): Promise<MakeDirectoryResult>;
  /**
   * Removes a file, an empty directory or, with `recursive`, a directory and its content. Never the root.
   * @throws {FilesystemError} `path-not-found`, `directory-not-empty`.
   */
  remove(path: string, options?: { readonly recursive?: boolean }): Promise<RemoveResult>;
  /**
   * Moves a file or directory; modification times are kept. Missing parents of the target are created.
   * @throws {FilesystemError} `path-not-found`, `path-taken` when the target exists.
   */
  move(from: string, to: string): Promise<TransferResult>;
  /**
   * Copies a file or directory; modification times are kept. Missing parents of the target are created.
   * @throws {FilesystemError} `path-not-found`, `path-taken` when the target exists, `filesystem-quota-exceeded`.
   */
  copy(from: string, to: string): Promise<TransferResult>;
  /** A private, writable copy of the present content. Throws synchronously. */
  fork(options?: FilesystemForkOptions): FilesystemFork;
  /**
   * The present content, kept unchanged until the snapshot is released.
   * @param tag its name in messages and lists. Default: no name.
   */
  snapshot(tag?: string): Promise<FilesystemSnapshot>;
  /**
   * Restores the content of a snapshot of this file system or, in a fork, of one it was forked from.
   * @throws {SnapshotError} `snapshot-foreign`, `snapshot-released`.
   */
  restore(snapshot: FilesystemSnapshot): Promise<void>;
  /**
   * Applies the changes of a fork to the present content, all or none. Does not check what the fork has read: call its
   * `conflicts()` first. Synchronous, like `conflicts()` and `refusals()`, so that a check and a commit can run without interruption.
   * @throws {FilesystemError} `path-is-directory`, `path-not-directory`, `filesystem-quota-exceeded` when the changes cannot be applied.
   */
  apply(patch: FilePatch): void;
  /**
   * The first part of {@link apply}: everything that can fail, without a change that anyone sees. Present only where `apply` writes outside of
   * memory. One at a time: until the changes are landed or discarded, other writes throw `filesystem-busy`.
   * @throws {FilesystemError} as `apply`, and `filesystem-busy`; nothing is then staged.
   * @internal
   */
  stage?(patch: FilePatch, options?: StageOptions): StagedChanges;
  /** Every use throws `reason` from here on: a run with a journal was lost, and these files in memory may hold what it did not decide. @internal */
  lose?(reason: Error): void;
  /**
   * Does a recorded commit again, by content: what is as it was before is written, in one commit, all or none; what is as it was
   * after is done; anything else is left, and named. Present where `stage` is.
   * @param runId the run whose commit it is: the mark of its pending commit is cleared, also without changes, and so is what killed commits left anywhere
   * in the folder. Default: no mark is, and what was left is cleared beside the changes only.
   * @throws {FilesystemError} as `apply`, and `filesystem-busy`; nothing is then written.
   * @internal
   */
  '~land'?(changes: readonly LandableChange[], runId?: string): LandingReport;
  /** Names of runs that the folder lacks a commit of, which their journals may have decided. @internal */
  '~pendingRuns'?(): readonly string[];
  /**
   * The patch that makes the changes of a recorded commit here, by content, with the permissions and links that they name; undefined when something that they
   * replace is not as it was. Present where entries have these: in forks of folders on a disk.
   * @internal
   */
  '~patchOf'?(changes: readonly LandableChange[]): FilePatch | undefined;
  /**
   * Puts paths back to how they were, by content, in one commit: all, or none when another process has changed one of them. Present for files on a disk.
   * @param apply false: they are only compared.
   * @throws {FilesystemError} as `apply`, and `filesystem-busy`; nothing is then written. `argument-invalid` to write where changes are not written at once.
   * @internal
   */
  '~putBack'?(paths: readonly PutBackPath[], apply: boolean): PutBackReport;
}

/** What of a fork is observed. */
export interface ObserveOptions {
  /** Whether each read has its `result`, which may take a walk over all that it covers. Default: false. */
  readonly results?: boolean;
}

/** What a fork has read and changed. */
export interface ObservedFork {
  readonly reads: readonly FileRead[];
  readonly changes: readonly FileChange[];
}

/**
 * The transaction of one call: private writes, and a record of every read that its outcome could depend on.
 *
 * If `conflicts()` is empty, applying `patch()` gives exactly the content, and the call has received exactly the results, that
 * running it on the present content would give.
 */
export interface FilesystemFork {
  /** The file system of the call's handler. Throws `TransactionClosedError` after `seal()` or `dispose()`, as do forks of it. */
  readonly view: Filesystem;
  /** The same content for policies and the runtime. Throws `TransactionClosedError` after `dispose()`. */
  readonly privileged: Filesystem;
  /**
   * The net difference from the base of the fork, sorted by path. A file rewritten with the same content is
   * `modified`. Reading the `before` content of a change counts as reading the file.
   */
  changes(): readonly FileChange[];
  /** The files whose content was read through `view.read` or `view.readBytes`, sorted. */
  readPaths(): readonly string[];
  /** The same with the parts of their texts that were returned, also by `view.grep`. Optional: without it, what was read counts as read whole. @internal */
  '~contentReads'?(): readonly ContentRead[];
  /**
   * The reads of this fork that the present content answers differently, as short phrases: a kind of read, a space, and
   * a path or pattern (`file notes.md`, `listing src`, `quota`); a name that is not plain is a JSON string (`file "two words.md"`).
   * Empty: the patch can be applied.
   */
  conflicts(): readonly string[];
  /** Why the changes cannot be applied to the present content, whatever was read; empty when they can. */
  refusals(): readonly string[];
  /**
   * What the fork has read and changed, for observers: looking at it does not count as a read. Synchronous; works after `dispose()`. Optional: without it
   * observers get `changes()` and no reads.
   */
  observe?(options?: ObserveOptions): ObservedFork;
  /**
   * Does a read of another fork again: it counts as read here. Returns its result, which is that of the other one when it finds the same; undefined
   * where the result of such a read cannot be compared. Optional: without it nothing that another fork has read can be compared.
   * @internal
   */
  readAgain?(read: FileRead): string | undefined;
  /**
   * Registers a listener that is called before each access through `view` and through forks of it. It must not throw, and may call
   * `seal()`: the access then throws. Without this method, a call whose time is up is detected only when its timer fires.
   */
  onAccess?(listener: () => void): void;
  /** Closes `view` to the handler. Changes made so far stay part of the patch. */
  seal(): void;
  /** The changes, to apply to the parent. */
  patch(): FilePatch;
  /** A fork of this fork's present content; its patch is applied through this fork's view. */
  fork(options?: FilesystemForkOptions): FilesystemFork;
  /** Ends all access through `view`, and through forks of it. Disposing twice does nothing. */
  dispose(): void;
}

/**
 * The token under which tools find the file system of their prompt.
 * @see docs/spec/filesystem.md §1
 */
export const Filesystem: NamedResourceToken<Filesystem> = transactionalResource<Filesystem>('filesystem');

/**
 * The content of a file system at one moment. Opaque: pass it to `restore`, any number of times.
 *
 * A snapshot retains its content until it is released: `await using snapshot = await filesystem.snapshot('before')`
 * releases it at the end of the block. Using it afterwards throws the `SnapshotError`
 * `snapshot-released`; releasing twice does nothing. Rolling back a call does not undo the release.
 */
export interface FilesystemSnapshot extends AsyncDisposable {
  readonly kind: 'filesystem-snapshot';
  /** The name it was taken with, for messages and lists; need not be unique. Absent when it has no name. */
  readonly tag?: string;
}

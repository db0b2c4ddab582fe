import { type NamedResourceToken, transactionalResource } from '../../resource/index.ts';
import type { FileLink } from '../content/tree-node.ts';
import type { EditResult, TextEdit } from '../text/edit.ts';
import type { TextWindow, TextWindowOptions } from '../text/text-window.ts';
import type { FileChange, FilePatch } from './file-change.ts';

/** What an implementation can promise. */
export interface FilesystemCapabilities {
  /**
   * What a discarded fork undoes: `all` changes, the changes made through it (`own-writes`, processes can write
   * beside it), or `none`.
   */
  readonly rollback: 'all' | 'own-writes' | 'none';
  /** True when symbolic links can exist below the root: `list` names them as entries of the kind `link`. False: there are none. */
  readonly symlinks: boolean;
  /** What keeps paths below the root: no real files at all, the operating system, or checks before each access. */
  readonly jail: 'virtual' | 'kernel' | 'checked';
}

/**
 * What is at a path. A directory and a link have `bytes` 0; a directory has `modifiedAtMs` 0. A link that leads to a file or a
 * directory is followed: `path` and `kind` are those of what it leads to. Any other is of the kind `link`.
 */
export interface FileStat {
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'link';
  readonly bytes: number;
  /** Milliseconds since the Unix epoch. */
  readonly modifiedAtMs: number;
  /** Where the path leads when it names a symbolic link; absent for everything else. */
  readonly link?: FileLink;
}

/** One child of a directory. A directory and a link have `bytes` 0. */
export interface DirectoryEntry {
  readonly name: string;
  /** Relative to the root of the file system. */
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'link';
  readonly bytes: number;
  /** Where it leads; present for a link. */
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

/** Where a glob looks, and how much it may find. */
export interface GlobOptions {
  /** The directory that the pattern is relative to. Default: the root. */
  readonly path?: string;
  /** The most paths to return, at least 1. Default: all. */
  readonly limit?: number;
  /** Ends the search; it then rejects with the signal's reason. Default: nothing does. */
  readonly signal?: AbortSignal | undefined;
}

/** Paths of files, relative to the root, sorted by UTF-16 units. `truncated`: there were more than the limit. */
export interface GlobResult {
  readonly paths: readonly string[];
  readonly truncated: boolean;
  /** Where those of the paths lead that are symbolic links, by path. Absent when none is. */
  readonly links?: Readonly<Record<string, FileLink>>;
}

/** Where a search looks, how it takes its pattern, and how much it may find. */
export interface GrepOptions {
  /** The file or directory to search. Default: the root. */
  readonly path?: string;
  /**
   * Which files to search: a glob relative to `path`. A pattern without `/` matches file names at any depth.
   * Default: all files.
   */
  readonly glob?: string;
  /** Search for the pattern as it is, not as a regular expression. Default: false. */
  readonly literal?: boolean;
  /** Default: false. */
  readonly ignoreCase?: boolean;
  /** The most matching lines to return, at least 1. Default: 1,000. */
  readonly limit?: number;
  /** A longer line is cut there and ends with `…`; UTF-16 units, at least 1. Default: 2,000. */
  readonly maxLineLength?: number;
  /** Ends the search; it then rejects with the signal's reason. Default: nothing does. */
  readonly signal?: AbortSignal | undefined;
}

/** One matching line. `line` counts from 1; `text` has no line ending. */
export interface GrepMatch {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** Matching lines in the order of path and line. `skippedBinary`: files that are no text, up to where the search ended. */
export interface GrepResult {
  readonly matches: readonly GrepMatch[];
  readonly truncated: boolean;
  readonly skippedBinary: number;
}

/** `created`: false when the directory existed. */
export interface MakeDirectoryResult {
  readonly path: string;
  readonly created: boolean;
}

/** How many files and directories were removed, the named one included. */
export interface RemoveResult {
  readonly path: string;
  readonly files: number;
  readonly directories: number;
}

/** What was moved or copied, and how many files that were. */
export interface TransferResult {
  readonly from: string;
  readonly to: string;
  readonly kind: 'file' | 'directory';
  readonly files: number;
}

/** What a fork may do. */
export interface FilesystemForkOptions {
  /** Refuse every write through the view. A fork of a read-only fork is read-only. Default: false. */
  readonly readOnly?: boolean;
}

/**
 * Files below one root, the same for memory, disk and containers.
 *
 * Paths are POSIX, relative to the root (see `normalizePath`); results carry them normalised. Every method rejects with
 * a `FilesystemError`: `path-invalid` or `path-outside-root` for a path that breaks the rules, `path-not-directory` when a
 * parent of the path is a file, `filesystem-read-only` for a write through a read-only view, `argument-invalid` for an option out
 * of range. What else a method rejects with is said there. The view of a closed fork throws `TransactionClosedError`.
 */
export interface Filesystem {
  readonly capabilities: FilesystemCapabilities;
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
   * A short text that is the same for equal contents and another for different ones, computed once per content. Counts as
   * looking at the content. A file system without it is asked for the bytes instead.
   * @throws {FilesystemError} `path-not-found`, `path-is-directory`.
   */
  digest?(path: string): Promise<string>;
  /**
   * Writes a whole file, or adds to it. Missing parents are made. Default mode: `overwrite`.
   * @throws {FilesystemError} `path-taken` (mode `create`), `path-is-directory`, `file-too-large`, `filesystem-quota-exceeded`.
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
  /** What is at the path, links followed; undefined when nothing is. */
  stat(path: string): Promise<FileStat | undefined>;
  /**
   * The children of a directory, sorted by name (UTF-16 units). Default: the root.
   * @throws {FilesystemError} `path-not-found`, `path-not-directory`.
   */
  list(path?: string): Promise<readonly DirectoryEntry[]>;
  /**
   * The files that a pattern matches (see `compileGlob`). Long searches let timers in; what they find is what was there at the
   * beginning, but for what others change on a disk.
   * @throws {FilesystemError} `pattern-invalid`, `path-not-found`, `path-not-directory`.
   */
  glob(pattern: string, options?: GlobOptions): Promise<GlobResult>;
  /**
   * The lines that a regular expression in RE2 syntax matches, in time linear in the text searched.
   * @throws {FilesystemError} `pattern-invalid`, `path-not-found`.
   */
  grep(pattern: string, options?: GrepOptions): Promise<GrepResult>;
  /**
   * Makes a directory and its missing parents.
   * @throws {FilesystemError} `path-taken` when a file stands there, `filesystem-quota-exceeded`.
   */
  mkdir(path: string): Promise<MakeDirectoryResult>;
  /**
   * Removes a file, an empty directory or, with `recursive`, a directory and what it holds. Never the root.
   * @throws {FilesystemError} `path-not-found`, `directory-not-empty`.
   */
  remove(path: string, options?: { readonly recursive?: boolean }): Promise<RemoveResult>;
  /**
   * Moves a file or directory; modification times are kept. Missing parents of the target are made.
   * @throws {FilesystemError} `path-not-found`, `path-taken` when anything stands at the target.
   */
  move(from: string, to: string): Promise<TransferResult>;
  /**
   * Copies a file or directory; modification times are kept. Missing parents of the target are made.
   * @throws {FilesystemError} `path-not-found`, `path-taken` when anything stands at the target, `filesystem-quota-exceeded`.
   */
  copy(from: string, to: string): Promise<TransferResult>;
  /** A private continuation of the present content. Throws at once, not by a rejection. */
  fork(options?: FilesystemForkOptions): FilesystemFork;
  /**
   * The present content, kept as it is until the snapshot is released.
   * @param tag what to call it in messages and lists. Default: no name.
   */
  snapshot(tag?: string): Promise<FilesystemSnapshot>;
  /**
   * Brings back the content of a snapshot of this file system or, in a fork, of one it was forked from.
   * @throws {SnapshotError} `snapshot-foreign`, `snapshot-released`.
   */
  restore(snapshot: FilesystemSnapshot): Promise<void>;
  /**
   * Puts the changes of a fork on the present content, all or none. What the fork read is not looked at: ask its
   * `conflicts()` first. Synchronous, as `conflicts()` and `refusals()` are: both happen in one stretch in which nothing else runs.
   * @throws {FilesystemError} `path-is-directory`, `path-not-directory`, `filesystem-quota-exceeded` when the changes do not fit.
   */
  apply(patch: FilePatch): void;
}

/**
 * The transaction of one call: private writes, and a record of everything that its outcome could depend on.
 *
 * If `conflicts()` is empty, then applying `patch()` gives the very content, and the call has seen the very answers, that
 * running it on the present content would give.
 */
export interface FilesystemFork {
  /** What the handler of a call works with. Throws `TransactionClosedError` after `seal()` or `close()`, as do forks of it. */
  readonly view: Filesystem;
  /** The same content for policies and the runtime. Throws `TransactionClosedError` after `close()`. */
  readonly privileged: Filesystem;
  /**
   * The net difference to the content at the fork, sorted by path. A file written again with the same content is
   * `modified`. Looking at the `before` content of a change counts as reading the file.
   */
  changes(): readonly FileChange[];
  /** The files whose content was read through `view.read` or `view.readBytes`, sorted. */
  readPaths(): readonly string[];
  /**
   * What this fork has read and the present content answers differently, as short phrases: a kind of read, a space, and
   * a path or pattern (`file notes.md`, `listing src`, `quota`); one that is not plain is a JSON string (`file "two words.md"`).
   * Empty: the patch can be applied.
   */
  conflicts(): readonly string[];
  /** Why the changes cannot be put on the present content, whatever was read; empty when they can. */
  refusals(): readonly string[];
  /**
   * Has `look` called before each access through `view` and through forks of it. It never throws, and may call `seal()`: the access then
   * throws. A file system without it does not notice that a call has run out of time before its timer does.
   */
  onAccess?(look: () => void): void;
  /** Takes the view from the handler. What it changed so far stays part of the patch. */
  seal(): void;
  /** The changes, to be applied to what was forked. */
  patch(): FilePatch;
  /** A fork of this fork's present content; its patch is applied through this fork's view. */
  fork(options?: FilesystemForkOptions): FilesystemFork;
  /** Ends every access through `view`, and through forks of it. Closing twice does nothing. */
  dispose(): void;
}

/**
 * The token under which tools find the file system of their prompt.
 * @see docs/spec/filesystem.md §1
 */
export const Filesystem: NamedResourceToken<Filesystem> = transactionalResource<Filesystem>('filesystem');

/**
 * The content of a file system at one moment, kept as it was. Opaque: it is given back to `restore`, any number of times.
 *
 * A snapshot holds on to its content until it is released: `await using snapshot = await filesystem.snapshot('before')`
 * releases it at the end of the block. Whatever uses it afterwards is refused with the `SnapshotError`
 * `snapshot-released`; releasing twice does nothing. A rolled-back call does not undo the release.
 */
export interface FilesystemSnapshot extends AsyncDisposable {
  readonly kind: 'filesystem-snapshot';
  /** What it was called when it was taken, for messages and lists; need not be unique. Absent when it has no name. */
  readonly tag?: string;
}

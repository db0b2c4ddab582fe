import { assertOptions, FilesystemError, type RefuseArgument } from '../error/index.ts';
import { type Clock, systemClock } from '../session/index.ts';
import { emptyDirectory } from './content/tree-node.ts';
import { TreeCell } from './fork/tree-cell.ts';
import { type ForkedView, TreeFork } from './fork/tree-fork.ts';
import type { FileChange, FilePatch } from './interface/file-change.ts';
import type {
  DirectoryEntry,
  FileStat,
  Filesystem,
  FilesystemCapabilities,
  FilesystemForkOptions,
  FilesystemSnapshot,
  GlobOptions,
  GlobResult,
  GrepOptions,
  GrepResult,
  MakeDirectoryResult,
  RemoveResult,
  TransferResult,
  WriteMode,
  WriteResult,
} from './interface/filesystem.ts';
import { digestFile, listDirectory, readBytes, readWindow, statPath } from './operations/read-operations.ts';
import { globFiles, grepFiles } from './operations/search-operations.ts';
import { removePath, transferPath } from './operations/structure-operations.ts';
import { editFile, makeDirectory, writeFile } from './operations/write-operations.ts';
import { assertIntegerOption, closedError } from './path/errors.ts';
import { normalizePath } from './path/path.ts';
import type { EditResult, TextEdit } from './text/edit.ts';
import type { TextWindow, TextWindowOptions } from './text/text-window.ts';
import { fileChanges } from './tree/tree-difference.ts';
import type { TreeLimits } from './tree/tree-limits.ts';

const refuse: RefuseArgument = (message, details) =>
  new FilesystemError('argument-invalid', message, details);

/** The initial content and the limits of a memory file system. */
export interface MemoryFilesystemOptions {
  /**
   * Content to start with: a snapshot of any `MemoryFilesystem`. Shared, not copied, and never changed by this one.
   * Default: none.
   */
  readonly base?: FilesystemSnapshot;
  /** The files to start with, by path; they replace those of `base`. Default: none. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** The maximum total bytes of all files, at least 0; a copy counts like any other file. Default: 1 GiB. */
  readonly maxBytes?: number;
  /** The maximum bytes of one file, at least 0. Default: 33,554,432 (32 MiB). */
  readonly maxFileBytes?: number;
  /** The maximum number of files, at least 0. Default: 1,000,000. The limit on directories is always 1,000,000. */
  readonly maxFiles?: number;
  /**
   * The source of modification times. With `yieldToTimers` a long search yields to timers about every 20 milliseconds. Default: the system clock.
   */
  readonly clock?: Pick<Clock, 'now' | 'yieldToTimers'>;
}

const defaultMaxBytes = 1_073_741_824;
const defaultMaxFileBytes = 33_554_432;
const defaultMaxFiles = 1_000_000;
const maxDirectories = 1_000_000;

const capabilities: FilesystemCapabilities = Object.freeze({
  rollback: 'all',
  symlinks: false,
  jail: 'virtual',
});

function limitsOf(options: MemoryFilesystemOptions): TreeLimits {
  assertIntegerOption('maxBytes', options.maxBytes, 0);
  assertIntegerOption('maxFileBytes', options.maxFileBytes, 0);
  assertIntegerOption('maxFiles', options.maxFiles, 0);
  return {
    maxBytes: options.maxBytes ?? defaultMaxBytes,
    maxFileBytes: options.maxFileBytes ?? defaultMaxFileBytes,
    maxFiles: options.maxFiles ?? defaultMaxFiles,
    maxDirectories: maxDirectories,
  };
}

/** The cell of a new file system. */
function cellFor(options: MemoryFilesystemOptions): TreeCell {
  const { clock = systemClock, base } = options;
  const root = base === undefined ? emptyDirectory : TreeCell.inspect(base);
  const cell = TreeCell.of(root, limitsOf(options), clock);
  // An empty update that checks the limits: the owner of the snapshot may have had others.
  if (base !== undefined) cell.update('.', []);
  const mode = base === undefined ? 'create' : 'overwrite';
  for (const [path, data] of Object.entries(options.files ?? {})) writeFile(cell, path, data, mode);
  return cell;
}

function makeView(forked: ForkedView): MemoryFilesystem {
  return new MemoryFilesystem(undefined, forked);
}

/**
 * Files in memory, as a persistent tree: forks and snapshots cost O(1) and share what they do not change.
 * Forks check their reads and are applied in one synchronous step each.
 */
export class MemoryFilesystem implements Filesystem {
  readonly capabilities: FilesystemCapabilities = capabilities;
  readonly #cell: TreeCell;
  /** Undefined unless this is the view of a fork. */
  readonly #forked: ForkedView | undefined;

  /** @internal */
  constructor(options: undefined, forked: ForkedView);
  /**
   * @throws {FilesystemError} for a limit out of range, a bad path in `files`, or content that breaks a limit.
   * @throws {SnapshotError} `snapshot-foreign` when another kind of file system made `base`, `snapshot-released`.
   */
  constructor(options?: MemoryFilesystemOptions);
  constructor(options: MemoryFilesystemOptions = {}, forked?: ForkedView) {
    if (forked === undefined) assertOptions('new MemoryFilesystem()', options, { files: 'object' }, refuse);
    this.#forked = forked;
    this.#cell = forked?.cell ?? cellFor(options);
  }

  /** The differences between two snapshots, sorted by path, in time proportional to the nodes that they do not share. */
  static diff(before: FilesystemSnapshot, after: FilesystemSnapshot): readonly FileChange[] {
    return fileChanges(TreeCell.inspect(before), TreeCell.inspect(after));
  }

  /** See `Filesystem.lose`. @internal */
  lose(reason: Error): void {
    this.#cell.lose(reason);
  }

  async read(path: string, options?: TextWindowOptions): Promise<TextWindow> {
    const window = readWindow(this.#open(), path, options);
    if (this.#forked?.countsReads === true) this.#cell.recordContentRead(window.path);
    return window;
  }

  async readBytes(path: string): Promise<Uint8Array> {
    const data = readBytes(this.#open(), path);
    if (this.#forked?.countsReads === true) this.#cell.recordContentRead(normalizePath(path));
    return data;
  }

  async digest(path: string): Promise<string> {
    return digestFile(this.#open(), path);
  }

  async write(
    path: string,
    data: string | Uint8Array,
    options: { readonly mode?: WriteMode } = {},
  ): Promise<WriteResult> {
    return writeFile(this.#open(), path, data, options.mode);
  }

  async edit(path: string, edits: readonly TextEdit[]): Promise<EditResult> {
    return editFile(this.#open(), path, edits);
  }

  async stat(path: string): Promise<FileStat | undefined> {
    return statPath(this.#open(), path);
  }

  async list(path = '.'): Promise<readonly DirectoryEntry[]> {
    return listDirectory(this.#open(), path);
  }

  async glob(pattern: string, options: GlobOptions = {}): Promise<GlobResult> {
    return globFiles(this.#open(), pattern, options, () => void this.#open());
  }

  async grep(pattern: string, options: GrepOptions = {}): Promise<GrepResult> {
    return grepFiles(this.#open(), pattern, options, () => void this.#open());
  }

  async mkdir(path: string): Promise<MakeDirectoryResult> {
    return makeDirectory(this.#open(), path);
  }

  async remove(path: string, options: { readonly recursive?: boolean } = {}): Promise<RemoveResult> {
    return removePath(this.#open(), path, options.recursive === true);
  }

  async move(from: string, to: string): Promise<TransferResult> {
    return transferPath(this.#open(), from, to, 'move');
  }

  async copy(from: string, to: string): Promise<TransferResult> {
    return transferPath(this.#open(), from, to, 'copy');
  }

  fork(options: FilesystemForkOptions = {}): TreeFork {
    const cell = this.#open().fork(options.readOnly === true);
    return new TreeFork(cell, this.#forked?.isSealed, makeView);
  }

  async snapshot(tag?: string): Promise<FilesystemSnapshot> {
    return this.#open().snapshot(tag);
  }

  async restore(snapshot: FilesystemSnapshot): Promise<void> {
    this.#open().restore(snapshot);
  }

  apply(patch: FilePatch): void {
    this.#open().apply(patch);
  }

  /** The differences between a snapshot of this file system and its present content, sorted by path. */
  changesSince(snapshot: FilesystemSnapshot): readonly FileChange[] {
    return this.#open().changesSince(snapshot);
  }

  #open(): TreeCell {
    this.#cell.assertOpen();
    if (this.#forked?.isSealed?.() === true) throw closedError();
    return this.#cell;
  }
}

import type { TreeCell } from './fork/tree-cell.ts';
import { type ForkedView, TreeFork, type TreeView } from './fork/tree-fork.ts';
import type { FilePatch } from './interface/file-change.ts';
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
import {
  digestFile,
  editFile,
  listDirectory,
  makeDirectory,
  readBytes,
  readWindow,
  statPath,
  writeFile,
} from './operations/file-operations.ts';
import { globFiles, grepFiles } from './operations/search-operations.ts';
import { removePath, transferPath } from './operations/structure-operations.ts';
import { closedError } from './path/errors.ts';
import type { EditResult, TextEdit } from './text/edit.ts';
import type { TextWindow, TextWindowOptions } from './text/text-window.ts';

/**
 * What a path means where files are more than a tree of names: links are followed, and what may not be read or written is refused. Each
 * method returns the path to use, or throws.
 */
export interface PathRules {
  readable(path: string): string;
  /** @param readsContent whether the present content is read, too. */
  writable(path: string, readsContent: boolean): string;
  listable(path: string): string;
  /** A directory that is to be there. */
  directory(path: string): string;
  removable(path: string, recursive: boolean): string;
  transferable(from: string, to: string, action: 'move' | 'copy'): readonly [from: string, to: string];
  stat(path: string): FileStat | undefined;
}

/** What can be done to the files of a cell, each at once. The only place that hands the methods of a file system to the operations on a tree. */
export class FileOperations {
  readonly #cell: TreeCell;
  readonly #paths: PathRules | undefined;
  readonly #countsReads: boolean;

  /**
   * @param paths what paths mean. Default: as they are given.
   * @param countsReads whether `readPaths` reports the files whose content is returned. Default: false.
   */
  constructor(cell: TreeCell, paths?: PathRules, countsReads = false) {
    this.#cell = cell;
    this.#paths = paths;
    this.#countsReads = countsReads;
  }

  read(given: string, options?: TextWindowOptions): TextWindow {
    const { window, content, shown, length } = readWindow(
      this.#cell,
      this.#paths?.readable(given) ?? given,
      options,
    );
    if (this.#countsReads)
      this.#cell.recordContentRead({ path: window.path, content, ranges: shown, length });
    return window;
  }

  readBytes(given: string): Uint8Array {
    const { path, data, content } = readBytes(this.#cell, this.#paths?.readable(given) ?? given);
    if (this.#countsReads) this.#cell.recordContentRead({ path, content, ranges: undefined });
    return data;
  }

  digest(given: string): string {
    return digestFile(this.#cell, this.#paths?.readable(given) ?? given);
  }

  write(given: string, data: string | Uint8Array, mode?: WriteMode): WriteResult {
    return writeFile(this.#cell, this.#paths?.writable(given, mode === 'append') ?? given, data, mode);
  }

  edit(given: string, edits: readonly TextEdit[]): EditResult {
    return editFile(this.#cell, this.#paths?.writable(given, true) ?? given, edits);
  }

  stat(given: string): FileStat | undefined {
    return this.#paths === undefined ? statPath(this.#cell, given) : this.#paths.stat(given);
  }

  list(given: string): readonly DirectoryEntry[] {
    return listDirectory(this.#cell, this.#paths?.listable(given) ?? given);
  }

  /** @param assertOpen throws when the view it was asked through is gone. */
  async glob(pattern: string, options: GlobOptions, assertOpen: () => void): Promise<GlobResult> {
    return globFiles(this.#cell, pattern, this.#searchIn(options), assertOpen);
  }

  /** @param assertOpen throws when the view it was asked through is gone. */
  async grep(pattern: string, options: GrepOptions, assertOpen: () => void): Promise<GrepResult> {
    return grepFiles(this.#cell, pattern, this.#searchIn(options), assertOpen, this.#countsReads);
  }

  mkdir(given: string): MakeDirectoryResult {
    return makeDirectory(this.#cell, this.#paths?.directory(given) ?? given);
  }

  remove(given: string, recursive: boolean): RemoveResult {
    return removePath(this.#cell, this.#paths?.removable(given, recursive) ?? given, recursive);
  }

  transfer(givenFrom: string, givenTo: string, action: 'move' | 'copy'): TransferResult {
    const [from, to] = this.#paths?.transferable(givenFrom, givenTo, action) ?? [givenFrom, givenTo];
    return transferPath(this.#cell, from, to, action);
  }

  #searchIn<Options extends GlobOptions | GrepOptions>(options: Options): Options {
    return this.#paths === undefined
      ? options
      : { ...options, path: this.#paths.listable(options.path ?? '.') };
  }
}

/** The guard of a view: it gives out the operations, or throws. */
export interface ViewGuard {
  /** The operations that look. @throws {TransactionClosedError} */
  look(): FileOperations;
  /** Does one change. @throws {TransactionClosedError} */
  change<Result>(act: (operations: FileOperations) => Result): Result;
  /** Does a search, which may pause: `assertOpen` throws when it has to end. */
  search<Result>(
    act: (operations: FileOperations, assertOpen: () => void) => Promise<Result>,
  ): Promise<Result>;
  fork(options: FilesystemForkOptions): TreeFork;
  snapshot(tag: string | undefined): FilesystemSnapshot;
  restore(snapshot: FilesystemSnapshot): void;
  apply(patch: FilePatch): void;
}

/** The guard of a cell: of files in memory, or of a fork of any files. */
export class CellGuard implements ViewGuard {
  readonly #cell: TreeCell;
  readonly #isSealed: ForkedView['isSealed'];
  readonly #operations: FileOperations;
  readonly #makeView: (forked: ForkedView) => TreeView;

  /** @param makeView makes the views of forks. */
  constructor(
    { cell, isSealed, countsReads }: ForkedView,
    makeView: (forked: ForkedView) => TreeView,
    paths?: PathRules,
  ) {
    this.#cell = cell;
    this.#isSealed = isSealed;
    this.#operations = new FileOperations(cell, paths, countsReads);
    this.#makeView = makeView;
  }

  look(): FileOperations {
    this.assertOpen();
    return this.#operations;
  }

  change<Result>(act: (operations: FileOperations) => Result): Result {
    return act(this.look());
  }

  async search<Result>(
    act: (operations: FileOperations, assertOpen: () => void) => Promise<Result>,
  ): Promise<Result> {
    return act(this.look(), () => this.assertOpen());
  }

  fork(options: FilesystemForkOptions): TreeFork {
    this.assertOpen();
    // A nested fork stays in memory: its reads are answered by the fork that it was forked from.
    return new TreeFork(this.#cell.fork(options.readOnly === true), this.#isSealed, this.#makeView);
  }

  snapshot(tag: string | undefined): FilesystemSnapshot {
    this.assertOpen();
    return this.#cell.snapshot(tag);
  }

  restore(snapshot: FilesystemSnapshot): void {
    this.assertOpen();
    this.#cell.restore(snapshot);
  }

  apply(patch: FilePatch): void {
    this.assertOpen();
    this.#cell.apply(patch);
  }

  /** @throws {TransactionClosedError} */
  assertOpen(): void {
    this.#cell.assertOpen();
    if (this.#isSealed?.() === true) throw closedError();
  }
}

/** What a view of files is made of. */
export interface FilesystemViewParts {
  readonly capabilities: FilesystemCapabilities;
  readonly guard: ViewGuard;
  /** See {@link Filesystem.hostPath}. */
  readonly hostPath?: string;
  /** See {@link Filesystem}. */
  readonly patchOf?: NonNullable<Filesystem['~patchOf']>;
}

/**
 * The methods of a file system, each after its guard: of files in memory, of a folder on disk, and of the forks of both. The one class
 * that others extend, so that these methods are written once.
 * @internal
 */
export class FilesystemView implements TreeView {
  readonly capabilities: FilesystemCapabilities;
  readonly hostPath?: string;
  /** See {@link Filesystem}. @internal */
  readonly '~patchOf'?: NonNullable<Filesystem['~patchOf']>;
  readonly #guard: ViewGuard;

  /** @internal */
  constructor({ capabilities, guard, hostPath, patchOf }: FilesystemViewParts) {
    this.capabilities = capabilities;
    this.#guard = guard;
    if (hostPath !== undefined) this.hostPath = hostPath;
    if (patchOf !== undefined) this['~patchOf'] = patchOf;
  }

  async read(path: string, options?: TextWindowOptions): Promise<TextWindow> {
    return this.#guard.look().read(path, options);
  }

  async readBytes(path: string): Promise<Uint8Array> {
    return this.#guard.look().readBytes(path);
  }

  async digest(path: string): Promise<string> {
    return this.#guard.look().digest(path);
  }

  async write(
    path: string,
    data: string | Uint8Array,
    options: { readonly mode?: WriteMode } = {},
  ): Promise<WriteResult> {
    return this.#guard.change((operations) => operations.write(path, data, options.mode));
  }

  async edit(path: string, edits: readonly TextEdit[]): Promise<EditResult> {
    return this.#guard.change((operations) => operations.edit(path, edits));
  }

  async stat(path: string): Promise<FileStat | undefined> {
    return this.#guard.look().stat(path);
  }

  async list(path = '.'): Promise<readonly DirectoryEntry[]> {
    return this.#guard.look().list(path);
  }

  async glob(pattern: string, options: GlobOptions = {}): Promise<GlobResult> {
    return this.#guard.search((operations, assertOpen) => operations.glob(pattern, options, assertOpen));
  }

  async grep(pattern: string, options: GrepOptions = {}): Promise<GrepResult> {
    return this.#guard.search((operations, assertOpen) => operations.grep(pattern, options, assertOpen));
  }

  async mkdir(path: string): Promise<MakeDirectoryResult> {
    return this.#guard.change((operations) => operations.mkdir(path));
  }

  async remove(path: string, options: { readonly recursive?: boolean } = {}): Promise<RemoveResult> {
    return this.#guard.change((operations) => operations.remove(path, options.recursive === true));
  }

  async move(from: string, to: string): Promise<TransferResult> {
    return this.#guard.change((operations) => operations.transfer(from, to, 'move'));
  }

  async copy(from: string, to: string): Promise<TransferResult> {
    return this.#guard.change((operations) => operations.transfer(from, to, 'copy'));
  }

  /** A private, writable copy of the present content. Throws synchronously. */
  fork(options: FilesystemForkOptions = {}): TreeFork {
    return this.#guard.fork(options);
  }

  async snapshot(tag?: string): Promise<FilesystemSnapshot> {
    return this.#guard.snapshot(tag);
  }

  async restore(snapshot: FilesystemSnapshot): Promise<void> {
    this.#guard.restore(snapshot);
  }

  /** Applies the changes of a fork to the present content, all or none; see {@link Filesystem.apply}. */
  apply(patch: FilePatch): void {
    this.#guard.apply(patch);
  }
}

import {
  closedError,
  type DirectoryEntry,
  type EditResult,
  type FilePatch,
  type FileStat,
  type FilesystemCapabilities,
  type FilesystemForkOptions,
  type FilesystemSnapshot,
  type ForkedView,
  type GlobOptions,
  type GlobResult,
  type GrepOptions,
  type GrepResult,
  type LandableChange,
  type MakeDirectoryResult,
  type RemoveResult,
  type TextEdit,
  type TextWindow,
  type TextWindowOptions,
  type TransferResult,
  type TreeCell,
  TreeFork,
  type TreeView,
  type WriteMode,
  type WriteResult,
} from '../../core/filesystem/index.ts';
import { type DiskFolder, registerDiskSource } from './disk-source.ts';
import { HostOperations } from './host-operations.ts';
import { planLanding } from './landing/plan-landing.ts';

/** The files of a folder on disk as one fork sees them. */
export type HostView = TreeView;

/** A fork of a folder on disk: its writes reach the disk only when they are applied. */
export type HostFilesystemFork = TreeFork;

class CellView implements HostView {
  readonly capabilities: FilesystemCapabilities;
  readonly hostPath: string;
  readonly #cell: TreeCell;
  readonly #isSealed: ForkedView['isSealed'];
  readonly #makeView: (forked: ForkedView) => HostView;
  readonly #operations: HostOperations;

  constructor(
    { cell, isSealed, countsReads }: ForkedView,
    capabilities: FilesystemCapabilities,
    folder: DiskFolder,
    makeView: (forked: ForkedView) => HostView,
  ) {
    this.capabilities = capabilities;
    this.hostPath = folder.jail.realPath;
    this.#cell = cell;
    this.#isSealed = isSealed;
    this.#makeView = makeView;
    const noteRead = (path: string): void => {
      if (countsReads) cell.recordContentRead(path);
    };
    this.#operations = new HostOperations(cell, noteRead, folder);
    registerDiskSource(this, () => {
      this.#open();
      return { ...folder, root: cell.root, record: (read) => void cell.resolve(read) };
    });
  }

  async read(path: string, options?: TextWindowOptions): Promise<TextWindow> {
    return this.#open().read(path, options);
  }

  async readBytes(path: string): Promise<Uint8Array> {
    return this.#open().readBytes(path);
  }

  async digest(path: string): Promise<string> {
    return this.#open().digest(path);
  }

  async write(
    path: string,
    data: string | Uint8Array,
    options: { readonly mode?: WriteMode } = {},
  ): Promise<WriteResult> {
    return this.#open().write(path, data, options.mode);
  }

  async edit(path: string, edits: readonly TextEdit[]): Promise<EditResult> {
    return this.#open().edit(path, edits);
  }

  async stat(path: string): Promise<FileStat | undefined> {
    return this.#open().stat(path);
  }

  async list(path = '.'): Promise<readonly DirectoryEntry[]> {
    return this.#open().list(path);
  }

  async glob(pattern: string, options: GlobOptions = {}): Promise<GlobResult> {
    return this.#open().glob(pattern, options, () => void this.#open());
  }

  async grep(pattern: string, options: GrepOptions = {}): Promise<GrepResult> {
    return this.#open().grep(pattern, options, () => void this.#open());
  }

  async mkdir(path: string): Promise<MakeDirectoryResult> {
    return this.#open().mkdir(path);
  }

  async remove(path: string, options: { readonly recursive?: boolean } = {}): Promise<RemoveResult> {
    return this.#open().remove(path, options.recursive === true);
  }

  async move(from: string, to: string): Promise<TransferResult> {
    return this.#open().transfer(from, to, 'move');
  }

  async copy(from: string, to: string): Promise<TransferResult> {
    return this.#open().transfer(from, to, 'copy');
  }

  fork(options: FilesystemForkOptions = {}): HostFilesystemFork {
    this.#open();
    const cell = this.#cell.fork(options.readOnly === true);
    // A nested fork stays in memory: its reads are answered by the fork that it was forked from.
    return new TreeFork(cell, this.#isSealed, this.#makeView);
  }

  async snapshot(tag?: string): Promise<FilesystemSnapshot> {
    this.#open();
    return this.#cell.snapshot(tag);
  }

  async restore(snapshot: FilesystemSnapshot): Promise<void> {
    this.#open();
    this.#cell.restore(snapshot);
  }

  apply(patch: FilePatch): void {
    this.#open();
    this.#cell.apply(patch);
  }

  '~patchOf'(changes: readonly LandableChange[]): FilePatch | undefined {
    this.#open();
    const { verdicts, operations } = planLanding(this.#cell.root, changes, () => true);
    return [...verdicts.values()].includes('outside') ? undefined : { changes: operations };
  }

  #open(): HostOperations {
    this.#cell.assertOpen();
    if (this.#isSealed?.() === true) throw closedError();
    return this.#operations;
  }
}

/** The factory of the views of a folder's forks. */
export function viewsOf(
  capabilities: FilesystemCapabilities,
  folder: DiskFolder,
): (forked: ForkedView) => HostView {
  const makeView = (forked: ForkedView): HostView => new CellView(forked, capabilities, folder, makeView);
  return makeView;
}

import {
  closedError,
  type DirectoryEntry,
  type EditResult,
  type FilePatch,
  type FileStat,
  type FilesystemCapabilities,
  type FilesystemForkOptions,
  type FilesystemSnapshot,
  type GlobOptions,
  type GlobResult,
  type GrepOptions,
  type GrepResult,
  type MakeDirectoryResult,
  type RemoveResult,
  type TextEdit,
  type TextWindow,
  type TextWindowOptions,
  type TransferResult,
  type TreeCell,
  type WriteMode,
  type WriteResult,
} from '../../filesystem/index.ts';
import { registerDiskSource } from './disk-source.ts';
import {
  type ForkParent,
  type ForkViews,
  HostFilesystemFork,
  type HostView,
} from './host-filesystem-fork.ts';
import { HostOperations } from './host-operations.ts';
import type { HostJail } from './jail.ts';
import type { VisiblePaths } from './visible-paths.ts';

/** How a view behaves. */
interface ViewOptions {
  readonly capabilities: FilesystemCapabilities;
  readonly jail: HostJail;
  /** True when the call that the view belongs to, or one around it, has been taken its view. */
  readonly isSealed: () => boolean;
  /** Whether the files read count as read by the call. */
  readonly countsReads: boolean;
  /** Paths that are shown; undefined: all. */
  readonly visible: VisiblePaths | undefined;
}

/** A fork of a fork stays in memory: what it asks is answered by the fork that it is a fork of. */
const nestedParent: ForkParent = {
  conflicts: (cell) => cell.conflicts(),
  refusals: (cell) => cell.refusals(),
  notePatch: () => undefined,
  forget: () => undefined,
};

class CellView implements HostView {
  readonly capabilities: FilesystemCapabilities;
  readonly #cell: TreeCell;
  readonly #options: ViewOptions;
  readonly #operations: HostOperations;

  constructor(cell: TreeCell, options: ViewOptions) {
    this.capabilities = options.capabilities;
    this.#cell = cell;
    this.#options = options;
    const noteRead = (path: string): void => {
      if (options.countsReads) cell.noteContentRead(path);
    };
    this.#operations = new HostOperations(cell, noteRead, options.visible);
    registerDiskSource(this, () => {
      this.#open();
      const { jail, visible } = options;
      return { jail, root: cell.root, visible, note: (read) => void cell.look(read) };
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

  async glob(pattern: string, options?: GlobOptions): Promise<GlobResult> {
    return this.#open().glob(pattern, options);
  }

  async grep(pattern: string, options?: GrepOptions): Promise<GrepResult> {
    return this.#open().grep(pattern, options);
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
    return new HostFilesystemFork(cell, nestedParent, forkViews(cell, this.#options));
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

  #open(): HostOperations {
    this.#cell.assertOpen();
    if (this.#options.isSealed()) throw closedError();
    return this.#operations;
  }
}

/** The two views of a new fork. @param outer how what it is a fork of behaves. */
export function forkViews(cell: TreeCell, outer: Omit<ViewOptions, 'countsReads'>): ForkViews {
  let isSealed = false;
  return {
    view: new CellView(cell, {
      ...outer,
      isSealed: () => isSealed || outer.isSealed(),
      countsReads: true,
    }),
    privileged: new CellView(cell, { ...outer, countsReads: false }),
    seal: () => {
      isSealed = true;
    },
  };
}

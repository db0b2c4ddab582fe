import type { FileChange } from './file-change.ts';
import type { FilePatch } from './file-patch.ts';
import type { Filesystem, FilesystemFork, FilesystemForkOptions } from './filesystem.ts';
import type { TreeCell } from './tree-cell.ts';

/** A file system in memory, whose commit happens in one synchronous step. */
export interface MemoryView extends Filesystem {
  fork(options?: FilesystemForkOptions): MemoryFilesystemFork;
  apply(patch: FilePatch): void;
}

/** A fork of a memory file system: O(1) to make, and its conflicts are known at once. */
export class MemoryFilesystemFork implements FilesystemFork {
  readonly #cell: TreeCell;
  readonly #sealView: () => void;
  readonly view: MemoryView;
  readonly privileged: MemoryView;

  /** @internal */
  constructor(
    cell: TreeCell,
    views: { readonly view: MemoryView; readonly privileged: MemoryView; readonly seal: () => void },
  ) {
    this.#cell = cell;
    this.view = views.view;
    this.privileged = views.privileged;
    this.#sealView = views.seal;
  }

  changes(): readonly FileChange[] {
    return this.#cell.changes();
  }

  readPaths(): readonly string[] {
    return this.#cell.readPaths();
  }

  conflicts(): readonly string[] {
    return this.#cell.conflicts();
  }

  refusals(): readonly string[] {
    return this.#cell.refusals();
  }

  seal(): void {
    this.#sealView();
  }

  patch(): FilePatch {
    return this.#cell.patch();
  }

  fork(options?: FilesystemForkOptions): MemoryFilesystemFork {
    return this.view.fork(options);
  }

  close(): void {
    this.#cell.close();
  }
}

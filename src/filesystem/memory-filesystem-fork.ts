import type { FileChange } from './file-change.ts';
import type { FilePatch } from './file-patch.ts';
import type { Filesystem, FilesystemFork, FilesystemForkOptions } from './filesystem.ts';
import type { TreeCell } from './tree-cell.ts';

/** A file system in memory, whose commit happens in one synchronous step. */
export interface MemoryView extends Filesystem {
  fork(options?: FilesystemForkOptions): MemoryFilesystemFork;
  apply(patch: FilePatch): void;
}

/** How one of the two views of a fork behaves. */
export interface ForkedView {
  readonly cell: TreeCell;
  /** True when the call that the view belongs to, or one around it, has been taken its view. Undefined: that never happens. */
  readonly isSealed: (() => boolean) | undefined;
  /** Whether the files read count as read by the call. */
  readonly countsReads: boolean;
}

/** A fork of a memory file system: O(1) to make, and its conflicts are known at once. */
export class MemoryFilesystemFork implements FilesystemFork {
  readonly #cell: TreeCell;
  readonly #isOuterSealed: ForkedView['isSealed'];
  readonly #makeView: (view: ForkedView) => MemoryView;
  #view: MemoryView | undefined;
  #privileged: MemoryView | undefined;
  #isSealed = false;

  /** @internal */
  constructor(
    cell: TreeCell,
    isOuterSealed: ForkedView['isSealed'],
    makeView: (view: ForkedView) => MemoryView,
  ) {
    this.#cell = cell;
    this.#isOuterSealed = isOuterSealed;
    this.#makeView = makeView;
  }

  // Made when they are looked at: most calls touch no files.
  get view(): MemoryView {
    this.#view ??= this.#makeView({
      cell: this.#cell,
      isSealed: () => this.#isSealed || this.#isOuterSealed?.() === true,
      countsReads: true,
    });
    return this.#view;
  }

  get privileged(): MemoryView {
    this.#privileged ??= this.#makeView({
      cell: this.#cell,
      isSealed: this.#isOuterSealed,
      countsReads: false,
    });
    return this.#privileged;
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
    this.#isSealed = true;
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

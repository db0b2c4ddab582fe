import type { FileChange, FilePatch } from '../interface/file-change.ts';
import type { Filesystem, FilesystemFork, FilesystemForkOptions } from '../interface/filesystem.ts';
import type { TreeCell } from './tree-cell.ts';

/** A tree of files, whose commit happens in one synchronous step. */
export interface TreeView extends Filesystem {
  fork(options?: FilesystemForkOptions): TreeFork;
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

/** What a fork asks of what it is a fork of, where that is more than a tree in memory. */
export interface TreeForkParent {
  conflicts(cell: TreeCell): readonly string[];
  refusals(cell: TreeCell): readonly string[];
  /** Whom {@link TreeCell.forkOf} is asked with about a patch. */
  readonly owner: object;
  /** Told when nobody sees anything through the fork any more. */
  onDispose(): void;
}

/** A fork of a tree of files: O(1) to make, and its conflicts are known at once. */
export class TreeFork implements FilesystemFork {
  readonly #cell: TreeCell;
  readonly #isOuterSealed: ForkedView['isSealed'];
  readonly #makeView: (view: ForkedView) => TreeView;
  readonly #parent: TreeForkParent | undefined;
  #view: TreeView | undefined;
  #privileged: TreeView | undefined;
  #onAccess: (() => void) | undefined;
  #isSealed = false;

  /** @internal */
  constructor(
    cell: TreeCell,
    isOuterSealed: ForkedView['isSealed'],
    makeView: (view: ForkedView) => TreeView,
    parent?: TreeForkParent,
  ) {
    this.#cell = cell;
    this.#isOuterSealed = isOuterSealed;
    this.#makeView = makeView;
    this.#parent = parent;
  }

  // Made when they are looked at: most calls touch no files.
  get view(): TreeView {
    this.#view ??= this.#makeView({
      cell: this.#cell,
      isSealed: () => {
        if (this.#onAccess !== undefined) this.#onAccess();
        return this.#isSealed || this.#isOuterSealed?.() === true;
      },
      countsReads: true,
    });
    return this.#view;
  }

  get privileged(): TreeView {
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
    return this.#parent === undefined ? this.#cell.conflicts() : this.#parent.conflicts(this.#cell);
  }

  refusals(): readonly string[] {
    return this.#parent === undefined ? this.#cell.refusals() : this.#parent.refusals(this.#cell);
  }

  onAccess(look: () => void): void {
    this.#onAccess = look;
  }

  seal(): void {
    this.#isSealed = true;
  }

  patch(): FilePatch {
    return this.#cell.patch(this.#parent?.owner);
  }

  fork(options?: FilesystemForkOptions): TreeFork {
    return this.view.fork(options);
  }

  dispose(): void {
    this.#cell.dispose();
    this.#parent?.onDispose();
  }
}

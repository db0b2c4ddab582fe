import type { ContentRead, FileChange, FilePatch, FileRead } from '../interface/file-change.ts';
import type {
  Filesystem,
  FilesystemFork,
  FilesystemForkOptions,
  ObservedFork,
  ObserveOptions,
} from '../interface/filesystem.ts';
import type { TreeCell } from './tree-cell.ts';

/** A file system over a tree, whose commit is one synchronous step. */
export interface TreeView extends Filesystem {
  fork(options?: FilesystemForkOptions): TreeFork;
  apply(patch: FilePatch): void;
}

/** The parameters of one of the two views of a fork. */
export interface ForkedView {
  readonly cell: TreeCell;
  /** True when the view, or the view of an enclosing fork, has been sealed. Undefined: the view is never sealed. */
  readonly isSealed: (() => boolean) | undefined;
  /** Whether reads through the view are reported by `readPaths`. */
  readonly countsReads: boolean;
}

/** What a fork needs from its parent when the parent is more than a tree in memory. */
export interface TreeForkParent {
  conflicts(cell: TreeCell): readonly string[];
  refusals(cell: TreeCell): readonly string[];
  /** The owner for {@link TreeCell.forkOf}. */
  readonly owner: object;
  /** Called when the fork is disposed. */
  onDispose(): void;
}

/** A fork of a tree: O(1) to create, and its conflicts are computed synchronously. */
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

  // Created on first use: most calls touch no files.
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

  '~contentReads'(): readonly ContentRead[] {
    return this.#cell.contentReads();
  }

  conflicts(): readonly string[] {
    return this.#parent === undefined ? this.#cell.conflicts() : this.#parent.conflicts(this.#cell);
  }

  refusals(): readonly string[] {
    return this.#parent === undefined ? this.#cell.refusals() : this.#parent.refusals(this.#cell);
  }

  observe(options?: ObserveOptions): ObservedFork {
    return this.#cell.observe(options);
  }

  readAgain(read: FileRead): string | undefined {
    return this.#cell.readAgain(read);
  }

  onAccess(listener: () => void): void {
    this.#onAccess = listener;
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

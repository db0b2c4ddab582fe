import type {
  FileChange,
  FilePatch,
  Filesystem,
  FilesystemFork,
  FilesystemForkOptions,
  TreeCell,
} from '../../filesystem/index.ts';

/** The files of a folder of the disk as one fork sees them. */
export interface HostView extends Filesystem {
  fork(options?: FilesystemForkOptions): HostFilesystemFork;
  apply(patch: FilePatch): void;
}

/** The views of a fork, and what takes the first of them from the handler. */
export interface ForkViews {
  readonly view: HostView;
  readonly privileged: HostView;
  readonly seal: () => void;
}

/** What a fork asks of what it is a fork of. */
export interface ForkParent {
  conflicts(cell: TreeCell): readonly string[];
  refusals(cell: TreeCell): readonly string[];
  /** Told of each patch that was made. */
  notePatch(patch: FilePatch, cell: TreeCell): void;
  /** Told when nobody sees anything through the fork any more. */
  forget(): void;
}

/** A fork of a folder of the disk: nothing that is written in it is on the disk before it is applied. */
export class HostFilesystemFork implements FilesystemFork {
  readonly view: HostView;
  readonly privileged: HostView;
  readonly #cell: TreeCell;
  readonly #parent: ForkParent;
  readonly #sealView: () => void;

  /** @internal */
  constructor(cell: TreeCell, parent: ForkParent, views: ForkViews) {
    this.#cell = cell;
    this.#parent = parent;
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
    return this.#parent.conflicts(this.#cell);
  }

  refusals(): readonly string[] {
    return this.#parent.refusals(this.#cell);
  }

  seal(): void {
    this.#sealView();
  }

  patch(): FilePatch {
    const patch = this.#cell.patch();
    this.#parent.notePatch(patch, this.#cell);
    return patch;
  }

  fork(options?: FilesystemForkOptions): HostFilesystemFork {
    return this.view.fork(options);
  }

  close(): void {
    this.#cell.close();
    this.#parent.forget();
  }
}

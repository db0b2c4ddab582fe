import type { DirectoryNode } from '../content/tree-node.ts';
import type { FileOperation, FilePatch } from '../interface/file-change.ts';
import type { Transfer } from './transfer.ts';

/** Where a patch comes from. */
export interface TreePatchOrigin {
  /** The cell that made the patch. */
  readonly fork: object;
  /** The file system whose fork that is, where it is more than a tree in memory. */
  readonly owner: object | undefined;
  /** The cell that it was made for. */
  readonly target: object;
  /** The two contents that it leads between. */
  readonly base: DirectoryNode;
  readonly root: DirectoryNode;
  /** What was moved and copied on the way. */
  readonly transfers: readonly Transfer[];
}

/** The patch of a fork of a tree. It carries its origin where nobody sees it; a copy, or a patch made by hand, has none. */
export class TreePatch implements FilePatch {
  readonly changes: readonly FileOperation[];
  readonly #origin: TreePatchOrigin;

  constructor(changes: readonly FileOperation[], origin: TreePatchOrigin) {
    this.changes = changes;
    this.#origin = origin;
    Object.freeze(this);
  }

  /** Undefined for a patch that no fork has made. */
  static originOf(patch: FilePatch): TreePatchOrigin | undefined {
    return #origin in patch ? patch.#origin : undefined;
  }
}

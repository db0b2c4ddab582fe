import type { DirectoryNode } from '../content/tree-node.ts';
import type { FileOperation, FilePatch } from '../interface/file-change.ts';
import type { Transfer } from './transfer.ts';

/** The origin of a patch. */
export interface TreePatchOrigin {
  /** The forked cell that the patch came from. */
  readonly fork: object;
  /** The file system that the fork belongs to, when that is more than a tree in memory. */
  readonly owner: object | undefined;
  /** The parent cell, which the patch is made for. */
  readonly target: object;
  /** The content before and after the patch. */
  readonly base: DirectoryNode;
  readonly root: DirectoryNode;
  /** The moves and copies between the two. */
  readonly transfers: readonly Transfer[];
}

/** The patch of a fork of a tree. Its origin is a private field; a copy, or a patch made by hand, has no origin. */
export class TreePatch implements FilePatch {
  readonly changes: readonly FileOperation[];
  readonly #origin: TreePatchOrigin;

  constructor(changes: readonly FileOperation[], origin: TreePatchOrigin) {
    this.changes = changes;
    this.#origin = origin;
    Object.freeze(this);
  }

  /** Undefined for a patch that did not come from a fork. */
  static originOf(patch: FilePatch): TreePatchOrigin | undefined {
    return #origin in patch ? patch.#origin : undefined;
  }
}

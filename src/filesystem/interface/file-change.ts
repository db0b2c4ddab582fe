import type { FileContent } from '../content/file-content.ts';
import type { TreeNode } from '../content/tree-node.ts';

/**
 * One path that a fork or a pair of snapshots differ in. Directories appear only when an empty one was made or removed.
 * `before` and `after` are the contents of files: `created` has only `after`, `removed` only `before`, `modified` both.
 */
export interface FileChange {
  readonly path: string;
  readonly kind: 'created' | 'modified' | 'removed';
  readonly entry: 'file' | 'directory';
  readonly before?: FileContent;
  readonly after?: FileContent;
  /**
   * Where the content stood before, for a file whose content `move` or `copy` took from another path as it was. Absent for
   * what was written, and between snapshots.
   */
  readonly from?: string;
}

/**
 * One step of a patch. `put` places a file, or a directory that is merged into one that stands there; `remove` takes a
 * file or a whole directory away and does nothing where there is none.
 */
export type FileOperation =
  | { readonly op: 'put'; readonly path: string; readonly node: TreeNode }
  | { readonly op: 'remove'; readonly path: string };

/** The net changes of a fork, in the order in which they are to be applied. */
export interface FilePatch {
  readonly changes: readonly FileOperation[];
}

import type { TreeNode } from './tree-node.ts';

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

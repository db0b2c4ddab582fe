import type { DirectoryNode, TreeNode } from '../content/tree-node.ts';
import { nodeAt } from '../tree/tree.ts';

/** A move or copy that a fork has carried out, from one normalized path to another. */
export interface Transfer {
  readonly from: string;
  readonly to: string;
  /** The node that was at `from`, and then at `to`. */
  readonly node: TreeNode;
}

/** What moves and copies keep of a file or a link to a directory; undefined for anything else. */
export function leafAt(node: TreeNode, path: string): object | undefined {
  const found = path === '' ? node : node.kind === 'directory' ? nodeAt(node, path) : undefined;
  return found?.kind === 'file' ? found.content : found?.link;
}

/**
 * The path that the content now at `path` had in the base of the fork; undefined when it did not come from another
 * path, or was written in the fork before it was moved.
 *
 * @param leaf the content, or the link to a directory ({@link leafAt}).
 * @param transfers in the order in which they were carried out.
 */
export function originOf(
  transfers: readonly Transfer[],
  base: DirectoryNode,
  path: string,
  leaf: object,
): string | undefined {
  let origin = path;
  for (const transfer of transfers.toReversed()) {
    const rest = pathBelow(origin, transfer.to);
    if (rest === undefined || leafAt(transfer.node, rest) !== leaf) continue;
    origin = rest === '' ? transfer.from : `${transfer.from}/${rest}`;
  }
  return origin !== path && leafAt(base, origin) === leaf ? origin : undefined;
}

/** `path` relative to `folder`, empty for the folder itself; undefined when it lies elsewhere. */
function pathBelow(path: string, folder: string): string | undefined {
  if (path === folder) return '';
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined;
}

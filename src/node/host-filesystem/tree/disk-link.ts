import type { DirectoryNode, TreeNode } from '../../../filesystem/index.ts';
import { PersistentMap } from '../../../internal/index.ts';

/** A symbolic link as it stands on the disk. */
export interface DiskLink {
  /** Where it stands. */
  readonly path: string;
  /** What is written in it. */
  readonly text: string;
  /** The same when it is no UTF-8. */
  readonly bytes?: Buffer;
  /** The path below the root that it leads to in the end; undefined when it leads out of the root or nowhere. */
  readonly target: string | undefined;
}

const links = new WeakMap<TreeNode, DiskLink>();

/** The same node, of which it is known from now on that it is a link. */
export function asLink(node: TreeNode, link: DiskLink): TreeNode {
  links.set(node, link);
  return node;
}

/** The link that a node was read from; undefined for what is no link. */
export function linkOf(node: TreeNode | undefined): DiskLink | undefined {
  return node === undefined ? undefined : links.get(node);
}

/** A link to a directory below the root: paths lead through it, walks do not enter it. */
export function linkNode(target: string, stamp: string): DirectoryNode {
  return {
    kind: 'directory',
    entries: PersistentMap.empty(),
    bytes: 0,
    files: 0,
    directories: 0,
    link: { target, stamp },
  };
}

import {
  type DirectoryNode,
  nodeAt,
  type TreeDifference,
  type TreeNode,
} from '../../../core/filesystem/index.ts';
import { DiskContent } from '../tree/disk-content.ts';
import { DiskDirectory } from '../tree/disk-directory.ts';
import type { DiskWriter } from './disk-writer.ts';

/** Keeps the contents of all files of a node. */
export function retainNode(node: TreeNode | undefined, writer: DiskWriter): void {
  if (node?.kind === 'file' && node.content instanceof DiskContent) node.content.keep(writer.kept);
  if (node?.kind === 'directory') for (const child of node.entries.values()) retainNode(child, writer);
}

/** Pins a restored directory that is no longer on the disk: it shows its former content, not the present one. */
export function withPinnedDirectory(difference: TreeDifference, disk: DirectoryNode): TreeDifference {
  const { path, after } = difference;
  if (!(after instanceof DiskDirectory) || nodeAt(disk, path)?.kind === 'directory') return difference;
  return { ...difference, after: after.pinned() };
}

/** Reads a node completely: what was read once stays the same. */
export function loadNode(node: TreeNode | undefined): void {
  if (node?.kind === 'directory') for (const child of node.entries.values()) loadNode(child);
}

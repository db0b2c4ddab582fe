import {
  type DirectoryNode,
  emptyDirectory,
  type FileOperation,
  isSameNode,
  leavesOf,
  nodeAt,
  segmentsOf,
  type TreeDifference,
  treeDifferences,
} from '../../../core/filesystem/index.ts';
import type { DiskDirectory } from '../tree/disk-directory.ts';

/** Changes that were applied and are not on the disk yet. */
export interface PendingChanges {
  /** The folder as it was at each path when that path was first changed. */
  readonly base: DiskDirectory;
  /** The folder with the changes. */
  readonly root: DiskDirectory;
}

/** The pending changes without those that were taken back: such a path shows the disk again. */
export function withoutTakenBack(
  base: DiskDirectory,
  changed: DiskDirectory,
  differences: readonly TreeDifference[],
): PendingChanges {
  const isTakenBack = ({ path, after }: TreeDifference): boolean =>
    after?.kind !== 'directory' && isSameNode(after, nodeAt(base, path));
  const root = differences
    .filter(isTakenBack)
    .reduce((rest, { path }) => rest.withoutChangeAt(segmentsOf(path)), changed);
  return { base, root };
}

/**
 * The operations that make the empty directories of `wanted` that are missing in `found`: another process has removed them together with
 * what the pending changes had removed from them.
 */
export function missingDirectories(found: DirectoryNode, wanted: DirectoryNode): readonly FileOperation[] {
  return [...treeDifferences(found, wanted, '.')]
    .filter(({ before }) => before === undefined)
    .flatMap(({ path, after }) => [...leavesOf(after, path)])
    .filter(({ node }) => node.kind === 'directory')
    .map(({ path }) => ({ op: 'put', path, node: emptyDirectory }));
}

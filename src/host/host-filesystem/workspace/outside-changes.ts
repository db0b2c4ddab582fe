import {
  childPath,
  type DirectoryNode,
  isSameNode,
  nodeAt,
  type TreeDifference,
  type TreeNode,
} from '../../../core/filesystem/index.ts';

/** The state in which the commits of this process left the paths that they changed: a stamp, or undefined for a removed path. */
export class OwnWrites {
  readonly #traces = new Map<string, string | undefined>();

  record(path: string, stamp: string | undefined): void {
    this.#traces.set(path, stamp);
  }

  /** True when this process brought the path into this state. */
  matches(path: string, node: TreeNode | undefined): boolean {
    if (node !== undefined)
      return node.kind === 'file' && node.stamp !== undefined && this.#traces.get(path) === node.stamp;
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      const prefix = path.slice(0, end);
      if (this.#traces.has(prefix)) return this.#traces.get(prefix) === undefined;
    }
    return false;
  }
}

function* filesOf(path: string, node: TreeNode | undefined): Generator<readonly [string, TreeNode], void> {
  if (node?.kind === 'file') yield [path, node];
  else if (node !== undefined)
    for (const [name, child] of node.entries) yield* filesOf(childPath(path, name), child);
}

/** A file that another process has changed, and how. */
export interface OutsideChange {
  readonly path: string;
  readonly kind: 'changed' | 'created' | 'removed';
}

/**
 * The files that a patch replaces or removes and that another process has changed since they were read, or has created where
 * there was none. Files that were overwritten without being read count too: they would be lost unseen. So do files put into a
 * directory that the patch removes.
 * @param differences the differences between the base and the wanted content.
 * @param isOwn whether this process brought a path into its present state.
 */
export function outsideChanges(
  base: DirectoryNode,
  differences: Iterable<TreeDifference>,
  present: DirectoryNode,
  isOwn: (path: string, now: TreeNode | undefined) => boolean,
): readonly OutsideChange[] {
  const changed: OutsideChange[] = [];
  for (const { path, before, after } of differences) {
    for (const [file, node] of filesOf(path, before)) {
      const now = nodeAt(present, file);
      // What is not on the disk cannot have been changed there.
      const isHeld = node.kind === 'file' && node.stamp === undefined;
      if (isHeld || isSameNode(node, now) || isOwn(file, now)) continue;
      changed.push({ path: file, kind: now === undefined ? 'removed' : 'changed' });
    }
    const there = nodeAt(present, path);
    if (there === undefined) continue;
    // Where the path was absent, the written files count; where it was a directory, its present files.
    for (const [file] of filesOf(path, before === undefined ? after : there)) {
      const now = nodeAt(present, file);
      if (now === undefined || nodeAt(base, file) !== undefined || isOwn(file, now)) continue;
      changed.push({ path: file, kind: 'created' });
    }
  }
  return changed;
}

import {
  childPath,
  type DirectoryNode,
  isSameNode,
  nodeAt,
  type TreeDifference,
  type TreeNode,
} from '../../../filesystem/index.ts';

/** What the commits of this process left at the paths that they changed: a stamp, or nothing. */
export class OwnWrites {
  readonly #traces = new Map<string, string | undefined>();

  record(path: string, stamp: string | undefined): void {
    this.#traces.set(path, stamp);
  }

  /** True when it was this process that brought the path into this state. */
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

/** A file that somebody else has changed, and how. */
export interface OutsideChange {
  readonly path: string;
  readonly kind: 'changed' | 'created' | 'removed';
}

/**
 * The files that a patch replaces or removes and that somebody else has changed since they were seen, or has made where
 * none was. What was never read, only written over, counts too: it would be lost unseen. So does what was put into a
 * directory that the patch removes.
 * @param differences between the base and what is wanted.
 * @param isOwn whether it was this process that brought a path into its present state.
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
    // Where nothing was, what is put there counts; where a directory was, what is in it now.
    for (const [file] of filesOf(path, before === undefined ? after : there)) {
      const now = nodeAt(present, file);
      if (now === undefined || nodeAt(base, file) !== undefined || isOwn(file, now)) continue;
      changed.push({ path: file, kind: 'created' });
    }
  }
  return changed;
}

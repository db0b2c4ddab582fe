import {
  childPath,
  type DirectoryNode,
  isSameNode,
  nodeAt,
  type TreeDifference,
  type TreeNode,
  treeDifferences,
} from '../../filesystem/index.ts';

/** What the commits of this process left at the paths that they changed: a stamp, or nothing. */
export class OwnTraces {
  readonly #traces = new Map<string, string | undefined>();

  leave(path: string, stamp: string | undefined): void {
    this.#traces.set(path, stamp);
  }

  /** True when it was this process that brought the path into this state. */
  explain(path: string, node: TreeNode | undefined): boolean {
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

/**
 * The files that a patch replaces or removes and that somebody else has changed since they were seen, or has made where
 * none was, as phrases like those of `FilesystemFork.conflicts()`. What was never read, only written over, counts too: it
 * would be lost unseen.
 */
export function outsideChanges(
  base: DirectoryNode,
  wanted: DirectoryNode,
  present: DirectoryNode,
  traces: OwnTraces,
): readonly string[] {
  const changed: string[] = [];
  const check = ({ path, before, after }: TreeDifference): void => {
    for (const [file, node] of filesOf(path, before)) {
      const now = nodeAt(present, file);
      if (!isSameNode(node, now) && !traces.explain(file, now)) changed.push(`file ${file}`);
    }
    if (before !== undefined || nodeAt(present, path) === undefined) return;
    for (const [file] of filesOf(path, after)) {
      const now = nodeAt(present, file);
      if (now !== undefined && !traces.explain(file, now)) changed.push(`file ${file}`);
    }
  };
  for (const difference of treeDifferences(base, wanted, '.')) check(difference);
  return changed;
}

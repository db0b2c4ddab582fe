import { FilesystemError } from '../../../core/error/index.ts';
import {
  childPath,
  type DirectoryNode,
  emptyDirectory,
  type FileOperation,
  isSameNode,
  leavesOf,
  nodeAt,
  type OutsideChange,
  type StagedChanges,
  segmentsOf,
  type TreeDifference,
  type TreeNode,
  treeDifferences,
} from '../../../core/filesystem/index.ts';
import type { FolderLease } from '../../lock/index.ts';
import { DiskContent } from '../tree/disk-content.ts';
import { DiskDirectory, inspectFilesOf } from '../tree/disk-directory.ts';
import type { KeptContents } from '../tree/kept-contents.ts';

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

/**
 * The files that a folder with pending changes shows as they were, in a directory of the pending changes, and that another process has changed or
 * removed: they were moved away and back, so that no change is left that would replace them, and no directory that would show them as they are.
 */
export function lostContents(
  base: DirectoryNode,
  pending: DirectoryNode,
  disk: DirectoryNode,
): readonly OutsideChange[] {
  return [...treeDifferences(disk, pending, '.')]
    .filter(({ path }) => nodeAt(base, path) !== undefined)
    .flatMap(({ path, after }) => [...filesOf(path, after)])
    .filter(([path, node]) => isSameNode(node, nodeAt(base, path)))
    .map(([path]) => ({ path, kind: nodeAt(disk, path) === undefined ? 'removed' : 'changed' }));
}

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

/** Keeps the contents of all files of a node. */
export function retainNode(node: TreeNode | undefined, kept: KeptContents): void {
  if (node?.kind === 'file' && node.content instanceof DiskContent) node.content.keep(kept);
  if (node?.kind === 'directory') for (const child of node.entries.values()) retainNode(child, kept);
}

/** Pins a restored directory that is no longer on the disk: it shows its former content, not the present one. */
export function withPinnedDirectory(difference: TreeDifference, disk: DirectoryNode): TreeDifference {
  const { path, after } = difference;
  if (!(after instanceof DiskDirectory) || nodeAt(disk, path)?.kind === 'directory') return difference;
  return { ...difference, after: after.pinned() };
}

/** Reads a node completely: what was read once stays the same. */
export function loadNode(node: TreeNode | undefined): void {
  inspectFilesOf(node);
  if (node?.kind === 'directory') for (const child of node.entries.values()) loadNode(child);
}

/** The place for the one set of changes to a folder that waits for the decision of its caller. */
export class StagedSlot {
  readonly #lease: FolderLease | undefined;
  #held: StagedChanges | undefined;

  /** @param lease what the folder may be written under. Default: its lock alone. */
  constructor(lease: FolderLease | undefined) {
    this.#lease = lease;
  }

  /** @throws {FilesystemError} `filesystem-busy`; `filesystem-locked` when the lease was lost. */
  assertFree(): void {
    this.#lease?.assertNotLost();
    if (this.#held === undefined) return;
    throw new FilesystemError(
      'filesystem-busy',
      'Other changes to the folder are staged. Land or discard them before anything else is written.',
    );
  }

  /** Holds changes until they are landed or discarded, which can be done once. The slot must be free. */
  hold(commit: StagedChanges): StagedChanges {
    const held: StagedChanges = {
      land: () => {
        if (this.#held !== held) throw endedError();
        this.#held = undefined;
        commit.land();
      },
      discard: (options) => {
        if (this.#held !== held) return;
        this.#held = undefined;
        commit.discard(options);
      },
    };
    this.#held = held;
    return held;
  }

  /** Discards what is held; whether it was decided is not known. */
  dispose(): void {
    this.#held?.discard({ isUndecided: true });
  }
}

function endedError(): FilesystemError {
  return new FilesystemError(
    'argument-invalid',
    'The staged changes were landed or discarded already. Stage them again.',
  );
}

import { posix } from 'node:path';
import {
  childPath,
  type FileNode,
  removeNode,
  type TreeDifference,
  type TreeNode,
  treeDifferences,
} from '../../../core/filesystem/index.ts';
import { temporaryNameOf } from '../jail/jail.ts';
import { RefusedContent } from '../tree/disk-content.ts';
import { DiskDirectory, inspectFilesOf } from '../tree/disk-directory.ts';
import { linkOf } from '../tree/disk-leaf.ts';
import type { CommitStep, RemovedNode } from './commit-step.ts';

/** A node that a commit takes from its path. */
export interface Taken {
  readonly path: string;
  readonly trash: string;
  readonly node: TreeNode;
  isGiven: boolean;
  /** For a directory that is moved, the other changes in it; paths are relative to it. */
  inner: readonly TreeDifference[];
}

/** A node in a directory that is taken; it may have to move elsewhere on its own. */
interface InnerNode {
  readonly path: string;
  readonly node: TreeNode;
  readonly outer: Taken;
}

/**
 * The nodes that a commit takes from their paths, and where they go. A directory is identified by device and inode, so wherever it is
 * moved, one rename moves it with its whole content, including entries without a valid path. The same holds for what only the
 * operating system can create: fifos, sockets and devices.
 */
export class TakenNodes {
  readonly #id: string;
  readonly #taken: Taken[] = [];
  readonly #byPath = new Map<string, Taken>();
  readonly #byIdentity = new Map<string, Taken>();
  /** By target path. */
  readonly #given = new Map<string, Taken>();
  #inner: Map<string, InnerNode> | undefined;

  /** @param id the id of the commit. */
  constructor(id: string) {
    this.#id = id;
  }

  /** Takes what is removed or replaced by another kind, and finds the paths that it moves to. */
  takeAll(differences: readonly TreeDifference[]): void {
    for (const { path, before, after } of differences) {
      if (isDisplaced(before, after)) this.#take(path, before, posix.dirname(path));
    }
    if (this.#taken.length === 0) return;
    // Moving a directory may take something out of it that another path needs.
    for (let count = -1; count !== this.#taken.length; ) {
      count = this.#taken.length;
      for (const { path, after } of differences) this.#findPlaces(path, after);
    }
    if (this.#taken.every((taken) => taken.isGiven || taken.node.kind === 'file')) return;
    // Nodes taken out of a directory that is removed.
    this.#inner = this.#indexInner();
    for (const { path, after } of differences) this.#findPlaces(path, after);
  }

  /** The node that moves to a path. */
  givenTo(path: string): Taken | undefined {
    return this.#given.get(path);
  }

  /** Claims the node that was at a path; undefined when it was not taken on its own, or is already claimed. */
  give(path: string): Taken | undefined {
    const taken = this.#byPath.get(path);
    if (taken === undefined || taken.isGiven) return undefined;
    taken.isGiven = true;
    return taken;
  }

  /** True when a path, or a directory on the way to it, is moved or removed. */
  covers(path: string): boolean {
    for (let at = path; at !== '.'; at = posix.dirname(at)) if (this.#byPath.has(at)) return true;
    return false;
  }

  /** The `take` steps, innermost first: the content of a directory is taken before the directory. */
  steps(): readonly CommitStep[] {
    return this.#taken
      .map(({ path, trash }) => ({ op: 'take', path, trash }) as const)
      .sort((left, right) => depthOf(right.path) - depthOf(left.path));
  }

  /** The nodes that no path claims: they are removed for good. */
  removed(): readonly RemovedNode[] {
    const isTaken = (path: string): boolean => this.#byPath.has(path);
    return this.#taken
      .filter(({ isGiven }) => !isGiven)
      .map(({ path, trash, node }) => ({ path, trash, node, isTaken }));
  }

  #take(path: string, node: TreeNode, beside: string): Taken {
    // Once it is taken, its files are at another path.
    inspectFilesOf(node);
    const trash = childPath(beside, temporaryNameOf(this.#id, `t${this.#taken.length}`));
    const taken: Taken = { path, trash, node, isGiven: false, inner: [] };
    this.#taken.push(taken);
    this.#byPath.set(path, taken);
    const identity = identityOf(node);
    if (identity !== undefined && !this.#byIdentity.has(identity)) this.#byIdentity.set(identity, taken);
    return taken;
  }

  #findPlaces(path: string, node: TreeNode | undefined): void {
    if (node === undefined) return;
    const given = this.#given.get(path) ?? this.#claim(path, node);
    if (given !== undefined) {
      for (const { path: rest, after } of given.inner) this.#findPlaces(childPath(path, rest), after);
    } else if (node.kind === 'directory' && node.link === undefined) {
      for (const [name, child] of node.entries) this.#findPlaces(childPath(path, name), child);
    }
  }

  #claim(path: string, node: TreeNode): Taken | undefined {
    const identity = identityOf(node);
    if (identity === undefined) return undefined;
    let taken = this.#byIdentity.get(identity);
    if (taken === undefined) taken = this.#takeInner(identity);
    if (taken === undefined || taken.isGiven || taken.node.kind !== node.kind) return undefined;
    taken.isGiven = true;
    this.#given.set(path, taken);
    if (node.kind === 'file') return taken;
    const { path: from, trash } = taken;
    let present = taken.node;
    for (const other of this.#taken) {
      if (present.kind === 'directory' && other.path.startsWith(`${from}/`))
        present = removeNode(present, other.path.slice(from.length + 1));
    }
    taken.inner = [...treeDifferences(present, node, '.')].filter(
      (difference) => !isSameLink(difference, childPath(from, difference.path)),
    );
    for (const { path: rest, before, after } of taken.inner) {
      if (isDisplaced(before, after)) this.#take(childPath(from, rest), before, posix.dirname(trash));
    }
    return taken;
  }

  #takeInner(identity: string): Taken | undefined {
    const inner = this.#inner?.get(identity);
    if (inner === undefined) return undefined;
    const { path, node, outer } = inner;
    // If an enclosing directory moves, the node moves with it.
    for (let at = posix.dirname(path); at !== '.'; at = posix.dirname(at))
      if (this.#byPath.get(at)?.isGiven === true) return undefined;
    return this.#take(path, node, posix.dirname(outer.trash));
  }

  #indexInner(): Map<string, InnerNode> {
    const index = new Map<string, InnerNode>();
    const walk = (path: string, node: TreeNode, outer: Taken): void => {
      if (node.kind !== 'directory') return;
      for (const [name, child] of node.entries) {
        const at = childPath(path, name);
        const identity = identityOf(child);
        if (identity !== undefined) index.set(identity, { path: at, node: child, outer });
        walk(at, child, outer);
      }
    };
    for (const taken of this.#taken) if (!taken.isGiven) walk(taken.path, taken.node, taken);
    return index;
  }
}

/** True for a regular file, which has content of its own. */
export function isRegularFile(node: TreeNode | undefined): node is FileNode {
  return node?.kind === 'file' && linkOf(node) === undefined && !(node.content instanceof RefusedContent);
}

/** True when both sides have the same link, whether or not its target changed. @param path the present path of the link. */
export function isSameLink({ before, after }: TreeDifference, path: string): boolean {
  const link = linkOf(after);
  const present = linkOf(before);
  if (link === undefined || link.path !== path || present === undefined) return false;
  return link.text === present.text && link.bytes?.toString('hex') === present.bytes?.toString('hex');
}

function isDisplaced(before: TreeNode | undefined, after: TreeNode | undefined): before is TreeNode {
  return before !== undefined && !(isRegularFile(before) && isRegularFile(after));
}

/** Device and inode of a node that is only ever moved, never created again. */
function identityOf(node: TreeNode): string | undefined {
  if (node instanceof DiskDirectory) return node.identity;
  if (node.kind === 'file' && node.content instanceof RefusedContent && !node.content.isLink)
    return node.content.identity;
  return undefined;
}

function depthOf(path: string): number {
  return path.split('/').length;
}

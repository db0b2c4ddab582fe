import { none } from '../../internal/index.ts';
import type { DirectoryNode } from '../content/tree-node.ts';
import type { FileChange } from '../interface/file-change.ts';
import type { ObservedFork, ObserveOptions } from '../interface/filesystem.ts';
import { changesIn, type TreeDifference, treeDifferences } from '../tree/tree-difference.ts';
import { observedReads } from './observed-fork.ts';
import { type FilesystemRead, FilesystemReadSet } from './read-set.ts';
import { leafAt, originOf, type Transfer } from './transfer.ts';

/**
 * What a fork has besides its present content: where it began, what it has read, and what it has moved. Members stay undefined until
 * needed: most forks are never used.
 */
export class ForkState<Parent> {
  readonly parent: Parent;
  /** The content of the parent at the fork. */
  readonly base: DirectoryNode;
  #reads: FilesystemReadSet | undefined;
  #readPaths: Set<string> | undefined;
  #transfers: Transfer[] | undefined;
  /** The differences from the base last computed, and for which content: `changes` and `patch` are called one after the other. */
  #found: { readonly root: DirectoryNode; readonly differences: readonly TreeDifference[] } | undefined;

  constructor(parent: Parent, base: DirectoryNode) {
    this.parent = parent;
    this.base = base;
  }

  /** What the fork depends on; undefined: it has read nothing. */
  get reads(): FilesystemReadSet | undefined {
    return this.#reads;
  }

  /** Moves and copies since the fork, in order. */
  get transfers(): readonly Transfer[] {
    return this.#transfers ?? none;
  }

  recordRead(read: FilesystemRead): void {
    this.#reads ??= new FilesystemReadSet();
    this.#reads.record(read);
  }

  /** Records that the content of a file was returned to the caller. */
  recordPath(path: string): void {
    this.#readPaths ??= new Set();
    this.#readPaths.add(path);
  }

  recordTransfers(transfers: readonly Transfer[]): void {
    if (transfers.length === 0) return;
    this.#transfers ??= [];
    this.#transfers.push(...transfers);
  }

  /** Paths whose content was returned to the caller, sorted. */
  readPaths(): readonly string[] {
    return this.#readPaths === undefined ? none : [...this.#readPaths].sort();
  }

  /** The nodes that differ from the base. */
  differences(root: DirectoryNode): readonly TreeDifference[] {
    if (this.#found?.root !== root)
      this.#found = { root, differences: [...treeDifferences(this.base, root, '.')] };
    return this.#found.differences;
  }

  /** The net difference from the base. */
  changes(root: DirectoryNode): readonly FileChange[] {
    if (this.base === root) return none;
    return changesIn(this.differences(root)).map((change) => {
      const { path, kind } = change;
      const leaf = kind === 'removed' ? undefined : leafAt(root, path);
      const from = leaf === undefined ? undefined : originOf(this.transfers, this.base, path, leaf);
      return from === undefined ? change : { ...change, from };
    });
  }

  /** What the fork has read and changed. */
  observe(root: DirectoryNode, { results = false }: ObserveOptions = {}): ObservedFork {
    const reads = this.#reads === undefined ? none : observedReads(this.#reads.all(), this.base, results);
    return { reads, changes: this.changes(root) };
  }
}

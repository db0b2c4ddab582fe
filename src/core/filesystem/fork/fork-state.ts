import { none } from '../../internal/index.ts';
import type { DirectoryNode, TreeNode } from '../content/tree-node.ts';
import type { ContentRead, FileChange, FileOperation, FilePatch } from '../interface/file-change.ts';
import type { ObservedFork, ObserveOptions } from '../interface/filesystem.ts';
import { nodeAt } from '../tree/tree.ts';
import { changesIn, type TreeDifference, treeDifferences } from '../tree/tree-difference.ts';
import { ContentReads } from './content-reads.ts';
import { observedReads } from './read-result.ts';
import { type FilesystemRead, FilesystemReadSet } from './read-set.ts';

/** A move or copy that a fork has carried out, from one normalized path to another. */
export interface Transfer {
  readonly from: string;
  readonly to: string;
  /** The node that was at `from`, and then at `to`. */
  readonly node: TreeNode;
}

/** What moves and copies keep of a file or a link to a directory; undefined for anything else. */
function leafAt(node: TreeNode, path: string): object | undefined {
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

/**
 * What a fork has besides its present content: where it began, what it has read, and what it has moved. Members stay undefined until
 * needed: most forks are never used.
 */
export class ForkState<Parent> {
  readonly parent: Parent;
  /** The content of the parent at the fork. */
  readonly base: DirectoryNode;
  #reads: FilesystemReadSet | undefined;
  #contentReads: ContentReads | undefined;
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

  /** Records what was returned to the caller of the content of a file. */
  recordContent(read: ContentRead, isSearch: boolean): void {
    this.#contentReads ??= new ContentReads();
    this.#contentReads.record(read, isSearch);
  }

  recordTransfers(transfers: readonly Transfer[]): void {
    if (transfers.length === 0) return;
    this.#transfers ??= [];
    this.#transfers.push(...transfers);
  }

  /** Paths whose content was returned to the caller, sorted. */
  readPaths(): readonly string[] {
    return this.#contentReads?.readPaths ?? none;
  }

  /** What of contents was returned to the caller. */
  contentReads(): readonly ContentRead[] {
    return this.#contentReads?.all() ?? none;
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

/** The origin of a patch. */
export interface TreePatchOrigin {
  /** The forked cell that the patch came from. */
  readonly fork: object;
  /** The file system that the fork belongs to, when that is more than a tree in memory. */
  readonly owner: object | undefined;
  /** The parent cell, which the patch is made for. */
  readonly target: object;
  /** The content before and after the patch. */
  readonly base: DirectoryNode;
  readonly root: DirectoryNode;
  /** The moves and copies between the two. */
  readonly transfers: readonly Transfer[];
}

/** The patch of a fork of a tree. Its origin is a private field; a copy, or a patch made by hand, has no origin. */
export class TreePatch implements FilePatch {
  readonly changes: readonly FileOperation[];
  readonly #origin: TreePatchOrigin;

  constructor(changes: readonly FileOperation[], origin: TreePatchOrigin) {
    this.changes = changes;
    this.#origin = origin;
    Object.freeze(this);
  }

  /** Undefined for a patch that did not come from a fork. */
  static originOf(patch: FilePatch): TreePatchOrigin | undefined {
    return #origin in patch ? patch.#origin : undefined;
  }
}

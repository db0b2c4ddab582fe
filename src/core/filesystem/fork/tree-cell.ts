import { FilesystemError, SnapshotError } from '../../error/index.ts';
import { none } from '../../internal/index.ts';
import type { Clock } from '../../session/index.ts';
import type { FileContent } from '../content/file-content.ts';
import { childOf, type DirectoryNode } from '../content/tree-node.ts';
import type {
  ContentRead,
  FileChange,
  FileOperation,
  FilePatch,
  FileRead,
} from '../interface/file-change.ts';
import type { FilesystemSnapshot, ObservedFork, ObserveOptions } from '../interface/filesystem.ts';
import { closedError, pathError } from '../path/errors.ts';
import { childPath, parentPath, segmentsOf } from '../path/path.ts';
import {
  applyOperation,
  findExcess,
  isUnlimited,
  type KindResolution,
  nodeAt,
  type PathResolution,
  resolvePath,
  type TreeLimits,
} from '../tree/tree.ts';
import { fileChanges, operationsOf, type TreeDifference } from '../tree/tree-difference.ts';
import { TreeSnapshot } from '../tree/tree-snapshot.ts';
import { ForkState, type Transfer, TreePatch } from './fork-state.ts';
import { readAgain, readResult } from './read-result.ts';
import { type FilesystemRead, isOwnFile, type PathRead } from './read-set.ts';

/** The part of a clock that a tree uses. */
export type TreeClock = Pick<Clock, 'now' | 'yieldToTimers'>;

/**
 * A mutable holder of a tree: the file system itself, or a fork of another cell. Operations read its content only through
 * {@link resolve} and {@link kindAt}, which record the read, and change it only through {@link update}.
 */
export class TreeCell {
  #root: DirectoryNode;
  #isOpen = true;
  #lost: Error | undefined;
  readonly #fork: ForkState<TreeCell> | undefined;
  readonly isReadOnly: boolean;
  readonly limits: TreeLimits;
  /** The source of modification times; also lets timers run during a long search. */
  readonly clock: TreeClock;

  private constructor(
    root: DirectoryNode,
    limits: TreeLimits,
    clock: TreeClock,
    isReadOnly: boolean,
    fork?: ForkState<TreeCell>,
  ) {
    this.#root = root;
    this.#fork = fork;
    this.limits = limits;
    this.clock = clock;
    this.isReadOnly = isReadOnly;
  }

  /** A root cell, which records nothing. */
  static of(root: DirectoryNode, limits: TreeLimits, clock: TreeClock): TreeCell {
    return new TreeCell(root, limits, clock, false);
  }

  /** A fork of this cell's present content. The caller must have checked that the cell is open. */
  fork(isReadOnly: boolean): TreeCell {
    const fork = new ForkState<TreeCell>(this, this.#root);
    return new TreeCell(this.#root, this.limits, this.clock, isReadOnly || this.isReadOnly, fork);
  }

  /** The present content, unrecorded. */
  get root(): DirectoryNode {
    return this.#root;
  }

  /** The content of the parent when this cell was forked; undefined for a root cell. */
  get base(): DirectoryNode | undefined {
    return this.#fork?.base;
  }

  /** Replaces the content of a cell that is stored elsewhere by what is stored now. Forks keep their content. */
  refresh(root: DirectoryNode): void {
    this.#root = root;
  }

  /**
   * The first directory link on a path, recorded as read.
   * @param includesLast whether the node at the path itself counts.
   */
  linkOn(path: string, includesLast: boolean): { readonly at: string; readonly target: string } | undefined {
    const segments = segmentsOf(path);
    let node: DirectoryNode = this.#root;
    for (const [index, segment] of segments.entries()) {
      if (index === segments.length - 1 && !includesLast) return undefined;
      const child = childOf(node, segment);
      if (child?.kind !== 'directory') return undefined;
      const at = segments.slice(0, index + 1).join('/');
      if (child.link !== undefined) {
        this.#record({ kind: 'tree', path: at }, this.#root);
        return { at, target: child.link.target };
      }
      node = child;
    }
    return undefined;
  }

  dispose(): void {
    this.#isOpen = false;
  }

  /** Every use of this cell and its forks throws `reason` from here on. */
  lose(reason: Error): void {
    this.#lost = reason;
  }

  /** @throws {TransactionClosedError} when this fork, or one that it was forked from, is disposed. */
  assertOpen(): void {
    if (this.#lost !== undefined) throw this.#lost;
    if (!this.#isOpen) throw closedError();
    this.#fork?.parent.assertOpen();
  }

  /** @throws {FilesystemError} `filesystem-read-only`. */
  assertWritable(path: string): void {
    if (!this.isReadOnly) return;
    throw pathError(
      'filesystem-read-only',
      path,
      `cannot be changed: this call may only read files. Declare the tool's effects as 'state' or 'external'.`,
    );
  }

  /** Records a read and resolves its path. The caller must use no more of the node than the kind of read covers. */
  resolve(read: PathRead): PathResolution {
    this.#record(read, this.#root);
    return resolvePath(this.#root, read.path);
  }

  /** The kind of the node at a path, recorded as read. */
  kindAt(path: string): KindResolution {
    const resolution = this.resolve({ kind: 'kind', path });
    return resolution.kind === 'node' ? { kind: resolution.node.kind } : resolution;
  }

  /** Whether the directory at a path is empty, recorded as read. For a directory that is not, only one child is recorded. */
  isEmptyAt(path: string): boolean {
    const node = nodeAt(this.#root, path);
    const child = node?.kind === 'directory' ? node.entries.keys().next().value : undefined;
    const read: FilesystemRead =
      child === undefined ? { kind: 'emptiness', path } : { kind: 'kind', path: childPath(path, child) };
    this.#record(read, this.#root);
    return child === undefined;
  }

  /** Records what was returned to the caller of the content of a file; see {@link ContentReads}. */
  recordContentRead(read: ContentRead, isSearch = false): void {
    this.#fork?.recordContent(read, isSearch);
  }

  /** Records that the node at a path was moved or copied, for {@link FileChange.from}. */
  recordTransfer(transfer: Transfer): void {
    this.#fork?.recordTransfers([transfer]);
  }

  /**
   * Applies operations, all or none.
   * @param path the path that error messages name.
   * @throws {FilesystemError} `filesystem-quota-exceeded`, `path-is-directory`, `path-not-directory`.
   */
  update(path: string, operations: readonly FileOperation[]): void {
    this.#replace(path, operations.reduce(applyOperation, this.#root), operations);
  }

  /**
   * Applies a patch to the present content, all or none. A fork that receives a patch which was not made for it depends on
   * the whole tree from then on; one that receives what a call of an earlier run left, on what is at the paths of the patch.
   */
  apply(patch: FilePatch): void {
    const first = patch.changes[0];
    if (first === undefined) return;
    this.assertWritable(first.path);
    const given = TreePatch.originOf(patch);
    const origin = given?.target === this ? given : undefined;
    if (origin === undefined) this.#recordReplaced(patch);
    if (origin?.base === this.#root) this.#replace(first.path, origin.root, patch.changes);
    else this.update(first.path, patch.changes);
    if (origin !== undefined) this.#fork?.recordTransfers(origin.transfers);
  }

  /** Records what a patch that was not made for this cell replaces. */
  #recordReplaced({ changes, '~isRecorded': isRecorded }: FilePatch): void {
    if (isRecorded !== true) {
      this.#record({ kind: 'tree', path: '.' }, this.#root);
      return;
    }
    for (const { op, path } of changes) {
      const isDirectory = nodeAt(this.#root, path)?.kind === 'directory';
      this.#record({ kind: op === 'remove' && isDirectory ? 'tree' : 'kind', path }, this.#root);
    }
  }

  snapshot(tag?: string): FilesystemSnapshot {
    const noteLook = (): void => this.#record({ kind: 'tree', path: '.' }, this.#root);
    return new TreeSnapshot({ root: this.#root, owner: this, recordRead: noteLook }, tag);
  }

  /** The content of a snapshot; a fork that it was taken from depends on the whole tree from then on. */
  static inspect(snapshot: FilesystemSnapshot): DirectoryNode {
    const { root, recordRead: noteLook } = TreeSnapshot.open(snapshot);
    noteLook();
    return root;
  }

  /**
   * @throws {SnapshotError} `snapshot-foreign` unless it was taken from this cell or one that it was forked from,
   * `snapshot-released`.
   */
  restore(snapshot: FilesystemSnapshot): void {
    const { root, owner } = TreeSnapshot.open(snapshot);
    if (!this.#descendsFrom(owner)) {
      throw new SnapshotError(
        'snapshot-foreign',
        'The snapshot was taken from another file system. Use the file system that it was taken from.',
      );
    }
    this.assertWritable('.');
    this.#record({ kind: 'tree', path: '.' }, this.#root);
    this.#root = root;
  }

  /** The nodes that differ from the base of the fork; none for a root cell. */
  differences(): readonly TreeDifference[] {
    return this.#fork?.differences(this.#root) ?? none;
  }

  /** The net difference from the base of the fork; empty for a root cell. */
  changes(): readonly FileChange[] {
    return (this.#fork?.changes(this.#root) ?? none).map((change) => {
      const { path, before } = change;
      return before === undefined ? change : { ...change, before: this.#recording(path, before) };
    });
  }

  /** What the fork has read and changed; looking at it records nothing. */
  observe(options?: ObserveOptions): ObservedFork {
    return this.#fork?.observe(this.#root, options) ?? { reads: none, changes: none };
  }

  /** Does a read of another fork again, recorded as read. @returns its result; undefined where it cannot be compared. */
  readAgain(observed: FileRead): string | undefined {
    const read = readAgain(observed);
    if (read === undefined) return observed.result;
    this.#record(read, this.#root);
    return readResult(read, this.#root);
  }

  /** The difference between a snapshot and the present content. */
  changesSince(snapshot: FilesystemSnapshot): readonly FileChange[] {
    return fileChanges(TreeCell.inspect(snapshot), this.#root);
  }

  readPaths(): readonly string[] {
    return this.#fork?.readPaths() ?? none;
  }

  contentReads(): readonly ContentRead[] {
    return this.#fork?.contentReads() ?? none;
  }

  conflicts(): readonly string[] {
    if (this.#fork?.reads === undefined) return none;
    const { base, parent, reads } = this.#fork;
    if (base === parent.#root) return none;
    parent.#recordQuotaOf(reads.quotaOn(base, parent.#root));
    return reads.conflicts(base, parent.#root, this.limits);
  }

  /** Why the patch of this fork cannot be applied to the parent's present content; empty when it can. */
  refusals(): readonly string[] {
    if (this.#fork === undefined) return none;
    const { base, parent } = this.#fork;
    if (parent.#root === base || this.#root === base) return none;
    try {
      parent.#assertWithinLimits(
        '.',
        operationsOf(this.#fork.differences(this.#root)).reduce(applyOperation, parent.#root),
      );
      return none;
    } catch (error) {
      if (!FilesystemError.isInstance(error)) throw error;
      return [error.message];
    }
  }

  /** @param owner the file system that this fork belongs to, for {@link forkOf}. */
  patch(owner?: object): FilePatch {
    if (this.#fork === undefined || this.#fork.base === this.#root) return Object.freeze({ changes: none });
    const { base, parent, transfers } = this.#fork;
    const changes = operationsOf(this.#fork.differences(this.#root));
    return new TreePatch(changes, {
      fork: this,
      owner,
      target: parent,
      base,
      root: this.#root,
      transfers: [...transfers],
    });
  }

  /** The fork of `owner` that a patch came from; undefined for any other patch. */
  static forkOf(patch: FilePatch, owner: object): TreeCell | undefined {
    const origin = TreePatch.originOf(patch);
    return origin?.owner === owner && origin.fork instanceof TreeCell ? origin.fork : undefined;
  }

  #descendsFrom(owner: object): boolean {
    if (this === owner || this.#fork === undefined) return this === owner;
    return this.#fork.parent.#descendsFrom(owner);
  }

  /** Records a read of this cell and, because it also reads the parent's content, of every cell that it was forked from. */
  #record(read: FilesystemRead, seen: DirectoryNode): void {
    let tree = seen;
    for (let fork = this.#fork; fork !== undefined; fork = fork.parent.#fork) {
      if (isOwnFile(read, fork.base, tree)) return;
      fork.recordRead(read);
      tree = fork.base;
    }
  }

  /**
   * When a fork still validates, its quota use is rebased onto the parent's present content. If this cell, the parent, is a fork
   * itself, it depends on that quota read.
   */
  #recordQuotaOf(quota: FilesystemRead | undefined): void {
    if (quota !== undefined) this.#record(quota, this.#root);
  }

  #recording(path: string, before: FileContent): FileContent {
    const base = this.#fork?.base ?? this.#root;
    const note = (): FileContent => {
      this.#record({ kind: 'file', path }, base);
      return before;
    };
    const recording: FileContent = {
      get bytes(): number {
        return note().bytes;
      },
      text: () => note().text(),
      data: () => note().data(),
    };
    // The memo is the one of the original content, and using it counts as a read.
    Object.defineProperty(recording, '~memo', { get: () => note()['~memo'] });
    return Object.freeze(recording);
  }

  #replace(path: string, next: DirectoryNode, operations: readonly FileOperation[]): void {
    this.#assertWithinLimits(path, next);
    if (this.#fork !== undefined) this.#recordRemovals(operations);
    if (this.#fork !== undefined && !isUnlimited(this.limits)) {
      const { bytes, files, directories } = next;
      const released = new Set(operations.map((operation) => operation.path));
      this.#record({ kind: 'quota', bytes, files, directories, released }, this.#root);
    }
    this.#root = next;
  }

  /** A removal keeps the parent directory, which a later write in the fork would otherwise have had to create: its kind is recorded. */
  #recordRemovals(operations: readonly FileOperation[]): void {
    for (const { op, path } of operations) {
      if (op === 'remove' && path.includes('/'))
        this.#record({ kind: 'kind', path: parentPath(path) }, this.#root);
    }
  }

  #assertWithinLimits(path: string, next: DirectoryNode): void {
    const error = findExcess(path, next, this.limits);
    if (error === undefined) return;
    this.#record({ kind: 'quota-refusal' }, this.#root);
    throw error;
  }
}

import { FilesystemError } from '../../../core/error/index.ts';
import {
  closedError,
  type DirectoryNode,
  type FilePatch,
  isSameNode,
  nodeAt,
  type OutsideChange,
  operationsOf,
  patchOperations,
  type StagedChanges,
  type StageOptions,
  TreeCell,
  type TreeClock,
  type TreeDifference,
  type TreeLimits,
  type TreeNode,
  treeDifferences,
} from '../../../core/filesystem/index.ts';
import { showName } from '../../../core/internal/index.ts';
import type { FolderLease } from '../../lock/index.ts';
import { nothingStaged } from '../commit/commit.ts';
import { assertNothingExcluded } from '../commit/restorable.ts';
import { changedOnDiskError } from '../jail/disk-error.ts';
import type { HostJail } from '../jail/jail.ts';
import type { DiskContent, ReadingContext } from '../tree/disk-content.ts';
import { DiskDirectory, diskRoot } from '../tree/disk-directory.ts';
import { TextCache } from '../tree/text-cache.ts';
import type { VisiblePaths } from '../tree/visible-paths.ts';
import { assertWritableOnDisk, type DiskWriter, type WriteOptions } from './disk-writer.ts';
import {
  loadNode,
  lostContents,
  missingDirectories,
  OwnWrites,
  outsideChanges,
  type PendingChanges,
  retainNode,
  StagedSlot,
  withoutTakenBack,
  withPinnedDirectory,
} from './workspace-changes.ts';

/** A snapshot of the folder, read on demand: what was read through it once stays the same. */
export interface DiskSnapshot {
  readonly root: DiskDirectory;
  readonly unsettled: ReadonlySet<DiskContent>;
}

/** The parts of a workspace. */
export interface WorkspaceParts {
  readonly jail: HostJail;
  /** Undefined: nothing is ever written to the disk. */
  readonly writer: DiskWriter | undefined;
  /** True: applied changes stay in memory until {@link DiskWorkspace.flush}. */
  readonly defersWrites: boolean;
  /** The visible paths; undefined: all. */
  readonly visible: VisiblePaths | undefined;
  /** Whether Git directories can be written. */
  readonly allowsGitWrites: boolean;
  readonly limits: TreeLimits;
  readonly clock: TreeClock;
  /** What the folder may be written under, beside its lock. Default: nothing. */
  readonly lease?: FolderLease | undefined;
}

/** A folder on disk as the root that forks start from and commit to. */
export class DiskWorkspace {
  readonly parts: WorkspaceParts;
  readonly #cell: TreeCell;
  readonly #ownWrites: OwnWrites;
  /** The roots that forks and snapshots use, whose content is preserved before it changes. */
  readonly #snapshots = new Set<WeakRef<DiskDirectory>>();
  #pending: PendingChanges | undefined;
  /** Changes that wait for the decision of the caller. */
  readonly #staged: StagedSlot;
  readonly #texts: TextCache = new TextCache();
  readonly #buffer: ReadingContext['buffer'] = {};
  #isOpen = true;

  constructor(parts: WorkspaceParts) {
    this.parts = parts;
    this.#staged = new StagedSlot(parts.lease);
    this.#ownWrites = parts.writer?.ownWrites ?? new OwnWrites();
    if (parts.defersWrites) this.#pending = this.#noPendingChanges();
    this.#cell = TreeCell.of(this.takeSnapshot().root, parts.limits, parts.clock);
  }

  /** The cell of the root, showing the folder as it is now. */
  present(): TreeCell {
    return this.cellShowing(this.takeSnapshot().root);
  }

  /** The cell of the root, with the content of a snapshot. @throws {TransactionClosedError} */
  cellShowing(root: DiskDirectory): TreeCell {
    this.#cell.assertOpen();
    this.#cell.refresh(root);
    return this.#cell;
  }

  /** @throws {TransactionClosedError} */
  assertOpen(): void {
    this.#cell.assertOpen();
  }

  /** @throws {FilesystemError} `filesystem-busy` while changes are staged; `filesystem-locked` when the lease was lost. */
  assertFree(): void {
    this.#staged.assertFree();
  }

  /** Whether changes can be staged: what stays in memory needs no stage. */
  get canStage(): boolean {
    return !this.parts.defersWrites;
  }

  /** A snapshot of the folder as it is now, with the pending changes. @throws {TransactionClosedError} */
  takeSnapshot(): DiskSnapshot {
    const { root, unsettled } = this.#readDisk(this.parts.defersWrites);
    return { root: this.#pending?.root.rebasedOn(root) ?? root, unsettled };
  }

  /** A fork of a snapshot. @returns the cell, and a function to call when the fork no longer uses the snapshot. */
  fork(
    snapshot: DiskSnapshot,
    isReadOnly: boolean,
  ): { readonly cell: TreeCell; readonly dispose: () => void } {
    return { cell: this.cellShowing(snapshot.root).fork(isReadOnly), dispose: this.retain(snapshot.root) };
  }

  /** Preserves the content of a root from now on, whatever is committed. @returns a function that ends that. */
  retain(root: DiskDirectory): () => void {
    const reference = new WeakRef(root);
    this.#snapshots.add(reference);
    return () => this.#snapshots.delete(reference);
  }

  /** What a fork has read or is to replace, and another process or commit has changed. */
  conflicts(cell: TreeCell, { unsettled }: DiskSnapshot): readonly string[] {
    const present = this.present().root;
    return this.parts.jail.keepingOpen(() => {
      const found = new Set(cell.conflicts());
      for (const content of unsettled)
        if (!content.isUnchanged()) found.add(`file ${showName(content.path)}`);
      for (const path of this.#changedByOthers(cell, present)) found.add(`file ${showName(path)}`);
      return [...found];
    });
  }

  /** Why the changes of a fork cannot be applied to the present disk content. */
  refusals(cell: TreeCell): readonly string[] {
    const present = this.present().root;
    return this.parts.jail.keepingOpen(() => [
      ...cell.refusals(),
      ...this.#changedByOthers(cell, present).map(
        (path) => `file ${showName(path)} was changed by another process.`,
      ),
    ]);
  }

  /**
   * Writes a patch to the disk, or adds it to the pending changes.
   * @param fork the fork that the patch came from. Default: none.
   * @throws {FilesystemError} as `Filesystem.apply`, and `file-changed-on-disk`, `path-forbidden`, `filesystem-storage-failed`, `filesystem-busy`.
   */
  apply(patch: FilePatch, fork?: TreeCell): void {
    const { before, differences } = this.#patched(patch, fork);
    this.#commitOrDefer(before, differences, false);
  }

  /**
   * Prepares to write a patch to the disk. Until the result is landed or discarded, nothing else is written.
   * @param fork the fork that the patch came from. Default: none.
   * @throws {FilesystemError} as {@link apply}.
   */
  stage(patch: FilePatch, fork?: TreeCell, options: StageOptions = {}): StagedChanges {
    const { before, differences } = this.#patched(patch, fork);
    return this.#stage(before, differences, options);
  }

  /**
   * Makes one change directly on the present content and writes it to the disk, or defers it. Between the snapshot and the commit nothing
   * else in this process runs, and the commit compares what it replaces, removes or copies with what was read. So the folder is
   * read once; what a commit does not compare is compared here: content whose stamp may not reflect another change, and deferred changes.
   * @throws {FilesystemError} as {@link apply}, and what `change` throws.
   */
  change<Result>(change: (cell: TreeCell) => Result): Result {
    this.#staged.assertFree();
    const { root, unsettled } = this.takeSnapshot();
    const cell = this.cellShowing(root);
    const result = change(cell);
    for (const content of unsettled) if (!content.isUnchanged()) throw changedOnDiskError(content.path);
    const differences = [...treeDifferences(root, cell.root, '.')];
    if (this.#pending !== undefined) this.#assertUnchanged(differences);
    this.#commitOrDefer(root, differences, false);
    return result;
  }

  /** Calls `change` with the cell of the root; what it restores there is written to the disk, or deferred. */
  restore(change: (cell: TreeCell) => void): void {
    this.#staged.assertFree();
    const cell = this.present();
    const before = cell.root;
    change(cell);
    // Compared from the side of the snapshot: what was never read there has not been changed by this process either.
    const differences = [...treeDifferences(cell.root, before, '.')].map(
      ({ path, before: wanted, after: found }) => ({ path, before: found, after: wanted }),
    );
    if (this.#pending !== undefined) {
      // The disk may have changed since the snapshot was taken.
      const { base } = this.#pending;
      cell.refresh(before);
      cell.update('.', operationsOf(differences.map((difference) => withPinnedDirectory(difference, base))));
    }
    this.#commitOrDefer(before, differences, true);
  }

  /** Pending changes of files that another process has changed as well, or made impossible; sorted by path. */
  pendingConflicts(): readonly OutsideChange[] {
    if (this.#pending === undefined) return [];
    const disk = this.#readDisk(false).root;
    const { root } = this.takeSnapshot();
    // Content that is equal on both sides is not lost.
    const isOwn = (path: string, now: TreeNode | undefined): boolean =>
      isSameNode(now, nodeAt(root, path)) || this.#ownWrites.matches(path, now);
    const { base } = this.#pending;
    const found = outsideChanges(base, treeDifferences(base, root, '.'), disk, isOwn);
    return [...found, ...lostContents(base, root, disk)].sort((left, right) =>
      left.path < right.path ? -1 : 1,
    );
  }

  /**
   * Writes all pending changes to the disk, in one commit.
   * @throws {FilesystemError} `filesystem-read-only` without a writer; `root-replaced` when the folder itself is gone; `file-changed-on-disk`, `path-forbidden`, `filesystem-storage-failed`: then
   * nothing was written and the changes are still pending.
   */
  flush(): void {
    this.#staged.assertFree();
    const held = this.#pending;
    if (held === undefined) return;
    this.parts.jail.assertInPlace();
    const [first] = this.pendingConflicts();
    if (first !== undefined) throw changedOnDiskError(first.path);
    const wanted = this.takeSnapshot().root;
    const cell = this.cellShowing(this.#readDisk(false).root);
    const before = cell.root;
    try {
      cell.update('.', patchOperations(held.base, wanted));
      cell.update('.', missingDirectories(cell.root, wanted));
    } catch (error) {
      if (!FilesystemError.isInstance(error)) throw error;
      // It was valid when it was applied.
      const path = error.details['path'];
      throw changedOnDiskError(typeof path === 'string' ? path : '.');
    }
    this.#stage(before, [...treeDifferences(before, cell.root, '.')]).land();
    this.#pending = this.#noPendingChanges();
  }

  dispose(): void {
    if (!this.#isOpen) return;
    this.#staged.dispose();
    this.#isOpen = false;
    this.#cell.dispose();
    this.parts.writer?.dispose();
    this.parts.jail.dispose();
  }

  #readDisk(followsDisk: boolean): DiskSnapshot {
    if (!this.#isOpen) throw closedError();
    const { clock, jail, limits, visible } = this.parts;
    const now = (): number => clock.now();
    const unsettled = new Set<DiskContent>();
    const { maxFileBytes } = limits;
    const texts = this.#texts;
    const buffer = this.#buffer;
    const context: ReadingContext = {
      jail,
      maxFileBytes,
      now,
      unsettled,
      texts,
      visible,
      buffer,
      followsDisk,
    };
    return { root: diskRoot(context), unsettled };
  }

  #noPendingChanges(): PendingChanges {
    const base = this.#readDisk(false).root;
    this.retain(base);
    return { base, root: this.#readDisk(true).root };
  }

  /** The files that a fork is to replace or remove, and that another process has changed since. */
  #changedByOthers(fork: TreeCell, present: DirectoryNode): readonly string[] {
    if (fork.base === undefined) return [];
    const disk = this.#pending === undefined ? undefined : this.#readDisk(false).root;
    const isOwn = (path: string, now: TreeNode | undefined): boolean =>
      disk === undefined ? this.#ownWrites.matches(path, now) : !isSameNode(now, nodeAt(disk, path));
    return outsideChanges(fork.base, fork.differences(), present, isOwn).map(({ path }) => path);
  }

  /** @throws {FilesystemError} `file-changed-on-disk` when a replaced file has changed since the change began. */
  #assertUnchanged(differences: readonly TreeDifference[]): void {
    const present = this.takeSnapshot().root;
    for (const { path, before } of differences) {
      const now = nodeAt(present, path);
      const isSame = before?.kind === 'directory' ? now?.kind === 'directory' : isSameNode(before, now);
      if (!isSame) throw changedOnDiskError(path);
    }
  }

  /** Commits the present content of the root cell, or defers it. */
  #commitOrDefer(before: DirectoryNode, differences: readonly TreeDifference[], isRestored: boolean): void {
    const { root } = this.#cell;
    if (this.#pending === undefined) {
      this.#stage(before, differences, { isRestored }).land();
      return;
    }
    this.#assertShown(differences);
    if (this.parts.writer !== undefined) assertWritableOnDisk(this.parts.jail, differences);
    this.#retainOld(differences, loadNode);
    // The root stays a directory on disk, whatever changes in it.
    if (root instanceof DiskDirectory)
      this.#pending = withoutTakenBack(this.#pending.base, root, differences);
  }

  /** Applies a patch to the present content of the root cell. */
  #patched(
    patch: FilePatch,
    fork: TreeCell | undefined,
  ): { readonly before: DirectoryNode; readonly differences: readonly TreeDifference[] } {
    this.#staged.assertFree();
    const cell = this.present();
    const before = cell.root;
    return this.parts.jail.keepingOpen(() => {
      const [changed] = fork === undefined ? [] : this.#changedByOthers(fork, before);
      if (changed !== undefined) throw changedOnDiskError(changed);
      cell.apply(patch);
      return { before, differences: [...treeDifferences(before, cell.root, '.')] };
    });
  }

  /** Stages the present content of the root cell, which shows the old content again. */
  #stage(
    before: DirectoryNode,
    differences: readonly TreeDifference[],
    options: WriteOptions = {},
  ): StagedChanges {
    const written = this.#write(before, differences, options);
    this.#cell.refresh(before);
    return this.#staged.hold(written);
  }

  #write(
    before: DirectoryNode,
    differences: readonly TreeDifference[],
    options: WriteOptions,
  ): StagedChanges {
    if (differences.length === 0) return nothingStaged;
    const { writer } = this.parts;
    if (writer === undefined) {
      throw new FilesystemError(
        'filesystem-read-only',
        'The folder was opened read-only. Open it with writeOn "apply" or "flush" to write to it.',
      );
    }
    this.#assertShown(differences);
    return writer.stage(before, differences, options, () =>
      this.#retainOld(differences, (node) => retainNode(node, writer.kept)),
    );
  }

  /** @throws {FilesystemError} `path-excluded` for changes to paths that are not visible. */
  #assertShown(differences: readonly TreeDifference[]): void {
    const { visible } = this.parts;
    if (visible === undefined) return;
    for (const { path, before, after } of differences) {
      if (after !== undefined) visible.assertTreeReached(path, after);
      if (before !== undefined) assertNothingExcluded(path, before);
    }
  }

  /** Preserves for forks and snapshots the content of the paths that are about to change. */
  #retainOld(differences: readonly TreeDifference[], keep: (node: TreeNode | undefined) => void): void {
    for (const reference of this.#snapshots) {
      const root = reference.deref();
      if (root === undefined) this.#snapshots.delete(reference);
      else
        this.parts.jail.keepingOpen(() => {
          for (const { path } of differences) keep(nodeAt(root, path));
        });
    }
  }
}

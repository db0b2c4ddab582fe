import {
  closedError,
  type DirectoryNode,
  type FilePatch,
  nodeAt,
  segmentsOf,
  TreeCell,
  type TreeDifference,
  type TreeLimits,
  type TreeNode,
  treeDifferences,
} from '../../filesystem/index.ts';
import { type CommitPlace, commit } from './commit.ts';
import { DiskContent, type ReadingContext } from './disk-content.ts';
import { type DiskDirectory, diskRoot } from './disk-directory.ts';
import { changedOnDiskError } from './disk-error.ts';
import type { HostJail } from './jail.ts';
import { KeptContents } from './kept-contents.ts';
import { OwnTraces, outsideChanges } from './outside-changes.ts';
import { planCommit } from './plan-commit.ts';
import { accessOf, type FileAccess, stampOf } from './stamp.ts';

/** One look at the folder: what is seen through it stays as it was first seen. */
export interface Sight {
  readonly root: DiskDirectory;
  readonly unsettled: ReadonlySet<DiskContent>;
}

/** A folder of the disk as the root that forks start from and commit to. */
export class DiskWorkspace {
  readonly #place: CommitPlace;
  readonly #limits: TreeLimits;
  readonly #cell: TreeCell;
  readonly #now: () => number;
  readonly #traces = new OwnTraces();
  /** What forks and snapshots see, so that it can be kept when it is about to change. */
  readonly #sights = new Set<WeakRef<DiskDirectory>>();
  readonly #kept: KeptContents;
  #isOpen = true;

  constructor(place: CommitPlace, limits: TreeLimits, now: () => number) {
    this.#place = place;
    this.#limits = limits;
    this.#now = now;
    this.#kept = new KeptContents(place.journalDirectory);
    this.#cell = TreeCell.of(this.look().root, limits, now);
  }

  get jail(): HostJail {
    return this.#place.jail;
  }

  /** The cell of the root, showing the folder as it is now. */
  present(): TreeCell {
    return this.showing(this.look().root);
  }

  /** The cell of the root, showing what a look shows. @throws {TransactionClosedError} */
  showing(root: DiskDirectory): TreeCell {
    this.#cell.assertOpen();
    this.#cell.refresh(root);
    return this.#cell;
  }

  /** A look at the folder as it is now. @throws {TransactionClosedError} */
  look(): Sight {
    if (!this.#isOpen) throw closedError();
    const unsettled = new Set<DiskContent>();
    const context: ReadingContext = {
      jail: this.jail,
      maxFileBytes: this.#limits.maxFileBytes,
      now: this.#now,
      unsettled,
    };
    return { root: diskRoot(context), unsettled };
  }

  /** A fork of what a look shows. @returns the cell, and what ends the care for what it sees. */
  fork(sight: Sight, isReadOnly: boolean): { readonly cell: TreeCell; readonly forget: () => void } {
    return { cell: this.showing(sight.root).fork(isReadOnly), forget: this.keep(sight.root) };
  }

  /** From now on, what is seen through a root stays, whatever is committed. @returns what ends that. */
  keep(root: DiskDirectory): () => void {
    const reference = new WeakRef(root);
    this.#sights.add(reference);
    return () => this.#sights.delete(reference);
  }

  /** What a fork has read or is to replace, and somebody has changed. */
  conflicts(cell: TreeCell, { unsettled }: Sight): readonly string[] {
    this.present();
    const found = new Set(cell.conflicts());
    for (const content of unsettled) if (!content.holds()) found.add(`file ${content.path}`);
    for (const phrase of this.outsideChanges(cell)) found.add(phrase);
    return [...found];
  }

  refusals(cell: TreeCell): readonly string[] {
    this.present();
    return [
      ...cell.refusals(),
      ...this.outsideChanges(cell).map((phrase) => `${phrase} was changed by somebody else.`),
    ];
  }

  /** What a fork is to replace or remove, and somebody else has changed since. */
  outsideChanges(cell: TreeCell): readonly string[] {
    return cell.base === undefined
      ? []
      : outsideChanges(cell.base, cell.root, this.look().root, this.#traces);
  }

  /**
   * Brings a patch to the disk.
   * @throws {FilesystemError} as `Filesystem.apply`, and `changed-on-disk`, `permission-denied`, `storage-failed`.
   */
  apply(patch: FilePatch, outside: readonly string[]): void {
    const [first] = outside;
    if (first !== undefined) throw changedOnDiskError(first.slice('file '.length));
    this.#applyTo(this.present(), patch);
  }

  /**
   * Brings what a fork has changed to the disk, unless somebody has changed what it read or is to replace.
   * @throws {FilesystemError} as {@link apply}.
   */
  applyUnchanged(cell: TreeCell, sight: Sight): void {
    const [conflict] = this.conflicts(cell, sight);
    if (conflict !== undefined) throw changedOnDiskError(conflict.slice(conflict.indexOf(' ') + 1));
    // On the very content that the conflicts were looked for in.
    this.#applyTo(this.#cell, cell.patch());
  }

  /** Calls back with the cell of the root; what that restores in it is brought to the disk. */
  restore(change: (cell: TreeCell) => void): void {
    const cell = this.present();
    const before = cell.root;
    change(cell);
    // Asked from the side of the snapshot: what nobody has looked at there has not been changed by this process either.
    const differences = [...treeDifferences(cell.root, before, '.')];
    this.#commit(
      before,
      differences.map(({ path, before: wanted, after: found }) => ({ path, before: found, after: wanted })),
    );
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#cell.close();
    this.#kept.close();
    this.jail.close();
  }

  #applyTo(cell: TreeCell, patch: FilePatch): void {
    const before = cell.root;
    cell.apply(patch);
    this.#commit(before, [...treeDifferences(before, cell.root, '.')]);
  }

  #commit(before: DirectoryNode, differences: readonly TreeDifference[]): void {
    if (differences.length === 0) return;
    const plan = planCommit(before, differences, (path) => this.#accessOf(path));
    this.#keepOld(differences);
    commit(this.#place, plan);
    for (const { path, before: old } of differences)
      if (old !== undefined) this.#traces.leave(path, undefined);
    for (const step of plan.steps) {
      if (step.op === 'take') continue;
      const stats = this.jail.statOf(segmentsOf(step.path));
      if (stats?.isFile()) this.#traces.leave(step.path, stampOf(stats));
    }
  }

  #accessOf(path: string): FileAccess | undefined {
    const stats = this.jail.statOf(segmentsOf(path));
    return stats === undefined ? undefined : accessOf(stats);
  }

  /** Lets forks and snapshots keep what they see, or would see, at the paths that are about to change. */
  #keepOld(differences: readonly TreeDifference[]): void {
    for (const reference of this.#sights) {
      const root = reference.deref();
      if (root === undefined) this.#sights.delete(reference);
      else for (const { path } of differences) keepNode(nodeAt(root, path), this.#kept);
    }
  }
}

function keepNode(node: TreeNode | undefined, store: KeptContents): void {
  if (node?.kind === 'file' && node.content instanceof DiskContent) node.content.keep(store);
  if (node?.kind === 'directory') for (const child of node.entries.values()) keepNode(child, store);
}

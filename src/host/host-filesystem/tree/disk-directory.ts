import type { BigIntStats } from 'node:fs';
import {
  bytesOf,
  type DirectoryNode,
  directoriesOf,
  filesOf,
  joinPath,
  type LazyDirectory,
  type NamedNode,
  type TreeNode,
} from '../../../core/filesystem/index.ts';
import { PersistentMap } from '../../../core/internal/index.ts';
import { identityOf, modeOf } from '../../disk/stamp.ts';
import { errorCode } from '../../disk/system-error.ts';
import { diskError } from '../jail/disk-error.ts';
import { isTemporaryName } from '../jail/jail.ts';
import type { Segments } from '../jail/open-directories.ts';
import { type DirectoryTotals, type Listing, readEntries, totalsOf } from './directory-listing.ts';
import type { ReadingContext } from './disk-content.ts';
import { DiskFile } from './disk-file.ts';
import { leafNode } from './disk-leaf.ts';

/** A directory on disk. What was once read of it stays the same: single names, or all of them. */
class DirectorySource {
  readonly segments: Segments;
  /** Its permissions, device and inode when it was first read; undefined for the root. */
  readonly mode: number | undefined;
  readonly identity: string | undefined;
  readonly #context: ReadingContext;
  readonly #known = new Map<string, TreeNode | undefined>();
  #entries: PersistentMap<TreeNode> | undefined;
  #totals: DirectoryTotals | undefined;
  readonly #listing: Listing = {
    invalidNames: [],
    unlistedNames: [],
    hasExcluded: false,
    refusal: undefined,
  };
  #isRead = false;
  #isListed = false;
  #isInPlace = false;
  /** Whether files are inspected as soon as they are listed. */
  #inspectsFiles: boolean;
  readonly #refreshed = new Map<object, TreeNode | undefined>();

  /** @param inspectsFiles whether files are inspected as soon as they are listed. Default: when something is asked of them. */
  constructor(context: ReadingContext, segments: Segments, stats?: BigIntStats, inspectsFiles = false) {
    this.#context = context;
    this.segments = segments;
    this.mode = stats === undefined ? undefined : modeOf(stats);
    this.identity = stats === undefined ? undefined : identityOf(stats);
    this.#inspectsFiles = inspectsFiles;
  }

  get isListed(): boolean {
    return this.#isListed;
  }

  /** Inspects every file that was listed, at any depth, and from now on at those that will be. */
  inspectFiles(): void {
    if (this.#inspectsFiles) return;
    this.#inspectsFiles = true;
    for (const node of this.#known.values()) inspectFilesOf(node);
  }

  get listing(): Readonly<Listing> {
    this.#readAll();
    return this.#listing;
  }

  get knownNames(): Iterable<string> {
    return this.#known.keys();
  }

  childOf(name: string): TreeNode | undefined {
    const known = this.#known.get(name);
    if (known !== undefined || this.#isListed || this.#known.has(name)) return known;
    const node = isTemporaryName(name) ? undefined : this.#readChild(name);
    this.#known.set(name, node);
    return node;
  }

  get entries(): PersistentMap<TreeNode> {
    if (this.#entries !== undefined) return this.#entries;
    let entries = PersistentMap.empty<TreeNode>();
    for (const [name, child] of this.children()) entries = entries.set(name, child);
    this.#entries = entries;
    return entries;
  }

  *children(): Generator<NamedNode, void> {
    this.#list();
    for (const [name, child] of this.#known) if (child !== undefined) yield [name, child];
  }

  /** Every name in it, and names that were asked for. */
  get listedNames(): Iterable<string> {
    this.#list();
    return this.#known.keys();
  }

  /**
   * A changed directory, rebased onto this snapshot so that its unchanged parts show the present disk. A directory that is gone from the
   * disk is shown only if something was added to it; a removal in it does not keep it.
   * @param override the override that holds `directory`.
   */
  refreshedDirectory(name: string, override: object, directory: DiskDirectory): TreeNode | undefined {
    const segments = [...this.segments, name];
    if (!this.#context.followsDisk || directory.isReadIn(this.#context) || !directory.followsDiskAt(segments))
      return directory;
    if (this.#refreshed.has(override)) return this.#refreshed.get(override);
    const present = this.childOf(name);
    const anew =
      present instanceof DiskDirectory
        ? directory.rebasedOn(present)
        : directory.addsEntries
          ? directory.rebasedOn(new DiskDirectory(new DirectorySource(this.#context, segments)))
          : present;
    this.#refreshed.set(override, anew);
    return anew;
  }

  isOf(context: ReadingContext): boolean {
    return this.#context === context;
  }

  get totals(): DirectoryTotals {
    return (this.#totals ??= totalsOf(this.children()));
  }

  #list(): void {
    this.#readAll();
    this.#isListed = true;
  }

  /** Reads every name that has not been read yet. */
  #readAll(): void {
    if (this.#isRead) return;
    this.#assertInPlace();
    this.#isRead = true;
    readEntries(this.#context.jail, this.segments, this.#listing, {
      inspectsFiles: this.#inspectsFiles,
      isKnown: (name) => this.#known.has(name),
      onFile: (name) => this.#known.set(name, this.#listedFile(name)),
      onEntry: (name, stats) =>
        this.#known.set(
          name,
          stats === undefined ? undefined : this.#visibleNode([...this.segments, name], stats),
        ),
    });
  }

  /** Every access starts at the root, so one check there is enough. */
  #assertInPlace(): void {
    if (this.segments.length > 0 || this.#isInPlace) return;
    this.#context.jail.assertInPlace();
    this.#isInPlace = true;
  }

  #readChild(name: string): TreeNode | undefined {
    this.#assertInPlace();
    const segments = [...this.segments, name];
    try {
      const stats = this.#context.jail.statOf(segments);
      return stats === undefined ? undefined : this.#visibleNode(segments, stats);
    } catch (error) {
      if (errorCode(error) === 'ENAMETOOLONG') return undefined;
      throw diskError(joinPath(segments), error);
    }
  }

  /** A file that was listed and not inspected. */
  #listedFile(name: string): TreeNode | undefined {
    const { visible } = this.#context;
    if (visible?.shows(joinPath([...this.segments, name]), 'file') !== false)
      return new DiskFile(this.#context, this.segments, name);
    this.#listing.hasExcluded = true;
    return undefined;
  }

  #visibleNode(segments: Segments, stats: BigIntStats): TreeNode | undefined {
    const { visible } = this.#context;
    if (visible === undefined) return this.#nodeOf(segments, stats);
    const path = joinPath(segments);
    const node = visible.shows(path) ? this.#nodeOf(segments, stats) : undefined;
    if (node !== undefined && visible.shows(path, node.kind)) return node;
    this.#listing.hasExcluded = true;
    return undefined;
  }

  #nodeOf(segments: Segments, stats: BigIntStats): TreeNode {
    return stats.isDirectory()
      ? new DiskDirectory(new DirectorySource(this.#context, segments, stats, this.#inspectsFiles))
      : leafNode(this.#context, segments, stats);
  }
}

/** A change of one entry of a directory on disk; `node` is undefined for a removed entry. */
interface Override {
  readonly node: TreeNode | undefined;
}

/** A directory on disk with changes that are not on the disk. It is read on demand. */
export class DiskDirectory implements DirectoryNode, LazyDirectory {
  readonly kind = 'directory';
  readonly lazy: this = this;
  readonly #source: DirectorySource;
  readonly #overrides: PersistentMap<Override>;
  #entries: PersistentMap<TreeNode> | undefined;
  #totals: DirectoryTotals | undefined;

  /** False for a pinned directory, which shows what was read of it, whatever is at its path now. */
  readonly followsDisk: boolean;

  /** @internal Use {@link diskRoot}. */
  constructor(
    source: DirectorySource,
    overrides: PersistentMap<Override> = PersistentMap.empty(),
    followsDisk = true,
  ) {
    this.#source = source;
    this.#overrides = overrides;
    this.followsDisk = followsDisk;
  }

  /** Its path on the disk. */
  get segments(): Segments {
    return this.#source.segments;
  }

  /** Its permissions when it was first read; undefined for the root. */
  get mode(): number | undefined {
    return this.#source.mode;
  }

  /** Its device and inode when it was first read; undefined for the root. */
  get identity(): string | undefined {
    return this.#source.identity;
  }

  /** What it holds beside its entries; that must not be lost unseen. */
  get listing(): Readonly<Listing> {
    return this.#source.listing;
  }

  /** True when nothing in it differs from the disk. */
  get isUnchanged(): boolean {
    return this.#overrides.size === 0;
  }

  /** True when something is in it, at any depth, that was not taken from the disk at its path. */
  get addsEntries(): boolean {
    for (const [name, { node }] of this.#overrides) {
      if (node === undefined) continue;
      if (!(node instanceof DiskDirectory) || !node.followsDiskAt([...this.segments, name])) return true;
      if (node.addsEntries) return true;
    }
    return false;
  }

  get entries(): PersistentMap<TreeNode> {
    if (this.#entries === undefined) {
      let { entries } = this.#source;
      for (const [name, override] of this.#overrides) {
        const node = this.#nodeOf(name, override);
        entries = node === undefined ? entries.delete(name) : entries.set(name, node);
      }
      this.#entries = entries;
    }
    return this.#entries;
  }

  get bytes(): number {
    return this.#sum().bytes;
  }

  get files(): number {
    return this.#sum().files;
  }

  get directories(): number {
    return this.#sum().directories;
  }

  childOf(name: string): TreeNode | undefined {
    const override = this.isUnchanged ? undefined : this.#overrides.get(name);
    return override === undefined ? this.#source.childOf(name) : this.#nodeOf(name, override);
  }

  /** Whether both show the same directory of the same snapshot, with whatever changes. */
  isOfSource(other: DiskDirectory): boolean {
    return this.#source === other.#source;
  }

  /** The same changes on the directory as another snapshot shows it. */
  rebasedOn(other: DiskDirectory): DiskDirectory {
    return new DiskDirectory(other.#source, this.#overrides);
  }

  /** The same directory, from now on as this snapshot shows it. */
  pinned(): DiskDirectory {
    return new DiskDirectory(this.#source, this.#overrides, false);
  }

  isReadIn(context: ReadingContext): boolean {
    return this.#source.isOf(context);
  }

  children(): Iterable<NamedNode> {
    return this.isUnchanged ? this.#source.children() : this.#changedChildren();
  }

  *#changedChildren(): Generator<NamedNode, void> {
    for (const named of this.#source.children()) if (!this.#overrides.has(named[0])) yield named;
    for (const [name, override] of this.#overrides) {
      const node = this.#nodeOf(name, override);
      if (node !== undefined) yield [name, node];
    }
  }

  /** Inspects every file in it that was listed, and from now on at those that will be. */
  inspectFiles(): void {
    this.#source.inspectFiles();
  }

  withChild(name: string, child: TreeNode | undefined): DirectoryNode {
    const override = this.#overrides.get(name);
    const replaced = this.childOf(name);
    if (override !== undefined && replaced === child) return this;
    // A commit compares what is taken away with what it was when that was decided.
    if (!isSameDirectory(replaced, child)) inspectFilesOf(replaced);
    return new DiskDirectory(this.#source, this.#overrides.set(name, { node: child }), this.followsDisk);
  }

  /** The same directory, which shows at a path in it what the disk has there, unless a directory on the way was moved or replaced. */
  withoutChangeAt([name = '.', ...rest]: Segments): DiskDirectory {
    if (rest.length === 0)
      return new DiskDirectory(this.#source, this.#overrides.delete(name), this.followsDisk);
    const node = this.#overrides.get(name)?.node;
    if (!(node instanceof DiskDirectory) || !node.followsDiskAt([...this.segments, name])) return this;
    const changed = this.#overrides.set(name, { node: node.withoutChangeAt(rest) });
    return new DiskDirectory(this.#source, changed, this.followsDisk);
  }

  /** True at its own path, unless it is pinned: a directory that was moved shows what it was moved with. */
  followsDiskAt(segments: Segments): boolean {
    return this.followsDisk && joinPath(this.segments) === joinPath(segments);
  }

  namesToCompare(other: DirectoryNode): Iterable<string> | undefined {
    if (!(other instanceof DiskDirectory)) return undefined;
    const changed = [...this.#overrides.keys(), ...other.#overrides.keys()];
    if (other.#source === this.#source) return new Set(changed);
    if (this.#source.isListed || other.#source.isListed)
      return new Set([...changed, ...this.#source.listedNames, ...other.#source.listedNames]);
    return new Set([...changed, ...this.#source.knownNames, ...other.#source.knownNames]);
  }

  #nodeOf(name: string, override: Override): TreeNode | undefined {
    const { node } = override;
    return node instanceof DiskDirectory ? this.#source.refreshedDirectory(name, override, node) : node;
  }

  #sum(): DirectoryTotals {
    if (this.#totals === undefined) {
      let { bytes, files, directories } = this.#source.totals;
      for (const [name, override] of this.#overrides) {
        const node = this.#nodeOf(name, override);
        const old = this.#source.childOf(name);
        bytes += bytesOf(node) - bytesOf(old);
        files += filesOf(node) - filesOf(old);
        directories += directoriesOf(node) - directoriesOf(old);
      }
      this.#totals = { bytes, files, directories };
    }
    return this.#totals;
  }
}

function isSameDirectory(left: TreeNode | undefined, right: TreeNode | undefined): boolean {
  return left instanceof DiskDirectory && right instanceof DiskDirectory && left.isOfSource(right);
}

/** Inspects a file, or the files of a directory: what was found once stays the same. */
export function inspectFilesOf(node: TreeNode | undefined): void {
  if (node instanceof DiskFile) node.inspect();
  else if (node instanceof DiskDirectory) node.inspectFiles();
}

/** A new snapshot of the folder, read from the disk on first access. */
export function diskRoot(context: ReadingContext): DiskDirectory {
  return new DiskDirectory(new DirectorySource(context, []));
}

import { type BigIntStats, lstatSync, readdirSync } from 'node:fs';
import type { FilesystemError } from '../../../core/error/index.ts';
import {
  bytesOf,
  type DirectoryNode,
  directoriesOf,
  filesOf,
  joinPath,
  type LazyDirectory,
  maxPathDepth,
  type TreeNode,
} from '../../../core/filesystem/index.ts';
import { PersistentMap } from '../../../core/internal/index.ts';
import { identityOf, modeOf } from '../../disk/stamp.ts';
import { errorCode } from '../../disk/system-error.ts';
import { diskError, NoDirectoryError } from '../jail/disk-error.ts';
import { isTemporaryName } from '../jail/jail.ts';
import type { Segments } from '../jail/open-directories.ts';
import type { ReadingContext } from './disk-content.ts';
import { leafNode } from './disk-leaf.ts';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

interface Totals {
  readonly bytes: number;
  readonly files: number;
  readonly directories: number;
}

/** What a directory was found to hold beside its entries, once all of it was read. */
interface Listing {
  /** Names in it that are not valid in a path, as far as they can be shown: they are not UTF-8, or contain a backslash. */
  readonly invalidNames: string[];
  /** The invalid names, and names of files that a commit was writing when it was interrupted. */
  readonly unlistedNames: string[];
  /** True when it contains an entry that the file system excludes. */
  hasExcluded: boolean;
  /** Why it cannot be listed; undefined when it can. A search treats such a directory as empty. */
  refusal: FilesystemError | undefined;
}

/** A directory on disk. What was once read of it stays the same: single names, or all of them. */
class DirectorySource {
  readonly segments: Segments;
  /** Its permissions, device and inode when it was first read; undefined for the root. */
  readonly mode: number | undefined;
  readonly identity: string | undefined;
  readonly #context: ReadingContext;
  readonly #known = new Map<string, TreeNode | undefined>();
  #entries: PersistentMap<TreeNode> | undefined;
  #totals: Totals | undefined;
  readonly #listing: Listing = {
    invalidNames: [],
    unlistedNames: [],
    hasExcluded: false,
    refusal: undefined,
  };
  #isRead = false;
  #isInPlace = false;
  readonly #refreshed = new Map<object, TreeNode | undefined>();

  constructor(context: ReadingContext, segments: Segments, stats?: BigIntStats) {
    this.#context = context;
    this.segments = segments;
    this.mode = stats === undefined ? undefined : modeOf(stats);
    this.identity = stats === undefined ? undefined : identityOf(stats);
  }

  get isListed(): boolean {
    return this.#entries !== undefined;
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
    if (known !== undefined || this.#entries !== undefined || this.#known.has(name)) return known;
    const node = isTemporaryName(name) ? undefined : this.#readChild(name);
    this.#known.set(name, node);
    return node;
  }

  get entries(): PersistentMap<TreeNode> {
    if (this.#entries !== undefined) return this.#entries;
    this.#readAll();
    let entries = PersistentMap.empty<TreeNode>();
    for (const [name, child] of this.#known) {
      if (child !== undefined) entries = entries.set(name, child);
    }
    this.#entries = entries;
    return entries;
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

  get totals(): Totals {
    if (this.#totals === undefined) {
      let [bytes, files, directories] = [0, 0, 0];
      for (const child of this.entries.values()) {
        bytes += bytesOf(child);
        files += filesOf(child);
        directories += directoriesOf(child);
      }
      this.#totals = { bytes, files, directories };
    }
    return this.#totals;
  }

  /** Reads every name that has not been read yet, from one open directory. */
  #readAll(): void {
    if (this.#isRead) return;
    this.#assertInPlace();
    this.#isRead = true;
    try {
      const isTooDeep = this.segments.length >= maxPathDepth;
      this.#context.jail.within(this.segments, (pathOf) => {
        for (const name of readdirSync(pathOf(), { encoding: 'buffer' })) {
          const text = decoder.decode(name);
          const isTemporary = isTemporaryName(text);
          if (isTemporary || isTooDeep || text.includes('\\') || !Buffer.from(text).equals(name)) {
            this.#listing.unlistedNames.push(text);
            if (!isTemporary) this.#listing.invalidNames.push(text);
            continue;
          }
          if (this.#known.has(text)) continue;
          const stats = lstatSync(pathOf(text), { bigint: true, throwIfNoEntry: false });
          this.#known.set(
            text,
            stats === undefined ? undefined : this.#visibleNode([...this.segments, text], stats),
          );
        }
      });
    } catch (error) {
      // Gone since it was first read: it is empty, which a comparison will show.
      if (error instanceof NoDirectoryError && this.segments.length > 0) return;
      const refusal = diskError(joinPath(this.segments), error);
      if (refusal.code !== 'path-forbidden') throw refusal;
      this.#listing.refusal = refusal;
    }
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
      ? new DiskDirectory(new DirectorySource(this.#context, segments, stats))
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
  #totals: Totals | undefined;

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

  withChild(name: string, child: TreeNode | undefined): DirectoryNode {
    const override = this.#overrides.get(name);
    if (override !== undefined && this.#nodeOf(name, override) === child) return this;
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
    if (this.#source.isListed || other.#source.isListed) return undefined;
    return new Set([...changed, ...this.#source.knownNames, ...other.#source.knownNames]);
  }

  #nodeOf(name: string, override: Override): TreeNode | undefined {
    const { node } = override;
    return node instanceof DiskDirectory ? this.#source.refreshedDirectory(name, override, node) : node;
  }

  #sum(): Totals {
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

/** A new snapshot of the folder, read from the disk on first access. */
export function diskRoot(context: ReadingContext): DiskDirectory {
  return new DiskDirectory(new DirectorySource(context, []));
}

import { showName } from '../../internal/index.ts';
import { bytesOf, type DirectoryNode, isSameNode, type TreeNode } from '../content/tree-node.ts';
import type { Glob } from '../glob/glob.ts';
import { childPath, parentPath } from '../path/path.ts';
import { nodeAt, resolvePath, type TreeLimits } from '../tree/tree.ts';
import { entryDifferences, leavesOf, treeDifferences } from '../tree/tree-difference.ts';

/**
 * One read of a fork, on which its outcome may depend.
 *
 * - `file`: the file at a path with its content and time, or the kind of whatever else is at the path.
 * - `kind`: whether a file, a directory or nothing is at a path, or a parent of the path is a file.
 * - `listing`: names, kinds and sizes of the children of a directory.
 * - `emptiness`: a directory was empty, which depends on the names of its children (the fork may have removed some).
 * - `names`: the names and kinds of everything below a directory, without content.
 * - `glob`: which files match below a directory.
 * - `grep`: content of the files that match below a directory (all without `glob`).
 * - `tree`: everything below a path.
 * - `quota`: writes succeeded because the totals never exceeded these peaks; the bytes of `released` paths were freed.
 * - `quota-refusal`: a write was refused because of a total, which depends on every file.
 */
export type FilesystemRead =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'kind'; readonly path: string }
  | { readonly kind: 'listing'; readonly path: string }
  | { readonly kind: 'emptiness'; readonly path: string }
  | { readonly kind: 'names'; readonly path: string }
  | { readonly kind: 'glob'; readonly path: string; readonly glob: Glob }
  | { readonly kind: 'grep'; readonly path: string; readonly glob: Glob | undefined }
  | { readonly kind: 'tree'; readonly path: string }
  | QuotaRead
  | { readonly kind: 'quota-refusal' };

/** The highest totals that writes were allowed at, and the paths whose former nodes no longer count. */
export interface QuotaRead {
  readonly kind: 'quota';
  readonly bytes: number;
  readonly files: number;
  readonly directories: number;
  readonly released: ReadonlySet<string>;
}

/** The kind of a read. The description of a conflict is the kind, or starts with the kind and a space. */
export type ReadKind = FilesystemRead['kind'];

/** The trees to compare: the base that the fork started from, and the present content. */
interface Comparison {
  readonly base: DirectoryNode;
  readonly present: DirectoryNode;
  readonly limits: TreeLimits;
}

type ReadOf<Kind extends ReadKind> = Extract<FilesystemRead, { readonly kind: Kind }>;

/** The kind of the node at a path, or where the path ends before it. */
export function kindAt(root: DirectoryNode, path: string): string {
  const resolution = resolvePath(root, path);
  if (resolution.kind === 'node') return resolution.node.kind;
  return resolution.kind === 'blocked' ? `below ${resolution.at}` : 'absent';
}

function hasKindChanged(path: string, { base, present }: Comparison): boolean {
  return kindAt(base, path) !== kindAt(present, path);
}

function isSameEntry(before: TreeNode | undefined, after: TreeNode | undefined): boolean {
  if (before === undefined || after === undefined || before.kind !== after.kind) return false;
  return before.kind === 'directory' || bytesOf(before) === bytesOf(after);
}

/** Both nodes at the path when they differ and are directories, so that a comparison must descend into them. */
function changedDirectories(
  path: string,
  { base, present }: Comparison,
): readonly [DirectoryNode, DirectoryNode] | undefined {
  const before = nodeAt(base, path);
  const after = nodeAt(present, path);
  return before !== after && before?.kind === 'directory' && after?.kind === 'directory'
    ? [before, after]
    : undefined;
}

/** True when a file below `root` that `glob` matches differs between the two nodes. */
function hasMatchingFile(
  root: string,
  glob: Glob | undefined,
  path: string,
  node: TreeNode | undefined,
): boolean {
  for (const leaf of leavesOf(node, path)) {
    if (leaf.node.kind !== 'file') continue;
    if (glob === undefined || glob.test(root === '.' ? leaf.path : leaf.path.slice(root.length + 1)))
      return true;
  }
  return false;
}

function hasFileChanged({ path }: ReadOf<'file'>, moment: Comparison): boolean {
  if (hasKindChanged(path, moment)) return true;
  const before = nodeAt(moment.base, path);
  return before?.kind === 'file' && !isSameNode(before, nodeAt(moment.present, path));
}

function hasListingChanged({ path }: ReadOf<'listing'>, moment: Comparison): boolean {
  if (hasKindChanged(path, moment)) return true;
  const changed = changedDirectories(path, moment);
  if (changed === undefined) return false;
  for (const { before, after } of entryDifferences(changed[0], changed[1])) {
    if (!isSameEntry(before, after)) return true;
  }
  return false;
}

function hasEmptinessChanged({ path }: ReadOf<'emptiness'>, moment: Comparison): boolean {
  if (hasKindChanged(path, moment)) return true;
  const changed = changedDirectories(path, moment);
  if (changed === undefined) return false;
  for (const { before, after } of entryDifferences(changed[0], changed[1])) {
    if ((before === undefined) !== (after === undefined)) return true;
  }
  return false;
}

function haveNamesChanged({ path }: ReadOf<'names'>, moment: Comparison): boolean {
  if (hasKindChanged(path, moment)) return true;
  const changed = changedDirectories(path, moment);
  if (changed === undefined) return false;
  for (const { before, after } of treeDifferences(changed[0], changed[1], path)) {
    if (before?.kind !== after?.kind) return true;
  }
  return false;
}

function hasGlobChanged({ path, glob }: ReadOf<'glob'>, moment: Comparison): boolean {
  if (hasKindChanged(path, moment)) return true;
  const changed = changedDirectories(path, moment);
  if (changed === undefined) return false;
  for (const difference of treeDifferences(changed[0], changed[1], path)) {
    const { before, after } = difference;
    if (before?.kind === 'file' && after?.kind === 'file') continue;
    if (hasMatchingFile(path, glob, difference.path, before)) return true;
    if (hasMatchingFile(path, glob, difference.path, after)) return true;
  }
  return false;
}

function hasGrepChanged({ path, glob }: ReadOf<'grep'>, moment: Comparison): boolean {
  if (hasFileChanged({ kind: 'file', path }, moment)) return true;
  const changed = changedDirectories(path, moment);
  if (changed === undefined) return false;
  for (const difference of treeDifferences(changed[0], changed[1], path)) {
    if (hasMatchingFile(path, glob, difference.path, difference.before)) return true;
    if (hasMatchingFile(path, glob, difference.path, difference.after)) return true;
  }
  return false;
}

function hasTreeChanged({ path }: ReadOf<'tree'>, moment: Comparison): boolean {
  if (hasKindChanged(path, moment)) return true;
  const [before, after] = [nodeAt(moment.base, path), nodeAt(moment.present, path)];
  return treeDifferences(before, after, path).next().done !== true;
}

/** The number of parent directories of the paths that were in the base and are gone: writing to the paths creates them again. */
function countLostParents(paths: ReadonlySet<string>, { base, present }: Omit<Comparison, 'limits'>): number {
  const lost = new Set<string>();
  const isDirectory = (root: DirectoryNode, path: string): boolean =>
    nodeAt(root, path)?.kind === 'directory';
  for (const path of paths) {
    for (let at = parentPath(path); at !== '.' && !isDirectory(present, at); at = parentPath(at))
      if (isDirectory(base, at)) lost.add(at);
  }
  return lost.size;
}

/**
 * Upper bounds of the peaks on the present content: each former peak, plus the growth of the present content over
 * the base, plus the bytes that replaced or removed paths would free less than before, plus the directories to create again.
 */
function rebasedQuota(read: ReadOf<'quota'>, { base, present }: Omit<Comparison, 'limits'>): ReadOf<'quota'> {
  let bytes = read.bytes + present.bytes - base.bytes;
  for (const path of read.released) {
    const before = nodeAt(base, path);
    const after = nodeAt(present, path);
    if (isSameNode(before, after)) continue;
    bytes += Math.max(
      0,
      (before === undefined ? 0 : bytesOf(before)) - (after === undefined ? 0 : bytesOf(after)),
    );
  }
  return {
    ...read,
    bytes,
    files: read.files + present.files - base.files,
    directories:
      read.directories +
      present.directories -
      base.directories +
      countLostParents(read.released, { base, present }),
  };
}

/** True when a write that succeeded might now be refused. */
function hasQuotaChanged(read: ReadOf<'quota'>, moment: Comparison): boolean {
  const { bytes, files, directories } = rebasedQuota(read, moment);
  const { maxBytes, maxFiles, maxDirectories } = moment.limits;
  return bytes > maxBytes || files > maxFiles || directories > maxDirectories;
}

function hasQuotaRefusalChanged(_read: ReadOf<'quota-refusal'>, { base, present }: Comparison): boolean {
  return base !== present;
}

/** One comparison for each kind of read: true when the same read of the present content may give another result. */
function hasChanged(read: FilesystemRead, moment: Comparison): boolean {
  switch (read.kind) {
    case 'file':
      return hasFileChanged(read, moment);
    case 'kind':
      return hasKindChanged(read.path, moment);
    case 'listing':
      return hasListingChanged(read, moment);
    case 'emptiness':
      return hasEmptinessChanged(read, moment);
    case 'names':
      return haveNamesChanged(read, moment);
    case 'glob':
      return hasGlobChanged(read, moment);
    case 'grep':
      return hasGrepChanged(read, moment);
    case 'tree':
      return hasTreeChanged(read, moment);
    case 'quota':
      return hasQuotaChanged(read, moment);
    case 'quota-refusal':
      return hasQuotaRefusalChanged(read, moment);
  }
}

/** The read in a short phrase: its kind, a space, and a path or pattern. */
export function describeRead(read: FilesystemRead): string {
  switch (read.kind) {
    case 'quota':
    case 'quota-refusal':
      return read.kind;
    case 'glob':
      return `glob ${showName(childPath(read.path, read.glob.pattern))}`;
    case 'grep':
      return `grep ${showName(read.glob === undefined ? read.path : childPath(read.path, read.glob.pattern))}`;
    case 'file':
    case 'kind':
    case 'listing':
    case 'emptiness':
    case 'names':
    case 'tree':
      return `${read.kind} ${showName(read.path)}`;
  }
}

/** Equal for equal reads. A path cannot contain the NUL that separates the parts. */
function keyOf(read: Exclude<FilesystemRead, QuotaRead>): string {
  const path = read.kind === 'quota-refusal' ? '' : read.path;
  const pattern = read.kind === 'glob' || read.kind === 'grep' ? read.glob?.pattern : undefined;
  return pattern === undefined ? `${read.kind}\0${path}` : `${read.kind}\0${path}\0${pattern}`;
}

/** True when the read found a file that was written since `base`: its content depends on earlier reads alone. */
export function isOwnFile(read: FilesystemRead, base: DirectoryNode, seen: DirectoryNode): boolean {
  if (read.kind !== 'file' && read.kind !== 'tree') return false;
  const node = nodeAt(seen, read.path);
  return node?.kind === 'file' && !isSameNode(node, nodeAt(base, read.path));
}

/** The reads of one fork, without duplicates. */
export class FilesystemReadSet {
  readonly #reads = new Map<string, FilesystemRead>();
  #quota: { bytes: number; files: number; directories: number; readonly released: Set<string> } | undefined;

  /** Every read, without those of quotas. */
  all(): Iterable<FilesystemRead> {
    return this.#reads.values();
  }

  /** Records a read. Quota peaks are merged. */
  record(read: FilesystemRead): void {
    if (read.kind === 'quota') this.#recordQuota(read);
    else this.#reads.set(keyOf(read), read);
  }

  /** The quota peaks rebased onto `present`; undefined when no write was checked against a quota. */
  quotaOn(base: DirectoryNode, present: DirectoryNode): QuotaRead | undefined {
    return this.#quota === undefined
      ? undefined
      : rebasedQuota({ kind: 'quota', ...this.#quota }, { base, present });
  }

  /** Descriptions of the reads whose result may differ between `base` and `present`. */
  conflicts(base: DirectoryNode, present: DirectoryNode, limits: TreeLimits): readonly string[] {
    const moment: Comparison = { base, present, limits };
    const reads: FilesystemRead[] = [...this.#reads.values()];
    if (this.#quota !== undefined) reads.push({ kind: 'quota', ...this.#quota });
    return reads.filter((read) => hasChanged(read, moment)).map(describeRead);
  }

  #recordQuota(read: QuotaRead): void {
    this.#quota ??= { bytes: 0, files: 0, directories: 0, released: new Set() };
    this.#quota.bytes = Math.max(this.#quota.bytes, read.bytes);
    this.#quota.files = Math.max(this.#quota.files, read.files);
    this.#quota.directories = Math.max(this.#quota.directories, read.directories);
    for (const path of read.released) this.#quota.released.add(path);
  }
}

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
  | { readonly kind: 'file' | 'kind' | 'listing' | 'emptiness' | 'names' | 'tree'; readonly path: string }
  | { readonly kind: 'glob'; readonly path: string; readonly glob: Glob }
  | { readonly kind: 'grep'; readonly path: string; readonly glob: Glob | undefined }
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

/** The trees to compare: the base that the fork started from, and the present content. */
interface Comparison {
  readonly base: DirectoryNode;
  readonly present: DirectoryNode;
}

/** A read of what is at or below a path. */
export type PathRead = Extract<FilesystemRead, { readonly path: string }>;

/** The kind of the node at a path, or where the path ends before it. */
export function kindAt(root: DirectoryNode, path: string): string {
  const resolution = resolvePath(root, path);
  if (resolution.kind === 'node') return resolution.node.kind;
  return resolution.kind === 'blocked' ? `below ${resolution.at}` : 'absent';
}

function isSameEntry(before: TreeNode | undefined, after: TreeNode | undefined): boolean {
  if (before === undefined || after === undefined || before.kind !== after.kind) return false;
  return before.kind === 'directory' || bytesOf(before) === bytesOf(after);
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

/** The number of parent directories of the paths that were in the base and are gone: writing to the paths creates them again. */
function countLostParents(paths: ReadonlySet<string>, { base, present }: Comparison): number {
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
function rebasedQuota(read: QuotaRead, { base, present }: Comparison): QuotaRead {
  let bytes = read.bytes + present.bytes - base.bytes;
  for (const path of read.released) {
    const before = nodeAt(base, path);
    const after = nodeAt(present, path);
    if (isSameNode(before, after)) continue;
    bytes += Math.max(0, bytesOf(before) - bytesOf(after));
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
function hasQuotaChanged(
  read: QuotaRead,
  moment: Comparison,
  { maxBytes, maxFiles, maxDirectories }: TreeLimits,
): boolean {
  const { bytes, files, directories } = rebasedQuota(read, moment);
  return bytes > maxBytes || files > maxFiles || directories > maxDirectories;
}

/** True when the same read of the present content may give another result. */
function hasChanged(read: FilesystemRead, moment: Comparison, limits: TreeLimits): boolean {
  const { base, present } = moment;
  if (read.kind === 'quota') return hasQuotaChanged(read, moment, limits);
  if (read.kind === 'quota-refusal') return base !== present;
  const { kind, path } = read;
  if (kindAt(base, path) !== kindAt(present, path)) return true;
  const before = nodeAt(base, path);
  const after = nodeAt(present, path);
  if (kind === 'kind' || before === undefined || after === undefined || before === after) return false;
  if (before.kind === 'directory' && after.kind === 'directory')
    return hasDirectoryChanged(read, before, after);
  return (kind === 'file' || kind === 'grep' || kind === 'tree') && !isSameNode(before, after);
}

/** The same for a read of a directory that is another one now: whether one of their differences was seen by the read. */
function hasDirectoryChanged(read: PathRead, before: DirectoryNode, after: DirectoryNode): boolean {
  const { path } = read;
  switch (read.kind) {
    case 'file':
    case 'kind':
      return false;
    case 'listing':
      return some(entryDifferences(before, after), (entry) => !isSameEntry(entry.before, entry.after));
    case 'emptiness':
      return some(
        entryDifferences(before, after),
        (entry) => (entry.before === undefined) !== (entry.after === undefined),
      );
    case 'names':
      return some(treeDifferences(before, after, path), (at) => at.before?.kind !== at.after?.kind);
    case 'glob':
    case 'grep':
      return some(treeDifferences(before, after, path), (at) => {
        const isRewritten = at.before?.kind === 'file' && at.after?.kind === 'file';
        // Which files match does not depend on their content.
        if (read.kind === 'glob' && isRewritten) return false;
        return [at.before, at.after].some((node) => hasMatchingFile(path, read.glob, at.path, node));
      });
    case 'tree':
      return some(treeDifferences(before, after, path), () => true);
  }
}

function some<Item>(items: Iterable<Item>, test: (item: Item) => boolean): boolean {
  for (const item of items) if (test(item)) return true;
  return false;
}

/** The read in a short phrase: its kind, a space, and a path or pattern. */
export function describeRead(read: FilesystemRead): string {
  const { kind } = read;
  if (!('path' in read)) return kind;
  const pattern = patternOf(read);
  return `${kind} ${showName(pattern === undefined ? read.path : childPath(read.path, pattern))}`;
}

/** The pattern of the files that a read is limited to. */
export function patternOf(read: PathRead): string | undefined {
  return 'glob' in read ? read.glob?.pattern : undefined;
}

/** Equal for equal reads. A path cannot contain the NUL that separates the parts. */
function keyOf(read: Exclude<FilesystemRead, QuotaRead>): string {
  const { kind } = read;
  if (kind === 'quota-refusal') return kind;
  const pattern = patternOf(read);
  return pattern === undefined ? `${kind}\0${read.path}` : `${kind}\0${read.path}\0${pattern}`;
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
    const moment = { base, present };
    const reads: FilesystemRead[] = [...this.#reads.values()];
    if (this.#quota !== undefined) reads.push({ kind: 'quota', ...this.#quota });
    return reads.filter((read) => hasChanged(read, moment, limits)).map(describeRead);
  }

  #recordQuota(read: QuotaRead): void {
    this.#quota ??= { bytes: 0, files: 0, directories: 0, released: new Set() };
    this.#quota.bytes = Math.max(this.#quota.bytes, read.bytes);
    this.#quota.files = Math.max(this.#quota.files, read.files);
    this.#quota.directories = Math.max(this.#quota.directories, read.directories);
    for (const path of read.released) this.#quota.released.add(path);
  }
}

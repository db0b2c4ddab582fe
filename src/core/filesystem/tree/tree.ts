import { FilesystemError } from '../../error/index.ts';
import { quoteText } from '../../internal/index.ts';
import {
  childOf,
  childrenOf,
  type DirectoryNode,
  emptyDirectory,
  type NamedNode,
  type TreeNode,
  withChild,
} from '../content/tree-node.ts';
import type { FileOperation } from '../interface/file-change.ts';
import { notDirectoryError, notFoundError, pathError } from '../path/errors.ts';
import { childPath, segmentsOf } from '../path/path.ts';

/** The node at a path. `blocked`: a parent of the path, `at`, is a file. */
export type PathResolution =
  | { readonly kind: 'node'; readonly node: TreeNode }
  | { readonly kind: 'absent' }
  | { readonly kind: 'blocked'; readonly at: string };

/** The kind of the node at a path, without its content. */
export type KindResolution =
  | { readonly kind: 'file' | 'directory' | 'absent' }
  | { readonly kind: 'blocked'; readonly at: string };

const absent: PathResolution = { kind: 'absent' };

/** Resolves a normalized path from the root of a tree. */
export function resolvePath(root: DirectoryNode, path: string): PathResolution {
  let node: TreeNode = root;
  const segments = segmentsOf(path);
  for (const [index, segment] of segments.entries()) {
    if (node.kind === 'file') return { kind: 'blocked', at: segments.slice(0, index).join('/') };
    const child = childOf(node, segment);
    if (child === undefined) return absent;
    node = child;
  }
  return { kind: 'node', node };
}

/** The node at a normalized path, or undefined. */
export function nodeAt(root: DirectoryNode, path: string): TreeNode | undefined {
  const resolution = resolvePath(root, path);
  return resolution.kind === 'node' ? resolution.node : undefined;
}

/** The error for a path below a file. */
export function blockedError(path: string, at: string): FilesystemError {
  return new FilesystemError(
    'path-not-directory',
    `${quoteText(at)} is a file, so nothing can be at ${quoteText(path)}. Use a path that does not go through a file.`,
    { details: { path, file: at } },
  );
}

/** Refuses a path where nothing is. */
export function assertExists<Found extends PathResolution | KindResolution>(
  path: string,
  found: Found,
  wanted: 'file' | 'directory' | 'file or directory' = 'file or directory',
): asserts found is Exclude<Found, { readonly kind: 'absent' | 'blocked' }> {
  if (found.kind === 'blocked') throw blockedError(path, found.at);
  if (found.kind === 'absent') throw notFoundError(path, wanted);
}

/** The directory at a path. @throws {FilesystemError} when there is none. */
export function directoryOf(path: string, found: PathResolution): DirectoryNode {
  assertExists(path, found, 'directory');
  if (found.node.kind === 'file') throw notDirectoryError(path);
  return found.node;
}

function mergeNode(present: TreeNode | undefined, incoming: TreeNode, path: string): TreeNode {
  if (present === undefined || present === incoming) return incoming;
  if (present.kind === 'file' && incoming.kind === 'file') return incoming;
  if (present.kind === 'directory' && incoming.kind === 'directory') {
    let merged = present;
    for (const [name, child] of incoming.entries) {
      merged = withChild(merged, name, mergeNode(childOf(present, name), child, childPath(path, name)));
    }
    return merged;
  }
  const code = present.kind === 'directory' ? 'path-is-directory' : 'path-not-directory';
  throw pathError(code, path, `is now a ${present.kind}, so a ${incoming.kind} cannot be written there.`);
}

function putBelow(
  directory: DirectoryNode,
  segments: readonly string[],
  depth: number,
  path: string,
  node: TreeNode,
): DirectoryNode {
  const name = segments[depth];
  if (name === undefined) return directory;
  const present = childOf(directory, name);
  if (depth === segments.length - 1) return withChild(directory, name, mergeNode(present, node, path));
  if (present?.kind === 'file') throw blockedError(path, segments.slice(0, depth + 1).join('/'));
  return withChild(directory, name, putBelow(present ?? emptyDirectory, segments, depth + 1, path, node));
}

/**
 * The tree with a node at a path below the root. Missing parents are created; a file replaces a file, a directory is merged
 * into a directory.
 * @throws {FilesystemError} `path-not-directory`, `path-is-directory` when a node of the other kind is at the path.
 */
function putNode(root: DirectoryNode, path: string, node: TreeNode): DirectoryNode {
  return putBelow(root, segmentsOf(path), 0, path, node);
}

function removeBelow(directory: DirectoryNode, segments: readonly string[], depth: number): DirectoryNode {
  const name = segments[depth];
  const child = name === undefined ? undefined : childOf(directory, name);
  if (name === undefined || child === undefined) return directory;
  if (depth === segments.length - 1) return withChild(directory, name, undefined);
  return child.kind === 'file'
    ? directory
    : withChild(directory, name, removeBelow(child, segments, depth + 1));
}

/** The tree without the node at a path below the root; the same tree when there is none. Parents stay. */
export function removeNode(root: DirectoryNode, path: string): DirectoryNode {
  return removeBelow(root, segmentsOf(path), 0);
}

/** The tree after one operation. @throws {FilesystemError} as {@link putNode}. */
export function applyOperation(root: DirectoryNode, operation: FileOperation): DirectoryNode {
  return operation.op === 'put'
    ? putNode(root, operation.path, operation.node)
    : removeNode(root, operation.path);
}

const heights = new WeakMap<DirectoryNode, number>();

/** The number of levels below a node: 0 for a file or an empty directory. Cached for each directory node. */
export function heightOf(node: TreeNode): number {
  if (node.kind === 'file') return 0;
  const known = heights.get(node);
  if (known !== undefined) return known;
  let height = 0;
  for (const [, child] of childrenOf(node)) height = Math.max(height, heightOf(child) + 1);
  heights.set(node, height);
  return height;
}

const sortedByName = new WeakMap<DirectoryNode, readonly NamedNode[]>();

function orderKey([name, node]: NamedNode): string {
  return node.kind === 'directory' ? `${name}/` : name;
}

/**
 * The children of a directory, ordered such that a walk visits files in the order of their whole paths (UTF-16 units).
 * Cached for each directory node.
 */
export function childrenInPathOrder(directory: DirectoryNode): readonly NamedNode[] {
  let children = sortedByName.get(directory);
  if (children === undefined) {
    const keyed = [...childrenOf(directory)].map((child) => ({ child, key: orderKey(child) }));
    keyed.sort((left, right) => (left.key < right.key ? -1 : 1));
    children = keyed.map(({ child }) => child);
    sortedByName.set(directory, children);
  }
  return children;
}

/** The limits of a tree. */
export interface TreeLimits {
  /** Total of all files. */
  readonly maxBytes: number;
  /** Each file. */
  readonly maxFileBytes: number;
  readonly maxFiles: number;
  /** Not counting the root. */
  readonly maxDirectories: number;
}

/** True when no total is limited, so that the totals need not be computed. */
export function isUnlimited({ maxBytes, maxFiles, maxDirectories }: TreeLimits): boolean {
  const unlimited = Number.POSITIVE_INFINITY;
  return maxBytes === unlimited && maxFiles === unlimited && maxDirectories === unlimited;
}

/** The error for a tree that exceeds a limit; undefined when it does not. @param path the path that the message names. */
export function findExcess(
  path: string,
  tree: DirectoryNode,
  limits: TreeLimits,
): FilesystemError | undefined {
  // Computing the totals of a folder on disk reads all of it.
  if (isUnlimited(limits)) return undefined;
  const { bytes, files, directories } = tree;
  const { maxBytes, maxFiles, maxDirectories } = limits;
  if (bytes > maxBytes) return quotaError(path, 'bytes', bytes, maxBytes);
  if (files > maxFiles) return quotaError(path, 'files', files, maxFiles);
  if (directories > maxDirectories) return quotaError(path, 'directories', directories, maxDirectories);
  return undefined;
}

function quotaError(path: string, what: string, total: number, maximum: number): FilesystemError {
  return new FilesystemError(
    'filesystem-quota-exceeded',
    `Writing ${quoteText(path)} would bring the total to ${total} ${what}; at most ${maximum} are allowed. Remove something or write less.`,
    { details: { path, total, maximum } },
  );
}

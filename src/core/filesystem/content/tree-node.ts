import { PersistentMap } from '../../internal/index.ts';
import { type FileContent, fileContent } from './file-content.ts';

/**
 * The final target of a symbolic link.
 *
 * - `file`, `directory`: a file or directory at `path`, relative to the root.
 * - `other`: an entry at `path` that is neither read nor written, such as a device.
 * - `outside`: a target outside the visible part of the file system. Its path is not disclosed.
 * - `nowhere`: a missing target, or a cycle of links.
 */
export type FileLink =
  | { readonly leads: 'file' | 'directory' | 'other'; readonly path: string }
  | { readonly leads: 'outside' | 'nowhere' };

/** A file of the tree. Every write creates a new node, so the identity of the node identifies content and time. */
export interface FileNode {
  readonly kind: 'file';
  readonly content: FileContent;
  /** Milliseconds since the Unix epoch. */
  readonly modifiedAtMs: number;
  /**
   * For a file that is stored elsewhere: identity, size and times of the stored file. Two nodes with the same stamp are the same
   * file at the same moment. Undefined: nodes are compared by identity alone.
   */
  readonly stamp?: string;
  /** The target of a symbolic link that does not lead to a directory. */
  readonly link?: FileLink;
  /** The target of a symbolic link as it is written there; characters that are not UTF-8 are replaced. */
  readonly linkText?: string;
  /** The permission bits of a regular file that is stored elsewhere, or that replaces one. */
  readonly mode?: number;
  /** For a file that is read on demand: whether `other` is the same stored file, and neither was inspected yet: nothing of them is known but the name. */
  isSameUninspected?(other: FileNode): boolean;
}

/** The permission bits that a file gets when its place gives it no others. Changes and rows do not name them. */
export const usualMode = 0o644;

/** Whether the permission bits of a file let no user write it. A process with all rights could do it all the same. */
export function isWriteProtected(mode: number | undefined): boolean {
  return mode !== undefined && (mode & 0o222) === 0;
}

/** A directory of the tree with the sums over everything below it. */
export interface DirectoryNode {
  readonly kind: 'directory';
  readonly entries: PersistentMap<TreeNode>;
  /** Bytes of all files below. */
  readonly bytes: number;
  /** Files below, at any depth. */
  readonly files: number;
  /** Directories below, at any depth, without this one. */
  readonly directories: number;
  /** For a link to a directory elsewhere: its target, the stamp of the link, and the target as it is written there. Such a node has no children. */
  readonly link?: { readonly target: string; readonly stamp: string; readonly text: string };
  /** Set for a directory that is read on demand: its own implementation of these operations, which reads no more than necessary. */
  readonly lazy?: LazyDirectory;
}

/** The operations of a directory whose children are read on demand. */
export interface LazyDirectory {
  /** One child, without reading the others. */
  childOf(name: string): TreeNode | undefined;
  /** All children, in no particular order. */
  children(): Iterable<NamedNode>;
  /** The directory with a child replaced or removed, without reading the others. */
  withChild(name: string, child: TreeNode | undefined): DirectoryNode;
  /**
   * The names to compare with another directory: every name that was read through either of them. A name that was never read
   * cannot have affected any result. Undefined: one of the two was listed, so all names count.
   */
  namesToCompare(other: DirectoryNode): Iterable<string> | undefined;
}

/** A node of the persistent tree. Immutable. */
export type TreeNode = FileNode | DirectoryNode;

/** A child of a directory with its name. */
export type NamedNode = readonly [name: string, node: TreeNode];

/** The empty directory; always the same node. */
export const emptyDirectory: DirectoryNode = Object.freeze({
  kind: 'directory',
  entries: PersistentMap.empty<TreeNode>(),
  bytes: 0,
  files: 0,
  directories: 0,
});

/** A file node over bytes that must not change any more. */
export function fileNode(data: Uint8Array, modifiedAtMs: number): FileNode {
  return { kind: 'file', content: fileContent(data), modifiedAtMs };
}

/** One child of a directory, or undefined. */
export function childOf(directory: DirectoryNode, name: string): TreeNode | undefined {
  return directory.lazy === undefined ? directory.entries.get(name) : directory.lazy.childOf(name);
}

/** All children of a directory, in no particular order. */
export function childrenOf(directory: DirectoryNode): Iterable<NamedNode> {
  return directory.lazy === undefined ? directory.entries : directory.lazy.children();
}

/** True when both are the same file with the same content and time, or the same directory. */
export function isSameNode(left: TreeNode | undefined, right: TreeNode | undefined): boolean {
  if (left === right) return true;
  if (left === undefined || right === undefined || left.kind !== right.kind) return false;
  if (left.kind === 'file' || right.kind === 'file') {
    if (left.kind !== 'file' || right.kind !== 'file') return false;
    // An inspection of both would find the same now.
    if (left.isSameUninspected?.(right) === true) return true;
    return left.stamp !== undefined && left.stamp === right.stamp;
  }
  return left.link !== undefined && left.link.stamp === right.link?.stamp;
}

/** The target of a node that is a symbolic link; undefined for any other node. */
export function fileLinkOf(node: TreeNode): FileLink | undefined {
  if (node.kind === 'file') return node.link;
  return node.link === undefined ? undefined : { leads: 'directory', path: node.link.target };
}

/** The target of a symbolic link as it is written there; undefined for any other node. */
export function linkTextOf(node: TreeNode): string | undefined {
  return node.kind === 'file' ? node.linkText : node.link?.text;
}

/** The bytes of a node: of the file, or of all files below the directory. */
export function bytesOf(node: TreeNode | undefined): number {
  if (node === undefined) return 0;
  return node.kind === 'file' ? node.content.bytes : node.bytes;
}

/** The number of files of a node: 1, or those below the directory. */
export function filesOf(node: TreeNode | undefined): number {
  if (node === undefined) return 0;
  return node.kind === 'file' ? 1 : node.files;
}

/** The number of directories of a node: 0, or the directory and those below it. */
export function directoriesOf(node: TreeNode | undefined): number {
  if (node === undefined) return 0;
  return node.kind === 'file' ? 0 : node.directories + 1;
}

/** The directory with `child` under `name`, or without it when `child` is undefined. */
export function withChild(
  directory: DirectoryNode,
  name: string,
  child: TreeNode | undefined,
): DirectoryNode {
  if (directory.lazy !== undefined) return directory.lazy.withChild(name, child);
  const old = directory.entries.get(name);
  if (old === child) return directory;
  const entries = child === undefined ? directory.entries.delete(name) : directory.entries.set(name, child);
  return {
    kind: 'directory',
    entries,
    bytes: directory.bytes + bytesOf(child) - bytesOf(old),
    files: directory.files + filesOf(child) - filesOf(old),
    directories: directory.directories + directoriesOf(child) - directoriesOf(old),
  };
}

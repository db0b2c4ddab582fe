import { PersistentMap } from '../../internal/index.ts';
import { type FileContent, fileContent } from './file-content.ts';

/**
 * Where a symbolic link leads in the end.
 *
 * - `file`, `directory`: to that, at `path` from the root.
 * - `other`: to something at `path` that is neither read nor written.
 * - `outside`: out of what the file system shows. Where to is not said.
 * - `nowhere`: to nothing, or in a circle.
 */
export type FileLink =
  | { readonly leads: 'file' | 'directory' | 'other'; readonly path: string }
  | { readonly leads: 'outside' | 'nowhere' };

/** A file of the tree. Every write makes a new node, so the identity of the node stands for content and time. */
export interface FileNode {
  readonly kind: 'file';
  readonly content: FileContent;
  /** Milliseconds since the Unix epoch. */
  readonly modifiedAtMs: number;
  /**
   * For a file that is stored elsewhere: identity, size and times of what is stored. Two nodes with one stamp are the same
   * file at the same moment. Undefined: the identity of the node alone counts.
   */
  readonly stamp?: string;
  /** For a symbolic link that is not one to a directory: where it leads. */
  readonly link?: FileLink;
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
  /** For a directory that only stands for one elsewhere: what it stands for, and since when. It has no children. */
  readonly link?: { readonly target: string; readonly stamp: string };
  /** A directory that is filled when it is looked at does these itself, without looking at more than it has to. */
  readonly lazy?: LazyDirectory;
}

/** What a directory does itself whose children become known only when somebody asks for them. */
export interface LazyDirectory {
  /** One child, without looking at the others. */
  childOf(name: string): TreeNode | undefined;
  /** The directory with another child, or without it; the others stay unknown. */
  withChild(name: string, child: TreeNode | undefined): DirectoryNode;
  /**
   * The names to compare with another directory: every name that either has been asked for. A name that nobody has asked
   * for cannot make a difference to anyone. Undefined: one of them was listed, so all names count.
   */
  namesToCompare(other: DirectoryNode): Iterable<string> | undefined;
}

/** A node of the persistent tree. Never changed once made. */
export type TreeNode = FileNode | DirectoryNode;

/** The directory without children; always the same node. */
export const emptyDirectory: DirectoryNode = Object.freeze({
  kind: 'directory',
  entries: PersistentMap.empty<TreeNode>(),
  bytes: 0,
  files: 0,
  directories: 0,
});

/** A file node over bytes that nobody changes any more. */
export function fileNode(data: Uint8Array, modifiedAtMs: number): FileNode {
  return { kind: 'file', content: fileContent(data), modifiedAtMs };
}

/** One child of a directory, or undefined. */
export function childOf(directory: DirectoryNode, name: string): TreeNode | undefined {
  return directory.lazy === undefined ? directory.entries.get(name) : directory.lazy.childOf(name);
}

/** True when both stand for the same file with the same content and time, or are one directory. */
export function isSameNode(left: TreeNode | undefined, right: TreeNode | undefined): boolean {
  if (left === right) return true;
  if (left === undefined || right === undefined || left.kind !== right.kind) return false;
  if (left.kind === 'file' || right.kind === 'file') {
    return (
      left.kind === 'file' && right.kind === 'file' && left.stamp !== undefined && left.stamp === right.stamp
    );
  }
  return left.link !== undefined && left.link.stamp === right.link?.stamp;
}

/** Where a node leads that stands for a symbolic link; undefined for every other. */
export function fileLinkOf(node: TreeNode): FileLink | undefined {
  if (node.kind === 'file') return node.link;
  return node.link === undefined ? undefined : { leads: 'directory', path: node.link.target };
}

/** The bytes of a node: of the file, or of all files below the directory. */
export function bytesOf(node: TreeNode): number {
  return node.kind === 'file' ? node.content.bytes : node.bytes;
}

/** The number of files of a node: 1, or those below the directory. */
export function filesOf(node: TreeNode): number {
  return node.kind === 'file' ? 1 : node.files;
}

/** The number of directories of a node: 0, or the directory and those below it. */
export function directoriesOf(node: TreeNode): number {
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
    bytes:
      directory.bytes + (child === undefined ? 0 : bytesOf(child)) - (old === undefined ? 0 : bytesOf(old)),
    files:
      directory.files + (child === undefined ? 0 : filesOf(child)) - (old === undefined ? 0 : filesOf(old)),
    directories:
      directory.directories +
      (child === undefined ? 0 : directoriesOf(child)) -
      (old === undefined ? 0 : directoriesOf(old)),
  };
}

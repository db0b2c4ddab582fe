import { contentDigest } from '../content/file-content.ts';
import { bytesOf, type FileNode, fileLinkOf } from '../content/tree-node.ts';
import type { TreeCell } from '../fork/tree-cell.ts';
import type { DirectoryEntry, FileStat } from '../interface/filesystem.ts';
import { isDirectoryError, notDirectoryError, notFoundError, notTextError } from '../path/errors.ts';
import { childPath, normalizePath } from '../path/path.ts';
import { type TextWindow, type TextWindowOptions, textWindow } from '../text/text-window.ts';
import { blockedError } from '../tree/tree.ts';

/** The file at a normalized path; its content and time are recorded as read. */
export function fileAt(cell: TreeCell, path: string): FileNode {
  const found = cell.resolve({ kind: 'file', path });
  if (found.kind === 'blocked') throw blockedError(path, found.at);
  if (found.kind === 'absent') throw notFoundError(path, 'file');
  if (found.node.kind === 'directory') throw isDirectoryError(path);
  return found.node;
}

/** The text of a file at a normalized path. */
export function textOf(file: FileNode, path: string): string {
  const text = file.content.text();
  if (text === undefined) throw notTextError(path, file.content.bytes);
  return text;
}

/** Implements `Filesystem.read` on a cell. */
export function readWindow(cell: TreeCell, given: string, options?: TextWindowOptions): TextWindow {
  const path = normalizePath(given);
  const file = fileAt(cell, path);
  return textWindow(path, textOf(file, path), options, file.content['~memo']);
}

/** Implements `Filesystem.readBytes` on a cell. */
export function readBytes(cell: TreeCell, given: string): Uint8Array {
  const path = normalizePath(given);
  return fileAt(cell, path).content.data();
}

/** Implements `Filesystem.digest` on a cell. */
export function digestFile(cell: TreeCell, given: string): string {
  return contentDigest(fileAt(cell, normalizePath(given)).content);
}

/** Implements `Filesystem.stat` on a cell. */
export function statPath(cell: TreeCell, given: string): FileStat | undefined {
  const path = normalizePath(given);
  const found = cell.resolve({ kind: 'file', path });
  if (found.kind !== 'node') return undefined;
  if (found.node.kind === 'directory') return { path, kind: 'directory', bytes: 0, modifiedAtMs: 0 };
  const { link } = found.node;
  if (link !== undefined && link.leads !== 'file')
    return { path, kind: 'link', bytes: 0, modifiedAtMs: found.node.modifiedAtMs, link };
  return { path, kind: 'file', bytes: found.node.content.bytes, modifiedAtMs: found.node.modifiedAtMs };
}

/** Implements `Filesystem.list` on a cell. */
export function listDirectory(cell: TreeCell, given: string): readonly DirectoryEntry[] {
  const path = normalizePath(given);
  const found = cell.resolve({ kind: 'listing', path });
  if (found.kind === 'blocked') throw blockedError(path, found.at);
  if (found.kind === 'absent') throw notFoundError(path, 'directory');
  if (found.node.kind === 'file') throw notDirectoryError(path);
  const entries: DirectoryEntry[] = [];
  for (const [name, node] of found.node.entries) {
    const at = childPath(path, name);
    const link = fileLinkOf(node);
    if (link !== undefined) entries.push({ name, path: at, kind: 'link', bytes: 0, link });
    else entries.push({ name, path: at, kind: node.kind, bytes: node.kind === 'file' ? bytesOf(node) : 0 });
  }
  return entries.sort((left, right) => (left.name < right.name ? -1 : 1));
}

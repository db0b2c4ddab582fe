import { FilesystemError } from '../../error/index.ts';
import { quoteText } from '../../internal/index.ts';
import { contentDigest, encodeText, type FileContent } from '../content/file-content.ts';
import {
  bytesOf,
  childrenOf,
  emptyDirectory,
  type FileNode,
  fileLinkOf,
  fileNode,
} from '../content/tree-node.ts';
import type { TreeCell } from '../fork/tree-cell.ts';
import type {
  DirectoryEntry,
  FileStat,
  MakeDirectoryResult,
  WriteMode,
  WriteResult,
} from '../interface/filesystem.ts';
import { alreadyExistsError, isDirectoryError, notTextError, tooLargeError } from '../path/errors.ts';
import { childPath, normalizePath } from '../path/path.ts';
import { applyTextEdits, type EditResult, type TextEdit } from '../text/edit.ts';
import { type PlacedWindow, type TextWindowOptions, textWindow } from '../text/text-window.ts';
import { assertExists, blockedError, directoryOf, nodeAt } from '../tree/tree.ts';

/** The file at a normalized path; its content and time are recorded as read. */
function fileAt(cell: TreeCell, path: string): FileNode {
  const found = cell.resolve({ kind: 'file', path });
  assertExists(path, found, 'file');
  if (found.node.kind === 'directory') throw isDirectoryError(path);
  return found.node;
}

/** The text of a file at a normalized path. */
function textOf(content: FileContent, path: string): string {
  const text = content.text();
  if (text === undefined) throw notTextError(path, content.bytes);
  return text;
}

/** Implements `Filesystem.read` on a cell. @returns the content beside the window, which is recorded by the caller. */
export function readWindow(
  cell: TreeCell,
  given: string,
  options?: TextWindowOptions,
): PlacedWindow & { readonly content: FileContent } {
  const path = normalizePath(given);
  const { content } = fileAt(cell, path);
  return { ...textWindow(path, textOf(content, path), options, content['~memo']), content };
}

/** Implements `Filesystem.readBytes` on a cell. */
export function readBytes(
  cell: TreeCell,
  given: string,
): { readonly path: string; readonly data: Uint8Array; readonly content: FileContent } {
  const path = normalizePath(given);
  const { content } = fileAt(cell, path);
  return { path, data: content.data(), content };
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
  const directory = directoryOf(path, cell.resolve({ kind: 'listing', path }));
  const entries: DirectoryEntry[] = [];
  for (const [name, node] of childrenOf(directory)) {
    const at = childPath(path, name);
    const link = fileLinkOf(node);
    if (link !== undefined) entries.push({ name, path: at, kind: 'link', bytes: 0, link });
    else entries.push({ name, path: at, kind: node.kind, bytes: node.kind === 'file' ? bytesOf(node) : 0 });
  }
  return entries.sort((left, right) => (left.name < right.name ? -1 : 1));
}

/** The bytes to store: a copy, so that the caller may reuse its array. */
function storedBytes(data: string | Uint8Array, path: string): Uint8Array {
  if (typeof data === 'string') return encodeText(data, path);
  if (data instanceof Uint8Array) return new Uint8Array(data);
  throw new FilesystemError(
    'argument-invalid',
    `The content for ${quoteText(path)} must be a string or a Uint8Array.`,
    {
      details: { path },
    },
  );
}

function storeFile(cell: TreeCell, path: string, data: Uint8Array): void {
  const { maxFileBytes } = cell.limits;
  if (data.byteLength > maxFileBytes) throw tooLargeError(path, data.byteLength, maxFileBytes);
  const replaced = nodeAt(cell.root, path);
  // Its permissions are those of the file that it replaces, also once it is moved or copied.
  const mode = replaced?.kind === 'file' ? replaced.mode : undefined;
  const node = fileNode(data, cell.clock.now());
  cell.update(path, [{ op: 'put', path, node: mode === undefined ? node : { ...node, mode } }]);
}

function appended(cell: TreeCell, path: string, data: Uint8Array): Uint8Array {
  const { content } = fileAt(cell, path);
  const bytes = content.bytes + data.byteLength;
  if (bytes > cell.limits.maxFileBytes) throw tooLargeError(path, bytes, cell.limits.maxFileBytes);
  const joined = new Uint8Array(bytes);
  joined.set(content.data());
  joined.set(data, content.bytes);
  return joined;
}

/** Implements `Filesystem.write` on a cell. */
export function writeFile(
  cell: TreeCell,
  given: string,
  data: string | Uint8Array,
  mode: WriteMode = 'overwrite',
): WriteResult {
  const path = normalizePath(given);
  cell.assertWritable(path);
  if (mode !== 'create' && mode !== 'overwrite' && mode !== 'append') {
    throw new FilesystemError(
      'argument-invalid',
      `The write mode must be 'create', 'overwrite' or 'append'; received ${String(mode)}.`,
      { details: { path } },
    );
  }
  const stored = storedBytes(data, path);
  const target = cell.kindAt(path);
  if (target.kind === 'blocked') throw blockedError(path, target.at);
  if (target.kind === 'directory') throw isDirectoryError(path);
  const exists = target.kind === 'file';
  if (exists && mode === 'create')
    throw alreadyExistsError(path, 'file', "Edit it, or write with mode 'overwrite'.");
  const whole = exists && mode === 'append' ? appended(cell, path, stored) : stored;
  storeFile(cell, path, whole);
  return { path, created: !exists, bytes: whole.byteLength };
}

/** Implements `Filesystem.edit` on a cell. */
export function editFile(cell: TreeCell, given: string, edits: readonly TextEdit[]): EditResult {
  const path = normalizePath(given);
  cell.assertWritable(path);
  const { text, replacements } = applyTextEdits(path, textOf(fileAt(cell, path).content, path), edits);
  const data = encodeText(text, path);
  storeFile(cell, path, data);
  return { path, replacements, bytes: data.byteLength };
}

/** Implements `Filesystem.mkdir` on a cell. */
export function makeDirectory(cell: TreeCell, given: string): MakeDirectoryResult {
  const path = normalizePath(given);
  cell.assertWritable(path);
  const target = cell.kindAt(path);
  if (target.kind === 'blocked') throw blockedError(path, target.at);
  if (target.kind === 'file')
    throw alreadyExistsError(path, 'file', 'Choose another name for the directory.');
  if (target.kind === 'absent') cell.update(path, [{ op: 'put', path, node: emptyDirectory }]);
  return { path, created: target.kind === 'absent' };
}

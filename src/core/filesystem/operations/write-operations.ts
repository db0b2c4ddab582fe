import { FilesystemError } from '../../error/index.ts';
import { quoteText } from '../../internal/index.ts';
import { emptyDirectory, fileNode } from '../content/tree-node.ts';
import type { TreeCell } from '../fork/tree-cell.ts';
import type { MakeDirectoryResult, WriteMode, WriteResult } from '../interface/filesystem.ts';
import { alreadyExistsError, isDirectoryError, tooLargeError } from '../path/errors.ts';
import { normalizePath } from '../path/path.ts';
import { applyTextEdits, type EditResult, type TextEdit } from '../text/edit.ts';
import { encodeText } from '../text/text-codec.ts';
import { blockedError } from '../tree/tree.ts';
import { fileAt, textOf } from './read-operations.ts';

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
  cell.update(path, [{ op: 'put', path, node: fileNode(data, cell.clock.now()) }]);
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
  const { text, replacements } = applyTextEdits(path, textOf(fileAt(cell, path), path), edits);
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

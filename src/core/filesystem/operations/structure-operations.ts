import { FilesystemError } from '../../error/index.ts';
import { present, quoteText } from '../../internal/index.ts';
import {
  type DirectoryNode,
  emptyDirectory,
  filesOf,
  isWriteProtected,
  type TreeNode,
} from '../content/tree-node.ts';
import type { TreeCell } from '../fork/tree-cell.ts';
import type { RemoveResult, TransferResult } from '../interface/filesystem.ts';
import { alreadyExistsError, pathError, rootError } from '../path/errors.ts';
import { maxPathDepth, normalizePath, segmentsOf } from '../path/path.ts';
import { assertExists, blockedError, heightOf, nodeAt } from '../tree/tree.ts';
import { leavesOf } from '../tree/tree-difference.ts';

/** Counts what a removal removes, and records the reads that the count depends on. */
function countRemoved(
  cell: TreeCell,
  path: string,
  recursive: boolean,
): { files: number; directories: number } {
  const target = cell.kindAt(path);
  assertExists(path, target);
  if (target.kind === 'file') return { files: 1, directories: 0 };
  if (!recursive) {
    if (cell.isEmptyAt(path)) return { files: 0, directories: 1 };
    throw new FilesystemError(
      'directory-not-empty',
      `The directory ${quoteText(path)} is not empty. Set recursive to remove it with everything in it.`,
      { details: { path } },
    );
  }
  const found = cell.resolve({ kind: 'names', path });
  const directory = found.kind === 'node' && found.node.kind === 'directory' ? found.node : emptyDirectory;
  return { files: directory.files, directories: directory.directories + 1 };
}

/** Implements `Filesystem.remove` on a cell. */
export function removePath(cell: TreeCell, given: string, recursive: boolean): RemoveResult {
  const path = normalizePath(given);
  cell.assertWritable(path);
  if (path === '.') throw rootError('removed');
  const removed = countRemoved(cell, path, recursive);
  const writeProtected = protectedIn(cell.root, path);
  if (writeProtected > 0) cell.resolve({ kind: 'tree', path });
  cell.update(path, [{ op: 'remove', path }]);
  return {
    path,
    ...removed,
    ...present({ writeProtected: writeProtected === 0 ? undefined : writeProtected }),
  };
}

/** How many files at or below a path are write-protected. */
function protectedIn(root: DirectoryNode, path: string): number {
  let count = 0;
  for (const { node } of leavesOf(nodeAt(root, path), path))
    if (node.kind === 'file' && isWriteProtected(node.mode)) count += 1;
  return count;
}

function assertTarget(cell: TreeCell, to: string, node: TreeNode): void {
  const target = cell.kindAt(to);
  if (target.kind === 'blocked') throw blockedError(to, target.at);
  if (target.kind !== 'absent')
    throw alreadyExistsError(to, target.kind, 'Remove it first, or choose another target.');
  if (segmentsOf(to).length + heightOf(node) > maxPathDepth) {
    throw new FilesystemError(
      'path-invalid',
      `Paths below ${quoteText(to)} would have more than ${maxPathDepth} segments. Choose a target with fewer directories.`,
      { details: { path: to } },
    );
  }
}

/** Implements `Filesystem.move` and `Filesystem.copy` on a cell. */
export function transferPath(
  cell: TreeCell,
  givenFrom: string,
  givenTo: string,
  action: 'move' | 'copy',
): TransferResult {
  const from = normalizePath(givenFrom);
  const to = normalizePath(givenTo);
  const done = action === 'move' ? 'moved' : 'copied';
  cell.assertWritable(action === 'move' ? from : to);
  if (from === '.') throw rootError(done);
  if (to.startsWith(`${from}/`)) {
    throw pathError(
      'argument-invalid',
      from,
      `cannot be ${done} into itself (${quoteText(to)}). Choose another target.`,
      { details: { to } },
    );
  }
  const found = cell.resolve({ kind: 'tree', path: from });
  assertExists(from, found);
  const { node } = found;
  assertTarget(cell, to, node);
  const put = { op: 'put', path: to, node } as const;
  cell.update(to, action === 'move' ? [{ op: 'remove', path: from }, put] : [put]);
  cell.recordTransfer({ from, to, node });
  return { from, to, kind: node.kind, files: filesOf(node) };
}

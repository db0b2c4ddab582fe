import { FilesystemError } from '../../../error/index.ts';
import { childPath, joinPath, type TreeNode } from '../../../filesystem/index.ts';
import { quoteText } from '../../../internal/index.ts';
import { DiskDirectory } from '../tree/disk-directory.ts';

/**
 * Makes sure that a node can go away without taking something along that the file system leaves out.
 * @throws {FilesystemError} `left-out`, naming the directory that holds such a thing.
 */
export function assertNothingLeftOut(path: string, node: TreeNode): void {
  const directory = holdingLeftOut(path, node);
  if (directory === undefined) return;
  throw new FilesystemError(
    'left-out',
    `${quoteText(directory)} holds what is left out of this workspace, so ${quoteText(path)} is neither removed nor moved as a whole. ` +
      'Remove or move what you see in it piece by piece.',
    { details: { path, directory } },
  );
}

/**
 * Makes sure that everything below a directory is known.
 * @throws {FilesystemError} `permission-denied` for the first directory that cannot be listed.
 */
export function assertListable(node: TreeNode | undefined): void {
  if (node?.kind !== 'directory') return;
  if (node instanceof DiskDirectory && node.refusal !== undefined) throw node.refusal;
  for (const child of node.entries.values()) assertListable(child);
}

/** The first directory with such a thing. A directory that stands elsewhere than on the disk was copied, without it. */
function holdingLeftOut(path: string, node: TreeNode): string | undefined {
  if (node.kind === 'file') return undefined;
  if (node instanceof DiskDirectory && joinPath(node.segments) === path && node.leavesOut) return path;
  for (const [name, child] of node.entries) {
    const found = holdingLeftOut(childPath(path, name), child);
    if (found !== undefined) return found;
  }
  return undefined;
}

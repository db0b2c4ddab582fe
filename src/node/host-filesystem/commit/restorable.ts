import { readdirSync } from 'node:fs';
import { FilesystemError } from '../../../error/index.ts';
import { childPath, joinPath, segmentsOf, type TreeNode } from '../../../filesystem/index.ts';
import { quoteText } from '../../../internal/index.ts';
import { stampOf } from '../../disk/stamp.ts';
import { changedOnDiskError } from '../jail/disk-error.ts';
import type { HostJail } from '../jail/jail.ts';
import { RefusedContent } from '../tree/disk-content.ts';
import { DiskDirectory } from '../tree/disk-directory.ts';
import type { RemovedNode } from './commit-step.ts';

/** Names that a message repeats. */
const SHOWN_NAMES = 3;
const MAX_SHOWN_LENGTH = 80;

/**
 * Makes sure that all of a node can be brought back once it was removed, or is there in a copy of it: that it holds nothing
 * without a path, and nothing but files, directories and links.
 * @param isElsewhere paths that are not removed with it. Default: none.
 * @throws {FilesystemError} `path-excluded`, naming the directory and what it holds; `path-forbidden` for a directory that
 * cannot be listed.
 */
export function assertRestorable(
  path: string,
  node: TreeNode,
  isElsewhere: (path: string) => boolean = () => false,
): void {
  if (node.kind === 'file') {
    if (node.content instanceof RefusedContent && !node.content.isLink) throw specialError(path);
    return;
  }
  if (node instanceof DiskDirectory) {
    if (node.refusal !== undefined) throw node.refusal;
    if (node.unlistedNames.length > 0) throw unlistedNamesError(path, node.unlistedNames);
  }
  for (const [name, child] of node.entries) {
    const at = childPath(path, name);
    if (!isElsewhere(at)) assertRestorable(at, child, isElsewhere);
  }
}

/**
 * Makes sure that what is about to be removed for good is what was seen of it, when nobody can come to it by its path any
 * more: what somebody else has put into it since is not removed unseen.
 * @throws {FilesystemError} `file-changed-on-disk`.
 * @throws the error of the operating system.
 */
export function assertUnchanged(jail: HostJail, { path, trash, node, isTaken }: RemovedNode): void {
  if (node.kind !== 'directory' || node.link !== undefined) return;
  jail.within(segmentsOf(trash), (pathOf) => {
    for (const bytes of readdirSync(pathOf(), { encoding: 'buffer' })) {
      const name = bytes.toString();
      const at = childPath(path, name);
      const child = Buffer.from(name).equals(bytes) ? node.entries.get(name) : undefined;
      if (child === undefined || isTaken(at)) throw changedOnDiskError(at);
      const inTrash = childPath(trash, name);
      const stats = jail.statOf(segmentsOf(inTrash));
      if (stats === undefined) continue;
      // Of a link, the first part is its own.
      const stamp = (child.kind === 'file' ? child.stamp : child.link?.stamp)?.split('>')[0];
      if (stamp === undefined ? !stats.isDirectory() : stamp !== stampOf(stats)) throw changedOnDiskError(at);
      assertUnchanged(jail, { path: at, trash: inTrash, node: child, isTaken });
    }
  });
}

/** The error for what would have to be made again and cannot be. */
export function notRecreatableError(path: string): FilesystemError {
  return new FilesystemError(
    'path-excluded',
    `${quoteText(path)} was a fifo, a socket or a device, or cannot be read, so it cannot be made again. Nothing was changed. ` +
      'Make something of that kind there, or leave the path out.',
    { details: { path } },
  );
}

/** The error for a directory that would have to be made anew, without what no path can name. */
export function unlistedNotMovedError(path: string, names: readonly string[]): FilesystemError {
  return new FilesystemError(
    'path-excluded',
    `${quoteText(path)} would have to be made anew, and what no path here can name would be missing in it: ${shown(names)}. Nothing was ` +
      'changed. Where a directory like this is moved, do not put another in its place, or do that in a later call.',
    { details: { path, directory: path } },
  );
}

/** Whether something below a node has no path. */
export function hasUnlistedNames(node: TreeNode): boolean {
  if (node.kind === 'file') return false;
  if (node instanceof DiskDirectory && node.unlistedNames.length > 0) return true;
  return [...node.entries.values()].some(hasUnlistedNames);
}

function specialError(path: string): FilesystemError {
  return new FilesystemError(
    'path-excluded',
    `${quoteText(path)} is a fifo, a socket or a device: it could not be brought back, so it is neither removed nor copied. ` +
      'It can be moved, and it moves with its directory.',
    { details: { path } },
  );
}

function unlistedNamesError(path: string, names: readonly string[]): FilesystemError {
  return new FilesystemError(
    'path-excluded',
    `${quoteText(path)} holds what no path here can name: ${shown(names)}. It could not be ` +
      'brought back, so the directory is neither removed nor copied. It can be moved, with all it holds.',
    { details: { path, directory: path } },
  );
}

function shown(names: readonly string[]): string {
  const first = names.slice(0, SHOWN_NAMES).map((name) => quoteText(name.slice(0, MAX_SHOWN_LENGTH)));
  const rest = names.length - first.length;
  return `${first.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/**
 * Makes sure that a node can go away without taking something along that the file system leaves out.
 * @throws {FilesystemError} `path-excluded`, naming the directory that holds such a thing.
 */
export function assertNothingExcluded(path: string, node: TreeNode): void {
  const directory = directoryWithExcluded(path, node);
  if (directory === undefined) return;
  throw new FilesystemError(
    'path-excluded',
    `${quoteText(directory)} holds what is left out of this workspace, so ${quoteText(path)} is neither removed nor moved as a whole. ` +
      'Remove or move what you see in it piece by piece.',
    { details: { path, directory } },
  );
}

/**
 * Makes sure that everything below a directory is known.
 * @throws {FilesystemError} `path-forbidden` for the first directory that cannot be listed.
 */
export function assertListable(node: TreeNode | undefined): void {
  if (node?.kind !== 'directory') return;
  if (node instanceof DiskDirectory && node.refusal !== undefined) throw node.refusal;
  for (const child of node.entries.values()) assertListable(child);
}

/** The first directory with such a thing. A directory that stands elsewhere than on the disk was copied, without it. */
function directoryWithExcluded(path: string, node: TreeNode): string | undefined {
  if (node.kind === 'file') return undefined;
  if (node instanceof DiskDirectory && joinPath(node.segments) === path && node.hasExcluded) return path;
  for (const [name, child] of node.entries) {
    const found = directoryWithExcluded(childPath(path, name), child);
    if (found !== undefined) return found;
  }
  return undefined;
}

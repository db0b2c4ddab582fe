import { readdirSync } from 'node:fs';
import { FilesystemError } from '../../../core/error/index.ts';
import { childPath, joinPath, pathError, segmentsOf, type TreeNode } from '../../../core/filesystem/index.ts';
import { quoteText, startOf } from '../../../core/internal/index.ts';
import { stampOf } from '../../disk/stamp.ts';
import { changedOnDiskError } from '../jail/disk-error.ts';
import type { HostJail } from '../jail/jail.ts';
import { RefusedContent } from '../tree/disk-content.ts';
import { DiskDirectory } from '../tree/disk-directory.ts';
import type { RemovedNode } from './commit-step.ts';

/** The maximum number of names in a message. */
const shownNames = 3;
const maxShownLength = 80;

/**
 * Asserts that a node can be restored completely after its removal, or copied completely: that it contains nothing
 * without a valid path, and nothing but files, directories and links.
 * @param isElsewhere paths that are not removed with it. Default: none.
 * @throws {FilesystemError} `path-excluded`, naming the directory and the entries; `path-forbidden` for a directory that
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
    const { refusal, unlistedNames } = node.listing;
    if (refusal !== undefined) throw refusal;
    if (unlistedNames.length > 0) throw unlistedNamesError(path, unlistedNames);
  }
  for (const [name, child] of node.entries) {
    const at = childPath(path, name);
    if (!isElsewhere(at)) assertRestorable(at, child, isElsewhere);
  }
}

/**
 * Asserts that what is about to be removed for good is what the view saw, at a time when it is no longer reachable by its
 * path: what another process has put into it since must not be removed unseen.
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
      // The first part of a link's stamp is that of the link itself.
      const stamp = (child.kind === 'file' ? child.stamp : child.link?.stamp)?.split('>')[0];
      if (stamp === undefined ? !stats.isDirectory() : stamp !== stampOf(stats)) throw changedOnDiskError(at);
      assertUnchanged(jail, { path: at, trash: inTrash, node: child, isTaken });
    }
  });
}

/** The error for an entry that would have to be created again and cannot be. */
export function notRecreatableError(path: string): FilesystemError {
  return pathError(
    'path-excluded',
    path,
    'was a fifo, a socket or a device, or cannot be read, so it cannot be created again. Nothing was changed. ' +
      'Create one outside of this workspace, or exclude the path.',
  );
}

/** The error for a directory that would have to be created again, without the entries that have no valid path. */
export function unlistedNotMovedError(path: string, names: readonly string[]): FilesystemError {
  return pathError(
    'path-excluded',
    path,
    `would have to be created again, without entries whose names are not valid in a path here: ${shown(names)}. Nothing was ` +
      'changed. When you move such a directory, do not put another one in its place, or do that in a later call.',
    { details: { directory: path } },
  );
}

/** Whether something below a node has no valid path. */
export function hasUnlistedNames(node: TreeNode): boolean {
  if (node.kind === 'file') return false;
  if (node instanceof DiskDirectory && node.listing.unlistedNames.length > 0) return true;
  return [...node.entries.values()].some(hasUnlistedNames);
}

function specialError(path: string): FilesystemError {
  return pathError(
    'path-excluded',
    path,
    'is a fifo, a socket or a device: it could not be restored, so it is neither removed nor copied. ' +
      'It can be moved, and it moves with its directory.',
  );
}

function unlistedNamesError(path: string, names: readonly string[]): FilesystemError {
  return pathError(
    'path-excluded',
    path,
    `contains entries whose names are not valid in a path here: ${shown(names)}. They could not be ` +
      'restored, so the directory is neither removed nor copied. It can be moved, with all its content.',
    { details: { directory: path } },
  );
}

function shown(names: readonly string[]): string {
  const first = names.slice(0, shownNames).map((name) => quoteText(startOf(name, maxShownLength)));
  const rest = names.length - first.length;
  return `${first.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/**
 * Asserts that removing or moving a node does not affect entries that the file system excludes.
 * @throws {FilesystemError} `path-excluded`, naming the directory that contains one.
 */
export function assertNothingExcluded(path: string, node: TreeNode): void {
  const directory = directoryWithExcluded(path, node);
  if (directory === undefined) return;
  throw new FilesystemError(
    'path-excluded',
    `${quoteText(directory)} contains entries that are excluded from this workspace, so ${quoteText(path)} is neither removed nor moved as a whole. ` +
      'Remove or move its visible entries one by one.',
    { details: { path, directory } },
  );
}

/**
 * Asserts that everything below a directory can be listed.
 * @throws {FilesystemError} `path-forbidden` for the first directory that cannot be listed.
 */
export function assertListable(node: TreeNode | undefined): void {
  if (node?.kind !== 'directory') return;
  if (node instanceof DiskDirectory && node.listing.refusal !== undefined) throw node.listing.refusal;
  for (const child of node.entries.values()) assertListable(child);
}

/** The first directory with an excluded entry. A directory at another path than on the disk is a copy, which has none. */
function directoryWithExcluded(path: string, node: TreeNode): string | undefined {
  if (node.kind === 'file') return undefined;
  if (node instanceof DiskDirectory && joinPath(node.segments) === path && node.listing.hasExcluded)
    return path;
  for (const [name, child] of node.entries) {
    const found = directoryWithExcluded(childPath(path, name), child);
    if (found !== undefined) return found;
  }
  return undefined;
}

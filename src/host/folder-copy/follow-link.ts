import type { FileHandle } from 'node:fs/promises';
import { realpath, stat } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { type HostDirectory, isBelow, locate, openDirectory, openFile } from '../disk/host-directory.ts';
import { errorCode } from '../disk/system-error.ts';
import type { FolderSkipReason } from './copy-report.ts';
import type { FolderReading } from './folder-reading.ts';

/** The target of a link, or why it is not followed. */
export type LinkTarget =
  | { readonly kind: 'file'; readonly open: () => Promise<FileHandle> }
  | { readonly kind: 'directory'; readonly open: () => Promise<HostDirectory> }
  | { readonly kind: 'excluded' }
  | { readonly kind: 'skipped'; readonly reason: FolderSkipReason };

/**
 * Resolves a link. Only a target within the mounted folder that is not excluded is followed; opening it checks
 * the path again on the open handle, where the platform supports that.
 */
export async function followLink(reading: FolderReading, linkPath: string): Promise<LinkTarget> {
  const root = reading.folder.realPath;
  try {
    const target = await realpath(linkPath);
    if (!isBelow(target, root)) return { kind: 'skipped', reason: 'symlink-outside' };
    if (isExcluded(reading, relative(root, target))) return { kind: 'excluded' };
    const found = await stat(target);
    if (found.isFile()) return { kind: 'file', open: () => openFileWithin(target, root) };
    if (found.isDirectory()) return { kind: 'directory', open: () => openDirectoryWithin(target, root) };
    return { kind: 'skipped', reason: 'special-file' };
  } catch (error) {
    const code = errorCode(error);
    const isDenied = code === 'EACCES' || code === 'EPERM';
    return { kind: 'skipped', reason: isDenied ? 'unreadable' : 'symlink-outside' };
  }
}

/** Whether the target, or a directory that contains it, is excluded. */
function isExcluded(reading: FolderReading, target: string): boolean {
  const parts = target.split(sep);
  return parts.some((_, index) => reading.filter.excludes(parts.slice(0, index + 1).join('/')));
}

async function openFileWithin(target: string, root: string): Promise<FileHandle> {
  const handle = await openFile(target);
  const location = await locate(handle);
  if (location === undefined || isBelow(location, root)) return handle;
  await handle.close();
  throw new Error('the link was changed while it was followed');
}

async function openDirectoryWithin(target: string, root: string): Promise<HostDirectory> {
  const directory = await openDirectory(target, false);
  if (isBelow(directory.realPath, root)) return directory;
  await directory.close();
  throw new Error('the link was changed while it was followed');
}

import { type FileHandle, realpath, stat } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { childPath, isNormalPath } from '../../core/filesystem/index.ts';
import { type HostDirectory, isBelow, locate, openDirectory, openFile } from '../disk/host-directory.ts';
import { type HostEntry, listEntries } from '../disk/list-entries.ts';
import { errorCode } from '../disk/system-error.ts';
import { type FolderReading, workspacePath } from './folder-reading.ts';

/** A file to read. */
export interface FileCandidate {
  /** Path below the mounted folder. */
  readonly path: string;
  readonly open: () => Promise<FileHandle>;
}

/** A directory to enter. */
export interface DirectoryCandidate {
  /** Path below the mounted folder. */
  readonly path: string;
  readonly open: () => Promise<HostDirectory>;
}

/** The entries of one directory that a mount takes. */
export interface SortedEntries {
  readonly files: readonly FileCandidate[];
  readonly directories: readonly DirectoryCandidate[];
}

/**
 * Lists a directory and keeps the included entries, sorted by name; everything else is recorded as excluded or skipped.
 * @throws the error of the operating system when the directory cannot be listed.
 */
export async function sortEntries(
  reading: FolderReading,
  directory: HostDirectory,
  path: string,
): Promise<SortedEntries> {
  const files: FileCandidate[] = [];
  const directories: DirectoryCandidate[] = [];
  const entries = await listEntries(directory, path, reading.tally, reading.limits.maxEntries);
  for (const entry of entries) {
    const entryPath = childPath(path, entry.name);
    if (reading.filter.excludes(entryPath)) {
      reading.tally.exclude();
    } else if (isWanted(reading, entry, entryPath)) {
      const hostPath = directory.pathOf(entry.name);
      if (!isNormalPath(workspacePath(reading, entryPath))) reading.tally.skip(entryPath, 'name-not-allowed');
      else if (entry.kind === 'file') files.push({ path: entryPath, open: () => openFile(hostPath) });
      else if (entry.kind === 'directory') {
        directories.push({ path: entryPath, open: () => openDirectory(hostPath, false) });
      } else if (entry.kind === 'special') reading.tally.skip(entryPath, 'special-file');
      else await sortLink(reading, entryPath, hostPath, files, directories);
    }
  }
  return { files, directories };
}

/**
 * Sorts a link by its target. Only a target within the mounted folder that is not excluded is followed; opening it checks
 * the path again on the open handle, where the platform supports that.
 */
async function sortLink(
  reading: FolderReading,
  path: string,
  linkPath: string,
  files: FileCandidate[],
  directories: DirectoryCandidate[],
): Promise<void> {
  const { tally, filter, followSymlinks, folder } = reading;
  if (!followSymlinks) return tally.skip(path, 'symlink');
  const root = folder.realPath;
  try {
    const target = await realpath(linkPath);
    if (!isBelow(target, root)) return tally.skip(path, 'symlink-outside');
    if (isExcluded(reading, relative(root, target))) return tally.exclude();
    const found = await stat(target);
    if (found.isFile()) {
      if (filter.includes(path)) files.push({ path, open: () => openFileWithin(target, root) });
    } else if (found.isDirectory()) {
      if (filter.enters(path)) directories.push({ path, open: () => openDirectoryWithin(target, root) });
    } else tally.skip(path, 'special-file');
  } catch (error) {
    const code = errorCode(error);
    tally.skip(path, code === 'EACCES' || code === 'EPERM' ? 'unreadable' : 'symlink-outside');
  }
}

function isWanted(reading: FolderReading, entry: HostEntry, path: string): boolean {
  switch (entry.kind) {
    case 'directory':
      return reading.filter.enters(path);
    case 'symlink':
      return reading.filter.includes(path) || reading.filter.enters(path);
    default:
      return reading.filter.includes(path);
  }
}

/** Whether a workspace can have exactly this path: names on the host may contain characters that a workspace does not allow. */
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

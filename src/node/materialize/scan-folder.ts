import { lstat } from 'node:fs/promises';
import { FilesystemError } from '../../error/index.ts';
import { normalizePath } from '../../filesystem/index.ts';
import { stampOf } from '../host-filesystem/stamp.ts';
import { type HostDirectory, openDirectory, openFile } from '../host-mount/host-directory.ts';
import { skipReason } from '../host-mount/host-error.ts';
import { type HostEntry, listEntries } from '../host-mount/list-entries.ts';
import type { MountFilter } from '../host-mount/mount-filter.ts';
import { readContent } from '../host-mount/read-content.ts';
import { type Baseline, hashOf, type StagedFile, stagedFile } from './baseline.ts';
import { CollectTally } from './collect-report.ts';
import type { StagingLimits } from './options.ts';
import { goneError, oversizeError, tooManyError } from './staging-error.ts';

/** Files that are looked at, and read where need be, at one time. */
const FILES_AT_ONCE = 16;

/** What looking through a folder works with. */
export interface FolderScanning {
  readonly baseline: Readonly<Pick<Baseline, 'get'>>;
  readonly filter: Pick<MountFilter, 'excludes'>;
  readonly limits: StagingLimits;
  readonly signal: AbortSignal | undefined;
}

/** A file of the folder whose content is not the one that was staged. */
export interface ChangedFile {
  readonly content: Uint8Array;
  readonly staged: StagedFile;
}

/** What stands in the folder. */
export interface FolderScan {
  readonly directories: ReadonlySet<string>;
  /** Files with the content that was staged, described anew. */
  readonly same: ReadonlyMap<string, StagedFile>;
  readonly changed: ReadonlyMap<string, ChangedFile>;
  /** What was left out. */
  readonly tally: CollectTally;
}

interface Scan extends FolderScan {
  readonly directories: Set<string>;
  readonly same: Map<string, StagedFile>;
  readonly changed: Map<string, ChangedFile>;
  bytes: number;
}

/**
 * Looks through the folder. No link is followed, nothing but regular files is opened, and a file with the stamp that it
 * was staged with is not read.
 * @throws {FilesystemError} `too-large`, `quota-exceeded`; the signal's reason. What cannot be read is tallied.
 */
export async function scanFolder(scanning: FolderScanning, folder: HostDirectory): Promise<FolderScan> {
  const scan: Scan = {
    directories: new Set(),
    same: new Map(),
    changed: new Map(),
    tally: new CollectTally(),
    bytes: 0,
  };
  await scanDirectory(scanning, scan, folder, '');
  return scan;
}

async function scanDirectory(
  scanning: FolderScanning,
  scan: Scan,
  directory: HostDirectory,
  path: string,
): Promise<void> {
  const { filter, signal } = scanning;
  signal?.throwIfAborted();
  const pathOf = (name: string): string => (path === '' ? name : `${path}/${name}`);
  const entries = await list(scanning, scan, directory, path);
  const files: string[] = [];
  const directories: string[] = [];
  for (const { name, kind } of entries) {
    const entryPath = pathOf(name);
    if (filter.excludes(entryPath)) continue;
    if (scanning.baseline.get(entryPath) === 'left-out') scan.tally.skip(entryPath, 'not-staged');
    else if (!isPossiblePath(entryPath)) scan.tally.skip(entryPath, 'name-not-allowed');
    else if (kind === 'file') files.push(name);
    else if (kind === 'directory') directories.push(name);
    else scan.tally.skip(entryPath, kind === 'symlink' ? 'symlink' : 'special-file');
  }
  for (let start = 0; start < files.length; start += FILES_AT_ONCE) {
    signal?.throwIfAborted();
    const group = files.slice(start, start + FILES_AT_ONCE);
    const looks = group.map((name) => scanFile(scanning, scan, directory.pathOf(name), pathOf(name)));
    await Promise.allSettled(looks);
    await Promise.all(looks);
  }
  for (const name of directories) await enter(scanning, scan, directory.pathOf(name), pathOf(name));
}

async function list(
  { limits }: FolderScanning,
  scan: Scan,
  directory: HostDirectory,
  path: string,
): Promise<readonly HostEntry[]> {
  const pathOf = (name: string): string => (path === '' ? name : `${path}/${name}`);
  try {
    const entries = await listEntries(directory, pathOf, scan.tally, limits.maxEntries);
    if (!scan.tally.isStopped) return entries;
  } catch (error) {
    // Of the folder itself everything would be unknown.
    if (path === '') throw goneError('cannot be listed');
    scan.tally.skip(path, skipReason(error));
    return [];
  }
  throw tooManyError(`${limits.maxEntries} entries`, 'maxEntries', path === '' ? '.' : path);
}

async function enter(scanning: FolderScanning, scan: Scan, place: string, path: string): Promise<void> {
  let directory: HostDirectory;
  try {
    directory = await openDirectory(place, false);
  } catch (error) {
    scan.tally.skip(path, skipReason(error));
    return;
  }
  scan.directories.add(path);
  try {
    await scanDirectory(scanning, scan, directory, path);
  } finally {
    await directory.close();
  }
}

/** Rejects only for a limit: what cannot be read is tallied. */
async function scanFile(scanning: FolderScanning, scan: Scan, place: string, path: string): Promise<void> {
  const known = scanning.baseline.get(path);
  const staged = typeof known === 'object' ? known : undefined;
  let found: ChangedFile | undefined;
  try {
    if (staged?.isSettled === true && stampOf(await lstat(place, { bigint: true })) === staged.stamp) {
      scan.same.set(path, staged);
      return;
    }
    found = await readFile(scanning, scan, place, path);
  } catch (error) {
    if (FilesystemError.isInstance(error)) throw error;
    scan.tally.skip(path, skipReason(error));
  }
  if (found === undefined) return;
  if (found.staged.hash === staged?.hash) {
    scan.same.set(path, found.staged);
    return;
  }
  const { maxBytes } = scanning.limits;
  scan.bytes += found.content.length;
  if (scan.bytes > maxBytes) throw tooManyError(`${maxBytes} changed bytes`, 'maxBytes', path);
  scan.changed.set(path, found);
}

/** Tallies what is no regular file any more, or changes while it is read. @throws the error of the operating system. */
async function readFile(
  { limits }: FolderScanning,
  scan: Scan,
  place: string,
  path: string,
): Promise<ChangedFile | undefined> {
  const handle = await openFile(place);
  try {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile()) {
      scan.tally.skip(path, 'special-file');
      return undefined;
    }
    const size = Number(stats.size);
    if (size > limits.maxFileBytes) throw oversizeError(path, size, limits.maxFileBytes);
    const content = await readContent(handle, await handle.stat());
    if (content?.length === size) return { content, staged: stagedFile(stats, hashOf(content)) };
    scan.tally.skip(path, 'changed-while-reading');
    return undefined;
  } finally {
    await handle.close();
  }
}

/** Whether a file system can have this very path: names of the disk may hold what it does not allow. */
function isPossiblePath(path: string): boolean {
  try {
    return normalizePath(path) === path;
  } catch {
    return false;
  }
}

import type { BigIntStats } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { FilesystemError } from '../../../core/error/index.ts';
import { childPath, isNormalPath } from '../../../core/filesystem/index.ts';
import { type HostDirectory, openDirectory, openFile } from '../../disk/host-directory.ts';
import { type HostEntry, listEntries } from '../../disk/list-entries.ts';
import { readContent } from '../../disk/read-content.ts';
import { modeOf, stampOf } from '../../disk/stamp.ts';
import { errorCode, skipReason } from '../../disk/system-error.ts';
import type { FolderFilter } from '../../folder-copy/folder-filter.ts';
import { type Baseline, hashOf, isModeLost, type StagedFile, stagedFile } from '../staging/baseline.ts';
import type { StagingLimits } from '../staging/options.ts';
import { goneError, oversizeError, tooManyError } from '../staging/staging-error.ts';
import { CollectTally } from './collect-report.ts';

/** The number of files that are checked, and read if necessary, at the same time. */
const filesAtOnce = 16;

/** The context of a scan. */
export interface FolderScanning {
  readonly baseline: Readonly<Pick<Baseline, 'get'>>;
  readonly filter: Pick<FolderFilter, 'excludes'>;
  readonly limits: StagingLimits;
  readonly signal: AbortSignal | undefined;
  /** Whether the file system can have something of a kind at a path. */
  readonly isShown: (path: string, kind: 'file' | 'directory') => boolean;
  /** For an overlay, the upper layer, which has the changes: nothing else is scanned. Undefined: everything is scanned. */
  readonly upper: string | undefined;
}

/** A file of the folder whose content differs from the staged one. */
export interface ChangedFile {
  readonly content: Uint8Array;
  readonly staged: StagedFile;
}

/** The content of the folder. */
export interface FolderScan {
  /** Untouched paths, with all below them. */
  readonly untouched: ReadonlySet<string>;
  /** Links with their staged targets. */
  readonly links: ReadonlyMap<string, string>;
  readonly directories: ReadonlySet<string>;
  /** Files with the staged content, with their present metadata. */
  readonly same: ReadonlyMap<string, StagedFile>;
  readonly changed: ReadonlyMap<string, ChangedFile>;
  /** The skipped entries. */
  readonly tally: CollectTally;
}

interface Scan extends FolderScan {
  readonly untouched: Set<string>;
  readonly links: Map<string, string>;
  readonly directories: Set<string>;
  readonly same: Map<string, StagedFile>;
  readonly changed: Map<string, ChangedFile>;
  bytes: number;
}

/**
 * Scans the folder. No link is followed, only regular files are opened, and a file with the stamp that it
 * was staged with is not read.
 * @throws {FilesystemError} `file-too-large`, `filesystem-quota-exceeded`; the signal's reason. Entries that cannot be read are recorded as skipped.
 */
export async function scanFolder(scanning: FolderScanning, folder: HostDirectory): Promise<FolderScan> {
  const scan: Scan = {
    untouched: new Set(),
    links: new Map(),
    directories: new Set(),
    same: new Map(),
    changed: new Map(),
    tally: new CollectTally(),
    bytes: 0,
  };
  await scanDirectory(scanning, scan, folder, '.');
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
  const { entries, touched } = await list(scanning, scan, directory, path);
  const files: string[] = [];
  const directories: string[] = [];
  for (const { name, kind } of entries) {
    const entryPath = childPath(path, name);
    if (filter.excludes(entryPath)) continue;
    const known = scanning.baseline.get(entryPath);
    if (touched?.has(name) === false) scan.untouched.add(entryPath);
    else if (known?.kind === 'left-out') scan.tally.skip(entryPath, 'not-staged');
    else if (!isNormalPath(entryPath)) scan.tally.skip(entryPath, 'name-not-allowed');
    else if (kind === 'special') scan.tally.skip(entryPath, 'special-file');
    else if (kind !== 'symlink' && !scanning.isShown(entryPath, kind))
      scan.tally.skip(entryPath, 'not-staged');
    else if (kind === 'file') files.push(name);
    else if (kind === 'directory') directories.push(name);
    else if (known?.kind === 'link' && (await isSameLink(directory.pathOf(name), known.target))) {
      scan.links.set(entryPath, known.target);
    } else scan.tally.skip(entryPath, 'symlink');
  }
  for (let start = 0; start < files.length; start += filesAtOnce) {
    signal?.throwIfAborted();
    const group = files.slice(start, start + filesAtOnce);
    const looks = group.map((name) =>
      scanFile(scanning, scan, directory.pathOf(name), childPath(path, name)),
    );
    await Promise.allSettled(looks);
    await Promise.all(looks);
  }
  for (const name of directories) await enter(scanning, scan, directory.pathOf(name), childPath(path, name));
}

interface Listing {
  readonly entries: readonly HostEntry[];
  /** Names in the upper layer; undefined when there are no layers. */
  readonly touched?: ReadonlySet<string>;
}

async function list(
  { limits, upper }: FolderScanning,
  scan: Scan,
  directory: HostDirectory,
  path: string,
): Promise<Listing> {
  try {
    const entries = await listEntries(directory, path, scan.tally, limits.maxEntries);
    if (!scan.tally.isStopped) {
      return upper === undefined
        ? { entries }
        : { entries, touched: new Set(await readdir(join(upper, path))) };
    }
  } catch (error) {
    // If the folder itself cannot be listed, everything is unknown.
    if (path === '.') throw goneError('cannot be listed');
    scan.tally.skip(path, skipReason(error));
    return { entries: [] };
  }
  throw tooManyError(`${limits.maxEntries} entries`, 'maxEntries', path);
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

/** Rejects only for a limit: files that cannot be read are recorded as skipped. */
async function scanFile(scanning: FolderScanning, scan: Scan, place: string, path: string): Promise<void> {
  const known = scanning.baseline.get(path);
  const staged = known?.kind === 'file' ? known : undefined;
  let found: ChangedFile | undefined;
  try {
    if (staged?.isSettled === true && stampOf(await lstat(place, { bigint: true })) === staged.stamp) {
      scan.same.set(path, staged);
      return;
    }
    found = await readFile(scanning, scan, place, path, staged);
  } catch (error) {
    // Only an error of the operating system describes the state of the file.
    if (FilesystemError.isInstance(error) || errorCode(error) === undefined) throw error;
    scan.tally.skip(path, skipReason(error));
  }
  if (found === undefined) return;
  if (staged?.bytes === found.content.length && found.staged.hash() === staged.hash()) {
    scan.same.set(path, { ...found.staged, isPresent: staged.isPresent });
    return;
  }
  const { maxBytes } = scanning.limits;
  scan.bytes += found.content.length;
  if (scan.bytes > maxBytes) throw tooManyError(`${maxBytes} changed bytes`, 'maxBytes', path);
  scan.changed.set(path, found);
}

/** Records a file as skipped that is no longer a regular file, or changes while it is read. @throws the error of the operating system. */
async function readFile(
  { limits }: FolderScanning,
  scan: Scan,
  place: string,
  path: string,
  known: StagedFile | undefined,
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
    if (content?.length === size) {
      if (isModeLost(stats, known)) scan.tally.recordLostMode(path);
      return { content, staged: describe(stats, content) };
    }
    scan.tally.skip(path, 'changed-while-reading');
    return undefined;
  } finally {
    await handle.close();
  }
}

function describe(stats: BigIntStats, content: Uint8Array): StagedFile {
  const hash = hashOf(content);
  return stagedFile(stats, { hash: () => hash, mode: modeOf(stats), isPresent: undefined });
}

async function isSameLink(place: string, target: string): Promise<boolean> {
  return (await readlink(place).catch(() => undefined)) === target;
}

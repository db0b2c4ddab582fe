import { FilesystemError } from '../../error/index.ts';
import type { Filesystem } from '../../filesystem/index.ts';
import { type Baseline, hashOf } from './baseline.ts';
import type { CollectReport } from './collect-report.ts';
import type { FolderScan } from './scan-folder.ts';

/** How a folder differs from what was staged in it. */
interface FolderDifference {
  readonly removedFiles: readonly string[];
  /** The innermost first. */
  readonly removedDirectories: readonly string[];
  /** The outermost first. */
  readonly createdDirectories: readonly string[];
  readonly createdFiles: readonly string[];
  readonly modifiedFiles: readonly string[];
}

/**
 * Makes the changes of a folder in a file system: all of them, or none when one cannot be made.
 *
 * 1. A file that was changed in the folder must be in the file system what it was when it was staged, or what it is in
 *    the folder now.
 * 2. Files and directories that are gone from the folder are removed; a directory that still holds something stays.
 * 3. New directories are made, then new and modified files are written.
 *
 * @throws {FilesystemError} `changed-on-disk` for a file that both sides changed, and whatever the file system refuses.
 */
export async function applyScan(
  filesystem: Filesystem,
  baseline: Baseline,
  scan: FolderScan,
): Promise<Pick<CollectReport, 'created' | 'modified' | 'removed'>> {
  const difference = compare(baseline, scan);
  const { writes, removals } = await check(filesystem, baseline, scan, difference);
  const { removedDirectories, createdDirectories } = difference;
  if (writes.length + removals.length + removedDirectories.length + createdDirectories.length > 0) {
    await using before = await filesystem.snapshot();
    let isTouched = false;
    try {
      for (const path of removals) {
        await filesystem.remove(path);
        isTouched = true;
      }
      for (const path of removedDirectories) {
        isTouched = (await removeEmptyDirectory(filesystem, path)) || isTouched;
      }
      for (const path of createdDirectories) {
        await filesystem.mkdir(path);
        isTouched = true;
      }
      for (const [path, content] of writes) {
        await filesystem.write(path, content);
        isTouched = true;
      }
    } catch (error) {
      // A view that may not be written, or is closed, has nothing to take back; the first error says why.
      if (isTouched) await filesystem.restore(before).catch(() => undefined);
      throw error;
    }
  }
  return {
    created: [...createdDirectories, ...difference.createdFiles],
    modified: difference.modifiedFiles,
    removed: [...removedDirectories, ...difference.removedFiles],
  };
}

/** Brings the record of what is in the folder up to date, once its changes have been made. */
export function rebase(baseline: Baseline, scan: FolderScan): void {
  for (const [path, staged] of [...baseline]) {
    if (staged !== 'left-out' && !scan.tally.isUnknown(path)) baseline.delete(path);
  }
  for (const path of scan.directories) baseline.set(path, 'directory');
  for (const [path, staged] of scan.same) baseline.set(path, staged);
  for (const [path, { staged }] of scan.changed) baseline.set(path, staged);
}

function compare(baseline: Baseline, scan: FolderScan): FolderDifference {
  const removedFiles: string[] = [];
  const removedDirectories: string[] = [];
  for (const [path, staged] of baseline) {
    if (staged === 'left-out') continue;
    const isThere =
      staged === 'directory' ? scan.directories.has(path) : scan.same.has(path) || scan.changed.has(path);
    if (isThere || scan.tally.isUnknown(path)) continue;
    (staged === 'directory' ? removedDirectories : removedFiles).push(path);
  }
  const isStagedFile = (path: string): boolean => typeof baseline.get(path) === 'object';
  const changedFiles = [...scan.changed.keys()];
  return {
    removedFiles,
    removedDirectories: removedDirectories.sort().reverse(),
    createdDirectories: [...scan.directories].filter((path) => baseline.get(path) !== 'directory').sort(),
    createdFiles: changedFiles.filter((path) => !isStagedFile(path)),
    modifiedFiles: changedFiles.filter(isStagedFile),
  };
}

interface CheckedDifference {
  readonly writes: readonly (readonly [path: string, content: Uint8Array])[];
  readonly removals: readonly string[];
}

/** Leaves out what the file system has already, and refuses what it has changed differently. */
async function check(
  filesystem: Filesystem,
  baseline: Baseline,
  scan: FolderScan,
  difference: FolderDifference,
): Promise<CheckedDifference> {
  const removals: string[] = [];
  for (const path of difference.removedFiles) {
    const present = await presentHash(filesystem, path);
    if (present === undefined) continue;
    if (present !== stagedHash(baseline, path)) throw bothChangedError(path);
    removals.push(path);
  }
  const writes: (readonly [string, Uint8Array])[] = [];
  for (const [path, { content, staged }] of scan.changed) {
    const present = await presentHash(filesystem, path);
    if (present === staged.hash) continue;
    if (present !== stagedHash(baseline, path)) throw bothChangedError(path);
    writes.push([path, content]);
  }
  return { writes, removals };
}

function stagedHash(baseline: Baseline, path: string): string | undefined {
  const staged = baseline.get(path);
  return typeof staged === 'object' ? staged.hash : undefined;
}

async function presentHash(filesystem: Filesystem, path: string): Promise<string | undefined> {
  const found = await filesystem.stat(path);
  return found?.kind === 'file' ? hashOf(await filesystem.readBytes(path)) : undefined;
}

async function removeEmptyDirectory(filesystem: Filesystem, path: string): Promise<boolean> {
  if ((await filesystem.stat(path))?.kind !== 'directory') return false;
  // It may hold what was excluded, or what was put there since.
  if ((await filesystem.list(path)).length > 0) return false;
  await filesystem.remove(path);
  return true;
}

function bothChangedError(path: string): FilesystemError {
  return new FilesystemError(
    'changed-on-disk',
    `"${path}" was changed in the staged folder and, since it was staged, in the file system as well. ` +
      'Nothing was collected. Leave the file alone until the folder is collected.',
    { details: { path } },
  );
}

import { FilesystemError } from '../../../core/error/index.ts';
import type { Filesystem } from '../../../core/filesystem/index.ts';
import { pathError } from '../../../core/filesystem/index.ts';
import { EventLoopYield, systemClock } from '../../../core/session/index.ts';
import { type Baseline, hashOf, type StagedFile } from '../staging/baseline.ts';
import { isCovered, type StagedFolderReport } from './collect-report.ts';
import type { FolderScan } from './scan-folder.ts';

/** The differences between a folder and its baseline. */
interface FolderDifference {
  readonly removedFiles: readonly string[];
  readonly removedLinks: readonly string[];
  /** Innermost first. */
  readonly removedDirectories: readonly string[];
  /** Outermost first. */
  readonly createdDirectories: readonly string[];
  readonly createdFiles: readonly string[];
  readonly modifiedFiles: readonly string[];
}

/**
 * Applies the changes of a folder to a file system: all of them, or none when one fails.
 *
 * 1. A file that was changed in the folder must have in the file system the content that was staged, or the content that it has in
 *    the folder now.
 * 2. Files and directories that were removed from the folder are removed; a directory that is not empty stays.
 * 3. New directories are created, then new and modified files are written.
 *
 * @param isCollected whether changes at a path are applied; others are skipped.
 * @throws {FilesystemError} `file-changed-on-disk` for a file that was changed on both sides, and the errors of the file system.
 */
export async function applyScan(
  filesystem: Filesystem,
  baseline: Baseline,
  scan: FolderScan,
  isCollected: (path: string) => boolean,
): Promise<Pick<StagedFolderReport, 'created' | 'modified' | 'removed'>> {
  // A file system may answer without ever waiting for anything, and a command may have changed many things.
  const eventLoop = new EventLoopYield(systemClock);
  const difference = compare(baseline, scan, isCollected);
  const { writes, removals } = await check(filesystem, baseline, scan, difference, eventLoop);
  const { removedDirectories, createdDirectories } = difference;
  if (writes.length + removals.length + removedDirectories.length + createdDirectories.length > 0) {
    await using before = await filesystem.snapshot();
    let isTouched = false;
    try {
      for (const path of removals) {
        await eventLoop.pauseIfDue();
        await filesystem.remove(path);
        isTouched = true;
      }
      for (const path of removedDirectories) {
        await eventLoop.pauseIfDue();
        isTouched = (await removeEmptyDirectory(filesystem, path)) || isTouched;
      }
      for (const path of createdDirectories) {
        await eventLoop.pauseIfDue();
        await filesystem.mkdir(path);
        isTouched = true;
      }
      for (const [path, content] of writes) {
        await eventLoop.pauseIfDue();
        await filesystem.write(path, content);
        isTouched = true;
      }
    } catch (error) {
      // A view that is read-only or closed has nothing to roll back; the first error says why.
      if (isTouched) await filesystem.restore(before).catch(() => undefined);
      throw error;
    }
  }
  return {
    created: [...createdDirectories, ...difference.createdFiles],
    modified: difference.modifiedFiles,
    removed: [...removedDirectories, ...difference.removedFiles, ...difference.removedLinks],
  };
}

/** Updates the baseline to the present content of the folder, after its changes were applied. */
export function rebase(baseline: Baseline, scan: FolderScan): void {
  for (const [path, staged] of [...baseline]) {
    if (staged.kind !== 'left-out' && !scan.tally.isUnknown(path) && !isCovered(scan.untouched, path)) {
      baseline.delete(path);
    }
  }
  for (const path of scan.directories) baseline.set(path, { kind: 'directory' });
  for (const [path, target] of scan.links) baseline.set(path, { kind: 'link', target });
  for (const [path, staged] of scan.same) baseline.set(path, staged);
  for (const [path, { staged }] of scan.changed) {
    if (!scan.tally.isUnknown(path)) baseline.set(path, staged);
  }
}

/** @param isCollected whether changes at a path are applied; others are recorded as skipped. */
function compare(
  baseline: Baseline,
  scan: FolderScan,
  isCollected: (path: string) => boolean,
): FolderDifference {
  const removed = { file: [] as string[], link: [] as string[], directory: [] as string[] };
  for (const [path, { kind }] of baseline) {
    if (kind === 'left-out' || isThere(scan, path, kind)) continue;
    if (scan.tally.isUnknown(path) || isCovered(scan.untouched, path)) continue;
    removed[kind].push(path);
  }
  const keep = (paths: Iterable<string>): readonly string[] =>
    [...paths].filter((path) => {
      if (isCollected(path)) return true;
      scan.tally.skip(path, 'git-directory');
      return false;
    });
  const isStagedAs = (path: string, kind: string): boolean => baseline.get(path)?.kind === kind;
  const changedFiles = keep(scan.changed.keys());
  return {
    removedFiles: keep(removed.file),
    removedLinks: keep(removed.link),
    removedDirectories: keep(removed.directory).toSorted().reverse(),
    createdDirectories: keep(
      [...scan.directories].filter((path) => !isStagedAs(path, 'directory')),
    ).toSorted(),
    createdFiles: changedFiles.filter((path) => !isStagedAs(path, 'file')),
    modifiedFiles: changedFiles.filter((path) => isStagedAs(path, 'file')),
  };
}

function isThere(scan: FolderScan, path: string, kind: 'file' | 'link' | 'directory'): boolean {
  switch (kind) {
    case 'file':
      return scan.same.has(path) || scan.changed.has(path);
    case 'link':
      return scan.links.has(path);
    case 'directory':
      return scan.directories.has(path);
  }
}

interface CheckedDifference {
  readonly writes: readonly (readonly [path: string, content: Uint8Array])[];
  readonly removals: readonly string[];
}

/** Omits changes that the file system already has, and refuses conflicting ones. */
async function check(
  filesystem: Filesystem,
  baseline: Baseline,
  scan: FolderScan,
  difference: FolderDifference,
  eventLoop: EventLoopYield,
): Promise<CheckedDifference> {
  const removals: string[] = [];
  for (const path of difference.removedLinks) {
    await eventLoop.pauseIfDue();
    if ((await filesystem.stat(path)) !== undefined) removals.push(path);
  }
  for (const path of difference.removedFiles) {
    await eventLoop.pauseIfDue();
    const held = await holds(filesystem, path, stagedAt(baseline, path));
    if (held === 'other') throw bothChangedError(path);
    if (held === 'staged') removals.push(path);
  }
  const writes: (readonly [string, Uint8Array])[] = [];
  const collected = new Set([...difference.createdFiles, ...difference.modifiedFiles]);
  for (const [path, { content, staged }] of scan.changed) {
    await eventLoop.pauseIfDue();
    if (!collected.has(path)) continue;
    const before = stagedAt(baseline, path);
    const expected = before === undefined ? 'nothing' : 'staged';
    // The existing link is removed first, or the write would follow it.
    const isLink = baseline.get(path)?.kind === 'link';
    const held = isLink ? expected : await holds(filesystem, path, before, staged);
    if (held === 'wanted') continue;
    if (held !== expected) throw bothChangedError(path);
    writes.push([path, content]);
  }
  return { writes, removals };
}

function stagedAt(baseline: Baseline, path: string): StagedFile | undefined {
  const staged = baseline.get(path);
  return staged?.kind === 'file' ? staged : undefined;
}

/** What the file system has at a path: the staged file, the wanted file, another file, or nothing. */
async function holds(
  filesystem: Filesystem,
  path: string,
  before: StagedFile | undefined,
  wanted?: StagedFile,
): Promise<'staged' | 'wanted' | 'other' | 'nothing'> {
  if (before?.isPresent?.() === true) return 'staged';
  if ((await filesystem.stat(path))?.kind !== 'file') return 'nothing';
  const present = hashOf(await filesystem.readBytes(path));
  if (present === wanted?.hash()) return 'wanted';
  return present === before?.hash() ? 'staged' : 'other';
}

async function removeEmptyDirectory(filesystem: Filesystem, path: string): Promise<boolean> {
  if ((await filesystem.stat(path))?.kind !== 'directory') return false;
  // It may contain excluded files, or files added since.
  if ((await filesystem.list(path)).length > 0) return false;
  try {
    await filesystem.remove(path);
    return true;
  } catch (error) {
    // It contains entries without a valid path, or excluded from the file system.
    const isHolding =
      FilesystemError.isInstance(error) && ['directory-not-empty', 'path-excluded'].includes(error.code);
    if (isHolding) return false;
    throw error;
  }
}

function bothChangedError(path: string): FilesystemError {
  return pathError(
    'file-changed-on-disk',
    path,
    'was changed in the staged folder and, since it was staged, in the file system as well. ' +
      'Nothing was collected. Leave the file alone until the folder is collected.',
  );
}

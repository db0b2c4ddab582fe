import { unlink } from 'node:fs/promises';
import type { FileChange, FilesystemSnapshot, MemoryFilesystem } from '../../filesystem/index.ts';
import type { HostDirectory } from '../host-mount/host-directory.ts';
import { errorCode } from '../host-mount/host-error.ts';
import { openFolder } from '../host-mount/open-folder.ts';
import { type CheckedChange, checkChange, isUntouched } from './check-change.ts';
import { inFolder, ParentBlockedError, splitPath } from './host-place.ts';
import type { ApplyConflict, ApplyOutcome } from './outcome.ts';
import { removeEmptyFolder, Staging } from './staging.ts';

/** Options of {@link applyChanges}. */
export interface ApplyChangesOptions {
  /** The folder that was mounted. Relative to the working directory of the process. */
  readonly hostPath: string;
  /** The workspace that was made of it, its root being the folder. */
  readonly filesystem: Pick<MemoryFilesystem, 'changesSince' | 'stat'>;
  /** The workspace as it was mounted. */
  readonly since: FilesystemSnapshot;
}

/**
 * Writes what was changed in a mounted workspace back to its folder.
 *
 * 1. Every changed file is compared with the disk, byte by byte with what was mounted. One that is different, gone, a
 *    link or write-protected, or a new one whose place is taken, is a conflict; with any conflict nothing is written.
 * 2. The new contents are written beside their places, to temporary files. Missing folders are made.
 * 3. When nothing was touched meanwhile, they are moved into their places one by one. A replaced file keeps its permissions.
 * 4. Removed files are removed last, then the folders that the workspace no longer has and that are empty.
 *
 * No link is followed on the way to any path. A file stays a file and a folder a folder: replacing one by the other is
 * a conflict. There is no journal: a process killed in step 3 or 4 leaves a part of the changes written, each file whole.
 *
 * Never rejects for what the operating system says about a path below the folder: that is part of the outcome.
 *
 * @throws {FilesystemError} when the folder itself is gone or cannot be opened.
 * @throws {SnapshotError} `snapshot-foreign` when `since` is of another file system.
 */
export async function applyChanges(options: ApplyChangesOptions): Promise<ApplyOutcome> {
  const { hostPath, filesystem, since } = options;
  const changes = filesystem.changesSince(since);
  const root = await openFolder(hostPath, [hostPath]);
  try {
    const checked: CheckedChange[] = [];
    const conflicts: ApplyConflict[] = [];
    for (const change of changes) {
      const result = await checkChange(root, change);
      if (typeof result === 'string') conflicts.push({ path: change.path, reason: result });
      else checked.push(result);
    }
    if (conflicts.length > 0) return { kind: 'conflict', conflicts };
    return await write(root, checked, filesystem);
  } finally {
    await root.close();
  }
}

async function write(
  root: HostDirectory,
  changes: readonly CheckedChange[],
  filesystem: ApplyChangesOptions['filesystem'],
): Promise<ApplyOutcome> {
  const removals = changes.filter(({ change }) => change.kind === 'removed');
  const others = changes.filter(({ change }) => change.kind !== 'removed');
  const written: string[] = [];
  const removed: string[] = [];
  const staging = new Staging(root);
  let isDone = false;
  let path = '.';
  try {
    for (const checked of others) {
      path = checked.change.path;
      if (checked.change.entry === 'file') await staging.add(checked);
    }
    const touched = await touchedMeanwhile(root, changes);
    if (touched.length > 0) return { kind: 'conflict', conflicts: touched };
    for (const { change } of others) {
      path = change.path;
      if (change.entry === 'directory') await staging.addFolder(path);
      else await staging.place(path);
      written.push(path);
    }
    for (const { change } of removals) {
      path = change.path;
      if (change.entry === 'directory') continue;
      const { parent, name } = splitPath(path);
      await inFolder(root, parent, (folder) => unlink(folder.pathOf(name)));
      removed.push(path);
    }
    await removeFolders(root, removals, filesystem);
    isDone = true;
    return { kind: 'applied', written, removed };
  } catch (error) {
    return { kind: 'failed', path, reason: reasonOf(error), written, removed };
  } finally {
    if (!isDone) await staging.discard();
  }
}

async function touchedMeanwhile(
  root: HostDirectory,
  changes: readonly CheckedChange[],
): Promise<readonly ApplyConflict[]> {
  const touched: ApplyConflict[] = [];
  for (const checked of changes) {
    if (await isUntouched(root, checked)) continue;
    touched.push({
      path: checked.change.path,
      reason: 'was changed on disk while the changes were being written',
    });
  }
  return touched;
}

/** Removes the folders that the workspace no longer has, the innermost first; one that holds something else stays. */
async function removeFolders(
  root: HostDirectory,
  removals: readonly { readonly change: FileChange }[],
  filesystem: ApplyChangesOptions['filesystem'],
): Promise<void> {
  const folders = new Set<string>();
  for (const { change } of removals) {
    let path = change.entry === 'directory' ? change.path : splitPath(change.path).parent;
    for (; path !== '' && !folders.has(path); path = splitPath(path).parent) folders.add(path);
  }
  const innermostFirst = [...folders].sort((left, right) => right.length - left.length);
  for (const path of innermostFirst) {
    if ((await filesystem.stat(path)) === undefined) await removeEmptyFolder(root, path);
  }
}

/** What the operating system said, without the path. */
function reasonOf(error: unknown): string {
  if (error instanceof ParentBlockedError) return `"${error.parent}" is no ordinary folder any more`;
  switch (errorCode(error)) {
    case 'EACCES':
    case 'EPERM':
      return 'access is denied';
    case 'EROFS':
      return 'the disk is read-only';
    case 'ENOSPC':
    case 'EDQUOT':
      return 'no space is left';
    default:
      return `the operating system says ${errorCode(error) ?? 'no'}`;
  }
}

import { assertArgument, assertOptions, FilesystemError, withDefaults } from '../../core/error/index.ts';
import { type Filesystem, refuseArgument } from '../../core/filesystem/index.ts';
import { type HostDirectory, isBelow, openDirectory } from '../disk/host-directory.ts';
import { compileFolderFilter } from '../folder-copy/folder-filter.ts';
import { type DiskSource, diskSourceOf } from '../host-filesystem/disk-source.ts';
import { isInGitDirectory } from '../host-filesystem/jail/jail.ts';
import { mountOverlay, OverlayRefusedError, overlayRefusal } from './overlay/overlay-mount.ts';
import { copyPlace, type StagedPlace } from './overlay/staged-place.ts';
import { DiskStagedFolder, type StagedFolder, type StagedFolderParts } from './staged-folder.ts';
import type { Baseline } from './staging/baseline.ts';
import { type StagedFolderOptions, stagingChecks, stagingLimitChecks } from './staging/options.ts';
import { planDisk } from './staging/plan-disk.ts';
import { makePrivateFolder, openTempRoot, removeFolder } from './staging/private-folder.ts';
import type { OpenSource } from './staging/stage-file.ts';
import { stagePlan } from './staging/stage-plan.ts';
import { stagingError } from './staging/staging-error.ts';
import { writeFolder } from './staging/write-folder.ts';

/** The context of creating one staged folder. */
interface Staging
  extends Pick<StagedFolderParts, 'filesystem' | 'filter' | 'limits' | 'signal' | 'isShown' | 'isCollected'> {
  readonly realTempRoot: string;
  readonly tempRoot: string | undefined;
}

/**
 * Copies the present content of a file system into a private folder, for processes that work on real files:
 *
 * ```ts no-run
 * import { ToolResult, tool } from 'weakincentives';
 * import { openStagedFolder } from 'weakincentives/node';
 *
 * export const npmTest = tool({
 *   name: 'npm_test',
 *   description: 'Runs the tests of the workspace.',
 *   effects: 'state',
 *   execute: async (_params, { filesystem, signal }) => {
 *     await using staged = await openStagedFolder(filesystem, { signal });
 *     const { exitCode, output } = await staged.run('npm', ['test'], { timeoutMs: 60_000 });
 *     if (exitCode !== 0) return ToolResult.error(output);
 *     const { created, modified, removed } = await staged.collect();
 *     return ToolResult.ok({ created, modified, removed });
 *   },
 * });
 * ```
 *
 * With the file system of a call, the staged content is what the call sees, and collected changes are part of the call:
 * policies check them, and they are committed or rolled back with the call. Effects of the process outside the folder are not.
 *
 * - For a `HostFilesystem`, or a fork of one, the folder on disk is mounted as an overlay where the kernel allows it,
 *   else its files are cloned. Permissions, modification times and links within the folder are kept; a file that the call
 *   has written has the permissions of the file it replaces. The folder on disk itself is never changed.
 * - For any other file system, the content is written: directories 0700, files 0600, with their modification times.
 *
 * Files that the file system refuses to read, and links that lead out, are left out and listed in `leftOut`. Disposing removes
 * the folder. A killed process leaves the changes on disk, but no mount; the next `openStagedFolder` with the same
 * `tempRoot` removes them.
 *
 * @throws {FilesystemError} `argument-invalid`, `pattern-invalid` for a bad option; `path-not-found`, `path-not-directory`,
 * `path-forbidden` for a `tempRoot` that cannot be used; `file-too-large`, `filesystem-quota-exceeded` when a limit is exceeded;
 * `path-taken`, `path-invalid` for a name that the disk cannot distinguish from another or cannot store; `file-changed-on-disk`
 * when a file of a `HostFilesystem` has changed since it was read; `root-replaced` when its folder was replaced; `filesystem-storage-failed`, also when `layer` is `'overlay'` and
 * an overlay is not possible. The error of the operating system or of another file system is the `cause`.
 * @throws the signal's reason. Whenever it rejects, nothing is left on the disk.
 */
export async function openStagedFolder(
  filesystem: Filesystem,
  options: StagedFolderOptions = {},
): Promise<StagedFolder> {
  assertOptions('openStagedFolder()', options, { ...stagingChecks, signal: 'any' }, refuseArgument);
  assertArgument('openStagedFolder()', 'filesystem', filesystem, 'object', refuseArgument);
  try {
    return await openStaged(filesystem, options);
  } catch (error) {
    throw stagingError('staged', error, options.signal);
  }
}

async function openStaged(filesystem: Filesystem, options: StagedFolderOptions): Promise<StagedFolder> {
  const { exclude = [], signal, tempRoot, layer = 'auto' } = options;
  const limits = withDefaults(stagingLimitChecks, options);
  const filter = compileFolderFilter({ exclude, defaultExcludes: false });
  signal?.throwIfAborted();
  const realTempRoot = await openTempRoot(tempRoot);
  const openSource = diskSourceOf(filesystem);
  if (openSource !== undefined) assertOutside(openSource, realTempRoot);
  const source = openSource?.();
  const visible = source?.visible;
  const isCollected: Staging['isCollected'] = (path) =>
    source?.allowsGitWrites !== false || !isInGitDirectory(path);
  const isShown: Staging['isShown'] = (path, kind) => visible?.reaches(path, kind) !== false;
  const staging: Staging = {
    filesystem,
    filter,
    limits,
    signal,
    isShown,
    isCollected,
    realTempRoot,
    tempRoot,
  };
  if (layer !== 'copy') {
    try {
      if (openSource === undefined)
        throw new OverlayRefusedError('Only a folder on disk can be a lower layer.');
      return await stage(staging, (parts) => fillOverlay(parts, openSource));
    } catch (error) {
      if (!(error instanceof OverlayRefusedError)) throw error;
      if (layer === 'overlay') throw refusedError(error);
    }
  }
  return stage(staging, (parts) => fillCopy(parts, openSource));
}

/** Creates a private folder and fills it; removes it when that fails. */
async function stage(
  staging: Staging,
  fill: (parts: Staging & { readonly folder: string }) => Promise<StagedFolderParts>,
): Promise<StagedFolder> {
  const folder = await makePrivateFolder(staging.realTempRoot, staging.tempRoot);
  try {
    return new DiskStagedFolder(await fill({ ...staging, folder }));
  } catch (error) {
    // What cannot be removed now is removed when the next folder is created in the same tempRoot.
    await removeFolder(folder).catch(() => undefined);
    throw error;
  }
}

/** The present state of a folder on disk, which must still be at its path. */
function openInPlace(openSource: OpenSource): DiskSource {
  const source = openSource();
  source.jail.assertInPlace();
  return source;
}

async function fillCopy(
  parts: Staging & { readonly folder: string },
  openSource: OpenSource | undefined,
): Promise<StagedFolderParts> {
  return fillPlace(parts, await copyPlace(parts.folder), async (baseline, folder) => {
    if (openSource === undefined) return writeFolder({ ...parts, baseline }, folder);
    const source = openInPlace(openSource);
    const plan = planDisk({ ...parts, source, isOverlay: false, onOwner: () => undefined });
    return stagePlan({ openSource, signal: parts.signal, baseline, isOverlay: false }, plan, folder);
  });
}

async function fillOverlay(
  parts: Staging & { readonly folder: string },
  openSource: OpenSource,
): Promise<StagedFolderParts> {
  const refusal = await overlayRefusal(openSource().overlayTrials, parts.realTempRoot);
  if (refusal !== undefined) throw refusal;
  const source = openInPlace(openSource);
  const plan = planDisk({ ...parts, source, isOverlay: true, onOwner: assertMapped });
  const place = await mountOverlay({ folder: parts.folder, jail: source.jail, hidden: plan.hidden });
  try {
    return await fillPlace(parts, place, (baseline, folder) =>
      stagePlan({ openSource, signal: parts.signal, baseline, isOverlay: true }, plan, folder),
    );
  } catch (error) {
    await place[Symbol.asyncDispose]();
    throw error;
  }
}

async function fillPlace(
  parts: Staging & { readonly folder: string },
  place: StagedPlace,
  write: (baseline: Baseline, folder: HostDirectory) => Promise<void>,
): Promise<StagedFolderParts> {
  const baseline: Baseline = new Map();
  const folder = await openDirectory(place.path, false);
  try {
    await write(baseline, folder);
    return { ...parts, place, baseline, identity: folder.identity };
  } finally {
    await folder.close();
  }
}

/** In a user namespace only files of its owner can be changed. */
function assertMapped({ uid, gid }: { readonly uid: number; readonly gid: number }): void {
  const [user, group] = [process.geteuid?.(), process.getegid?.()];
  if (user === 0 || (uid === user && gid === group)) return;
  throw new OverlayRefusedError('The folder holds files of another user or group.');
}

function assertOutside(openSource: OpenSource, realTempRoot: string): void {
  if (!isBelow(realTempRoot, openSource().jail.realPath)) return;
  throw new FilesystemError(
    'argument-invalid',
    'The folder for temporary files is inside the folder to stage. Set tempRoot to another folder.',
    { details: { option: 'tempRoot' } },
  );
}

function refusedError(refusal: OverlayRefusedError): FilesystemError {
  return new FilesystemError(
    'filesystem-storage-failed',
    `An overlay is not possible. ${refusal.message} Set layer to 'auto' or 'copy'.`,
    { cause: refusal, details: { option: 'layer' } },
  );
}

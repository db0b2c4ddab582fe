import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { FilesystemError } from '../../error/index.ts';
import type { Filesystem } from '../../filesystem/index.ts';
import { openDirectory } from '../host-mount/host-directory.ts';
import { errorCode } from '../host-mount/host-error.ts';
import { compileMountFilter } from '../host-mount/mount-filter.ts';
import type { Baseline } from './baseline.ts';
import { type MaterializeOptions, resolveStagingLimits } from './options.ts';
import { removeFolder } from './remove-folder.ts';
import { MaterializedFolder, type StagedFolder, type StagedFolderParts } from './staged-folder.ts';
import { writeFolder } from './write-folder.ts';

/**
 * Writes the present content of a file system to a private temporary folder, for a process that works on real files:
 *
 * ```ts
 * await using staged = await materialize(context.filesystem, { signal: context.signal });
 * // Run a process in `staged.path`, wait for its end, then:
 * const { created, modified, removed } = await staged.collect();
 * ```
 *
 * With the file system of a call, the staged content is what the call sees, and what is collected is a part of the call:
 * policies judge it, and it lands or vanishes with the call. What the process does outside of the folder is not.
 *
 * The folder and all in it is for the owner alone (0700, files 0600). A file system does not tell permissions, so no file
 * is executable: start scripts through their interpreter. Modification times are those of the file system. Links of a
 * file system that can have them, and what it does not let be read, are left out and named in `leftOut`.
 * The content is copied, whatever its size. Disposing removes the folder; a process that is killed leaves it.
 *
 * @throws {FilesystemError} `invalid-argument`, `invalid-pattern` for a bad option; `not-found`, `not-a-directory`,
 * `permission-denied` for a `tempRoot` that cannot be used; `too-large`, `quota-exceeded` when a limit is passed;
 * `already-exists`, `invalid-path` for a name that the disk cannot tell from another or cannot hold; `storage-failed`.
 * @throws the signal's reason. Whenever it rejects, nothing is left on the disk.
 */
export async function materialize(
  filesystem: Filesystem,
  options: MaterializeOptions = {},
): Promise<StagedFolder> {
  const { exclude = [], signal } = options;
  const limits = resolveStagingLimits(options);
  const filter = compileMountFilter({ exclude, defaultExcludes: false });
  signal?.throwIfAborted();
  const path = await makePrivateFolder(options.tempRoot);
  try {
    return new MaterializedFolder(await fill({ filesystem, path, filter, limits, signal }));
  } catch (error) {
    await removeFolder(path);
    throw error;
  }
}

async function fill(
  parts: Omit<StagedFolderParts, 'identity' | 'baseline' | 'bytes'>,
): Promise<StagedFolderParts> {
  const folder = await openDirectory(parts.path, false);
  try {
    const baseline: Baseline = new Map();
    const bytes = await writeFolder({ ...parts, baseline }, folder);
    return { ...parts, baseline, bytes, identity: folder.identity };
  } finally {
    await folder.close();
  }
}

async function makePrivateFolder(tempRoot: string | undefined): Promise<string> {
  try {
    // Made with mode 0700 under a name that nobody can know before.
    return await mkdtemp(join(await realpath(resolve(tempRoot ?? tmpdir())), 'wink-staged-'));
  } catch (error) {
    throw tempRootError(tempRoot === undefined ? 'The temporary folder' : `The folder "${tempRoot}"`, error);
  }
}

/** The cause is left out on purpose: messages of the operating system hold resolved host paths. */
function tempRootError(folder: string, error: unknown): FilesystemError {
  switch (errorCode(error)) {
    case 'ENOENT':
      return new FilesystemError(
        'not-found',
        `${folder} does not exist. Set tempRoot to an existing folder.`,
      );
    case 'ENOTDIR':
      return new FilesystemError('not-a-directory', `${folder} is no folder. Set tempRoot to a folder.`);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new FilesystemError(
        'permission-denied',
        `${folder} cannot be written to: access is denied. Set tempRoot to a folder of your own.`,
      );
    default:
      return new FilesystemError(
        'storage-failed',
        `${folder} cannot be used (${errorCode(error) ?? 'unknown error'}). Set tempRoot to another one.`,
      );
  }
}

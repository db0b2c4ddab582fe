import { assertOptions, withDefaults } from '../../core/error/index.ts';
import { refuseArgument } from '../../core/filesystem/index.ts';
import type { HostDirectory } from '../disk/host-directory.ts';
import { skipReason } from '../disk/system-error.ts';
import { CopyTally, type FolderCopyReport } from './copy-report.ts';
import { compileFolderFilter } from './folder-filter.ts';
import type { FolderReading } from './folder-reading.ts';
import { assertStillThere, openFolder } from './open-folder.ts';
import { folderLimitChecks, type ReadFolderOptions, resolveMountPath } from './options.ts';
import { readFiles } from './read-files.ts';
import { type DirectoryCandidate, type SortedEntries, sortEntries } from './sort-entries.ts';

/**
 * The content of a host folder at one moment: plain data, to be used in any number of workspaces. Give it to
 * `vfsToolsSection({ mounts })`, or its `files` to a `MemoryFilesystem`.
 */
export interface FolderCopy {
  readonly kind: 'mount';
  /** The directory that contains the files; `.` is the workspace root. */
  readonly mountPath: string;
  /** Content by path from the workspace root, including `mountPath`. An object without prototype. */
  readonly files: Readonly<Record<string, Uint8Array>>;
  /** What was taken and what was left out, by name and reason. */
  readonly report: { [Name in keyof FolderCopyReport]: FolderCopyReport[Name] };
}

/**
 * Reads a folder of the host into memory, for a workspace whose changes never reach the disk. Every file is
 * taken as bytes. Entries that cannot or must not be read (links, fifos, devices, unreadable and too large files) are skipped and
 * reported; `.git` and `node_modules` are excluded silently.
 *
 * Reads with bounded memory and few open files, and never reads below an excluded directory.
 *
 * @throws {FilesystemError} `path-not-found`, `path-not-directory`, `path-outside-root` or `path-forbidden` for the folder,
 * `pattern-invalid` for a glob, `argument-invalid` for a limit or for no allowed roots, `path-invalid` for a mount path.
 * `root-replaced` when the folder was renamed, removed or replaced while it was read.
 * Messages name the folder as it was given, never its real path.
 * @throws the signal's reason when it is aborted.
 * @see docs/spec/filesystem.md §5
 */
export async function readFolder(options: ReadFolderOptions): Promise<FolderCopy> {
  assertOptions(
    'readFolder()',
    options,
    {
      ...folderLimitChecks,
      defaultExcludes: 'boolean',
      followSymlinks: 'boolean',
      mountPath: 'any',
      signal: 'any',
      hostPath: 'string!',
      include: 'array',
      exclude: 'array',
      allowedRoots: 'array!',
    },
    refuseArgument,
  );
  const { hostPath, allowedRoots, followSymlinks = false, signal } = options;
  const limits = withDefaults(folderLimitChecks, options);
  const mountPath = resolveMountPath(options);
  const filter = compileFolderFilter(options);
  signal?.throwIfAborted();
  const folder = await openFolder(hostPath, allowedRoots);
  try {
    // Without a prototype, so that a file named `__proto__` is an ordinary key.
    const files: Record<string, Uint8Array> = Object.create(null);
    const tally = new CopyTally();
    const take = (path: string, content: Uint8Array): void => {
      files[path] = content;
    };
    const reading = { folder, mountPath, filter, limits, followSymlinks, signal, tally, take };
    await readDirectory(reading, folder, '.', [folder.identity]);
    await assertStillThere(folder, hostPath);
    return Object.freeze({
      kind: 'mount',
      mountPath,
      files: Object.freeze(files),
      report: tally.report(),
    });
  } finally {
    await folder.close();
  }
}

/**
 * Reads a directory and all below it: its files first, then its subdirectories, one after the other, each in order of
 * names. One directory per level and a few files are open at a time.
 *
 * @param path below the mounted folder; '' is the folder itself.
 * @param ancestors the identities of this directory and of the directories that contain it.
 * @throws the signal's reason; entries that cannot be read are recorded as skipped.
 */
export async function readDirectory(
  reading: FolderReading,
  directory: HostDirectory,
  path: string,
  ancestors: readonly string[],
): Promise<void> {
  reading.signal?.throwIfAborted();
  const entries = await sort(reading, directory, path);
  await readFiles(reading, entries.files);
  for (const subdirectory of entries.directories) {
    if (reading.tally.isStopped) return;
    await enter(reading, subdirectory, ancestors);
  }
}

async function sort(reading: FolderReading, directory: HostDirectory, path: string): Promise<SortedEntries> {
  try {
    return await sortEntries(reading, directory, path);
  } catch (error) {
    reading.tally.skip(path, skipReason(error));
    return { files: [], directories: [] };
  }
}

async function enter(
  reading: FolderReading,
  candidate: DirectoryCandidate,
  ancestors: readonly string[],
): Promise<void> {
  let directory: HostDirectory;
  try {
    directory = await candidate.open();
  } catch (error) {
    reading.tally.skip(candidate.path, skipReason(error));
    return;
  }
  try {
    if (ancestors.includes(directory.identity)) reading.tally.skip(candidate.path, 'symlink-cycle');
    else await readDirectory(reading, directory, candidate.path, [...ancestors, directory.identity]);
  } finally {
    await directory.close();
  }
}

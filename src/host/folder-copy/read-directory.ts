import type { HostDirectory } from '../disk/host-directory.ts';
import { skipReason } from '../disk/system-error.ts';
import type { FolderReading } from './folder-reading.ts';
import { readFiles } from './read-files.ts';
import { type DirectoryCandidate, type SortedEntries, sortEntries } from './sort-entries.ts';

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
    reading.tally.skip(path === '' ? '.' : path, skipReason(error));
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

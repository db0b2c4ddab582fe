import type { FileHandle } from 'node:fs/promises';
import { type OpenedStamp, readContent } from '../disk/read-content.ts';
import { skipReason } from '../disk/system-error.ts';
import { type FolderReading, workspacePath } from './folder-reading.ts';
import type { FileCandidate } from './sort-entries.ts';

/** The number of files that are open and read at the same time. */
const filesAtOnce = 16;

/** A regular file, open. */
interface OpenedFile {
  readonly path: string;
  readonly handle: FileHandle;
  readonly stamp: OpenedStamp;
}

/**
 * Reads the content of files, in the given order, a few at a time. Which of them fit into the limits is decided by
 * their sizes, in that order, before any is read, so that it never depends on timing.
 * @throws the signal's reason; files that cannot be read are recorded as skipped.
 */
export async function readFiles(reading: FolderReading, files: readonly FileCandidate[]): Promise<void> {
  for (let start = 0; start < files.length && !reading.tally.isStopped; start += filesAtOnce) {
    reading.signal?.throwIfAborted();
    const group = files.slice(start, start + filesAtOnce);
    const outcomes = await Promise.all(group.map((file) => openRegular(reading, file)));
    const opened = outcomes.filter((file) => file !== undefined);
    try {
      const fitting = opened.filter((file) => reserve(reading, file));
      const contents = await Promise.all(fitting.map((file) => readOpened(reading, file)));
      for (const [index, file] of fitting.entries()) {
        const content = contents[index];
        if (content !== undefined) reading.take(workspacePath(reading, file.path), content);
      }
    } finally {
      await Promise.all(opened.map((file) => file.handle.close()));
    }
  }
}

/** Never rejects: a file that cannot be opened, or is no longer a regular file, is recorded as skipped. */
async function openRegular(reading: FolderReading, file: FileCandidate): Promise<OpenedFile | undefined> {
  let handle: FileHandle;
  try {
    handle = await file.open();
  } catch (error) {
    reading.tally.skip(file.path, skipReason(error));
    return undefined;
  }
  try {
    const found = await handle.stat();
    if (found.isFile()) return { path: file.path, handle, stamp: found };
    reading.tally.skip(file.path, 'special-file');
  } catch (error) {
    reading.tally.skip(file.path, skipReason(error));
  }
  await handle.close();
  return undefined;
}

/** Whether the file fits into the rest of the limits; if so, its size is reserved. */
function reserve(reading: FolderReading, { path, stamp }: OpenedFile): boolean {
  const { tally, limits } = reading;
  if (tally.isStopped) return false;
  if (stamp.size > limits.maxFileBytes) {
    tally.skip(path, 'file-too-large');
    return false;
  }
  if (tally.files >= limits.maxFiles) {
    tally.stop('max-files');
    return false;
  }
  if (tally.bytes + stamp.size > limits.maxBytes) {
    tally.skip(path, 'mount-full');
    return false;
  }
  tally.reserve(stamp.size);
  return true;
}

/** Never rejects: a file that could not be read is unreserved and recorded as skipped. */
async function readOpened(reading: FolderReading, file: OpenedFile): Promise<Uint8Array | undefined> {
  const { path, handle, stamp } = file;
  try {
    const content = await readContent(handle, stamp);
    if (content !== undefined) return content;
    reading.tally.skip(path, 'changed-while-reading');
  } catch (error) {
    reading.tally.skip(path, skipReason(error));
  }
  reading.tally.unreserve(stamp.size);
  return undefined;
}

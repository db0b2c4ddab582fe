import { mkdir, open } from 'node:fs/promises';
import { FilesystemError } from '../../../core/error/index.ts';
import type { DirectoryEntry, Filesystem } from '../../../core/filesystem/index.ts';
import { type HostDirectory, openDirectory } from '../../disk/host-directory.ts';
import type { FolderFilter } from '../../folder-copy/folder-filter.ts';
import { type Baseline, hashOf, type StagedFile, stagedFile } from './baseline.ts';
import type { StagingLimits } from './options.ts';
import { oversizeError, tooManyError, writingError } from './staging-error.ts';

/** The number of files that are written at the same time. */
const filesAtOnce = 16;

/** The context of writing a folder. */
export interface FolderWriting {
  readonly filesystem: Filesystem;
  readonly filter: Pick<FolderFilter, 'excludes'>;
  readonly limits: StagingLimits;
  readonly signal: AbortSignal | undefined;
  /** Receives every written entry. */
  readonly baseline: Baseline;
}

interface FileToWrite {
  readonly name: string;
  readonly path: string;
}

/**
 * Writes the content of a file system into an empty folder. Directories and files are accessible to their owner only (0700 and
 * 0600), and files keep their modification times. Links, and files that the file system refuses to read, are left out.
 * @throws {FilesystemError} when a limit is exceeded or the disk refuses; the signal's reason.
 */
export async function writeFolder(writing: FolderWriting, folder: HostDirectory): Promise<void> {
  await writeDirectory(writing, folder, '.', 0);
}

async function writeDirectory(
  writing: FolderWriting,
  directory: HostDirectory,
  path: string,
  bytesBefore: number,
): Promise<number> {
  const { filesystem, filter, limits, signal, baseline } = writing;
  signal?.throwIfAborted();
  const listed = (await filesystem.list(path)).filter((entry) => !filter.excludes(entry.path));
  if (baseline.size + listed.length > limits.maxEntries) {
    throw tooManyError(`${limits.maxEntries} files and directories`, 'maxEntries', path);
  }
  const entries = filesystem.capabilities.symlinks ? await withoutLinks(writing, listed) : listed;
  let bytes = bytesBefore;
  const files = entries.filter(({ kind }) => kind === 'file');
  for (const file of files) {
    if (file.bytes > limits.maxFileBytes) throw oversizeError(file.path, file.bytes, limits.maxFileBytes);
    bytes += file.bytes;
    if (bytes > limits.maxBytes) throw tooManyError(`${limits.maxBytes} bytes`, 'maxBytes', file.path);
  }
  for (let start = 0; start < files.length; start += filesAtOnce) {
    signal?.throwIfAborted();
    const group = files.slice(start, start + filesAtOnce);
    const written = await settled(group.map((file) => writeFile(filesystem, directory, file)));
    for (const [index, file] of group.entries()) {
      baseline.set(file.path, written[index] ?? { kind: 'left-out' });
    }
  }
  for (const entry of entries) {
    if (entry.kind !== 'directory') continue;
    baseline.set(entry.path, { kind: 'directory' });
    const inner = await makeDirectory(directory, entry);
    try {
      bytes = await writeDirectory(writing, inner, entry.path, bytes);
    } finally {
      await inner.close();
    }
  }
  return bytes;
}

/** The entries that are not links. The `stat` of a link returns the path of its target; a broken link cannot be read. */
async function withoutLinks(
  { filesystem, baseline }: FolderWriting,
  entries: readonly DirectoryEntry[],
): Promise<readonly DirectoryEntry[]> {
  const kept: DirectoryEntry[] = [];
  for (const entry of entries) {
    const isLink = entry.kind === 'link' || (await filesystem.stat(entry.path))?.path !== entry.path;
    if (!isLink) kept.push(entry);
    else baseline.set(entry.path, { kind: 'left-out' });
  }
  return kept;
}

async function makeDirectory(parent: HostDirectory, { name, path }: FileToWrite): Promise<HostDirectory> {
  try {
    await mkdir(parent.pathOf(name), 0o700);
    return await openDirectory(parent.pathOf(name), false);
  } catch (error) {
    throw writingError(path, error);
  }
}

async function writeFile(
  filesystem: Filesystem,
  directory: HostDirectory,
  { name, path }: FileToWrite,
): Promise<StagedFile | undefined> {
  const content = await readIfAllowed(filesystem, path);
  if (content === undefined) return undefined;
  const modifiedAtMs = (await filesystem.stat(path))?.modifiedAtMs ?? 0;
  try {
    const handle = await open(directory.pathOf(name), 'wx', 0o600);
    try {
      await handle.writeFile(content);
      await handle.utimes(modifiedAtMs / 1000, modifiedAtMs / 1000);
      const hash = hashOf(content);
      const source = { hash: () => hash, mode: undefined, isPresent: undefined };
      return stagedFile(await handle.stat({ bigint: true }), source);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw writingError(path, error);
  }
}

/** Like `Promise.all`, but rejects only after all promises have settled. */
async function settled<Value>(work: readonly Promise<Value>[]): Promise<readonly Value[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/** Undefined for a fifo, a device, a link that leads out or nowhere, and a file that the operating system denies. */
async function readIfAllowed(filesystem: Filesystem, path: string): Promise<Uint8Array | undefined> {
  try {
    return await filesystem.readBytes(path);
  } catch (error) {
    if (!filesystem.capabilities.symlinks || !FilesystemError.isInstance(error)) throw error;
    if (['path-outside-root', 'path-not-found', 'path-forbidden'].includes(error.code)) return undefined;
    throw error;
  }
}

import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rmdir, unlink } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  assertOptions,
  FilesystemError,
  type OptionsOf,
  type RefuseArgument,
} from '../../core/error/index.ts';
import { quoteText, startOf } from '../../core/internal/index.ts';
import { type BlobStore, isBlobKey } from '../../core/runtime/index.ts';
import { type HostDirectory, openDirectory, openFile } from '../disk/host-directory.ts';
import { replaceLargeFile } from '../disk/replace-file.ts';
import { causedBy, errorCode } from '../disk/system-error.ts';

/** Options of {@link directoryBlobs}. */
export interface DirectoryBlobsOptions {
  /**
   * The folder of the contents, on a disk that all processes of the journal share. It is made with mode 0700, and what is in it with 0600: contents are as secret as the journal. It belongs
   * to the store alone, and may be a link.
   */
  readonly folder: string;
}

const checks: OptionsOf<DirectoryBlobsOptions> = { folder: 'string!' };

/**
 * Contents of a journal in a folder, one file each. A file is written under another name, forced to the disk, and then named; a process that is killed leaves the one or the
 * other, and `remove` of its run removes both. No link within the folder is followed.
 *
 * The store rejects with a `FilesystemError`: `filesystem-storage-failed` for what the disk refuses, `path-invalid` for a key that is not one.
 *
 * @example
 * ```ts no-run
 * import { directoryBlobs } from 'weakincentives/node';
 *
 * export const contents = directoryBlobs({ folder: '/srv/runs/contents' });
 * ```
 *
 * @throws {FilesystemError} `argument-invalid` for an option that is unknown, missing, or of the wrong kind.
 * @see docs/spec/durable-runs.md §14
 */
export function directoryBlobs(options: DirectoryBlobsOptions): BlobStore {
  assertOptions('directoryBlobs()', options, checks, refuse);
  const folder = resolve(options.folder);
  return {
    put: (key, bytes) => onDisk(() => put(folder, partsOf(key), bytes)),
    get: (key) => onDisk(() => orNothing(() => get(folder, partsOf(key)))),
    remove: (keys) =>
      onDisk(async () => {
        for (const key of keys) await orNothing(() => remove(folder, partsOf(key)));
      }),
    list: (prefix) =>
      onDisk(async () => {
        const parts = partsOf(prefix.replace(/\/$/, ''));
        return (
          (await orNothing(() => within(folder, parts, (directory) => filesBelow(directory, prefix)))) ?? []
        );
      }),
  };
}

const refuse: RefuseArgument = (message, options) =>
  new FilesystemError('argument-invalid', message, options);

async function put(folder: string, parts: readonly string[], bytes: Uint8Array): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const name = parts.at(-1) ?? '';
  await within(
    folder,
    parts.slice(0, -1),
    async (directory) => {
      const draft = directory.pathOf(`${name}-${randomUUID()}`);
      try {
        await replaceLargeFile(directory.pathOf(name), draft, bytes, 0o600);
      } catch (error) {
        // It may not have been made.
        await unlink(draft).catch(() => undefined);
        throw error;
      }
      await forceEntries(directory);
    },
    makeDirectory,
  );
}

function get(folder: string, parts: readonly string[]): Promise<Uint8Array> {
  return within(folder, parts.slice(0, -1), async (directory) => {
    const file = await openFile(directory.pathOf(parts.at(-1) ?? ''));
    try {
      return await file.readFile();
    } finally {
      await file.close();
    }
  });
}

/** Removes a file, and the directories that are empty then. */
async function remove(folder: string, parts: readonly string[]): Promise<void> {
  await within(folder, parts.slice(0, -1), (directory) => unlink(directory.pathOf(parts.at(-1) ?? '')));
  for (let above = parts.length - 1; above > 0; above -= 1) {
    const isKept = await within(folder, parts.slice(0, above - 1), (directory) =>
      rmdir(directory.pathOf(parts[above - 1] ?? '')).then(
        () => false,
        () => true,
      ),
    );
    if (isKept) return;
  }
}

async function filesBelow(directory: HostDirectory, prefix: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for (const entry of await readdir(directory.path, { withFileTypes: true })) {
    if (entry.isFile()) keys.push(`${prefix}${entry.name}`);
    if (!entry.isDirectory()) continue;
    const inner = await openDirectory(directory.pathOf(entry.name), false);
    try {
      keys.push(...(await filesBelow(inner, `${prefix}${entry.name}/`)));
    } finally {
      await inner.close();
    }
  }
  return keys.filter(isBlobKey);
}

/**
 * Opens a directory below the folder, part by part, so that no link leads out of it.
 *
 * @param prepare is done with each part before it is opened. Default: nothing.
 */
async function within<T>(
  folder: string,
  parts: readonly string[],
  work: (directory: HostDirectory) => Promise<T>,
  prepare: (parent: HostDirectory, name: string) => Promise<void> = async () => undefined,
): Promise<T> {
  let directory = await openDirectory(folder, true);
  try {
    for (const name of parts) {
      await prepare(directory, name);
      const next = await openDirectory(directory.pathOf(name), false);
      await directory.close();
      directory = next;
    }
    return await work(directory);
  } finally {
    await directory.close();
  }
}

async function makeDirectory(parent: HostDirectory, name: string): Promise<void> {
  try {
    await mkdir(parent.pathOf(name), { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return;
    throw error;
  }
  await forceEntries(parent);
}

/** Forces the names in a directory to the disk. Not every platform supports that. */
async function forceEntries(directory: HostDirectory): Promise<void> {
  try {
    await using opened = await open(directory.path, 'r');
    await opened.sync();
  } catch {
    // They reach the disk later.
  }
}

/** @throws {FilesystemError} `path-invalid`. */
function partsOf(key: string): readonly string[] {
  if (isBlobKey(key)) return key.split('/');
  throw new FilesystemError(
    'path-invalid',
    `${quoteText(startOf(key, 100))} is not the key of a content: parts of a-z, 0-9, - and _ with / between them.`,
  );
}

/** @returns undefined when there is no such file or directory. */
async function orNothing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** @throws {FilesystemError} what the disk refuses, without the path. */
async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (FilesystemError.isInstance(error)) throw error;
    throw new FilesystemError(
      'filesystem-storage-failed',
      `The folder of the contents of a journal cannot be used (${errorCode(error) ?? 'unknown error'}).`,
      causedBy(error),
    );
  }
}

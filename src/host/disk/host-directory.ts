import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises';
import { sep } from 'node:path';
import { noFollow, noWaiting, onlyDirectory, openFiles } from './open-flags.ts';
import { identityOf } from './stamp.ts';

/**
 * A directory of the host, kept open while it is read. Where the platform supports it (Linux), names are resolved
 * relative to the open handle, so another process cannot redirect the read by swapping a directory for a link. On
 * other platforms they are resolved by path.
 */
export interface HostDirectory {
  /** Device and inode: the same for two paths to one directory. */
  readonly identity: string;
  /** Real path at the time of opening. For checks only, never for messages. */
  readonly realPath: string;
  /** A path to `name` within this directory, for calls to the operating system only. */
  pathOf(name: string): string;
  /** A path to the directory itself, for calls to the operating system only. */
  readonly path: string;
  close(): Promise<void>;
}

/**
 * Opens a directory.
 * @param followLast whether the last part of `path` may be a link.
 * @throws the error of the operating system, such as `ENOENT`, `ENOTDIR`, `EACCES` or `ELOOP`.
 */
export async function openDirectory(path: string, followLast: boolean): Promise<HostDirectory> {
  const handle = await openHandle(path, followLast);
  if (handle === undefined) {
    const realPath = await realpath(path);
    const found = await stat(realPath, { bigint: true });
    return byPath(realPath, identityOf(found));
  }
  try {
    const found = await handle.stat({ bigint: true });
    const location = await locate(handle);
    if (location === undefined) {
      await handle.close();
      return byPath(await realpath(path), identityOf(found));
    }
    const anchor = `${openFiles}/${handle.fd}`;
    return {
      identity: identityOf(found),
      realPath: location,
      path: anchor,
      pathOf: (name) => `${anchor}/${name}`,
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Opens a file for reading, without blocking and without following a link.
 * @throws the error of the operating system; `ELOOP` for a link that is not to be followed.
 */
export function openFile(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | noFollow | noWaiting);
}

/** The real path of an open file, read from its handle; `undefined` where the platform does not support that. */
export async function locate(handle: FileHandle): Promise<string | undefined> {
  try {
    return await readlink(`${openFiles}/${handle.fd}`);
  } catch {
    return undefined;
  }
}

/** `undefined` where a directory cannot be opened as a file, as on Windows. */
async function openHandle(path: string, followLast: boolean): Promise<FileHandle | undefined> {
  if (onlyDirectory === 0) return undefined;
  return open(path, constants.O_RDONLY | onlyDirectory | (followLast ? 0 : noFollow));
}

function byPath(realPath: string, identity: string): HostDirectory {
  return {
    identity,
    realPath,
    path: realPath,
    pathOf: (name) => `${realPath}/${name}`,
    close: () => Promise.resolve(),
  };
}

/** Whether a real path is the folder or inside it. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

import type { BigIntStats } from 'node:fs';
import { access, constants, lstat } from 'node:fs/promises';
import type { FileChange } from '../../filesystem/index.ts';
import { type HostDirectory, openFile } from '../host-mount/host-directory.ts';
import { errorCode } from '../host-mount/host-error.ts';
import { inFolder, ParentBlockedError, splitPath } from './host-place.ts';

/** A change that can be written, with what stands at its path now. */
export interface CheckedChange {
  readonly change: FileChange;
  /** Identity, size and times of the file that is replaced or removed; undefined when nothing stands there. */
  readonly stamp: string | undefined;
  /** Permissions of the file that is replaced; undefined for a new one. */
  readonly mode: number | undefined;
}

/**
 * Compares one change with the disk: a file that is replaced or removed must hold the very bytes that were mounted, and
 * where one is made nothing may stand.
 * @returns the reason of a conflict as text, or what stands there.
 */
export async function checkChange(root: HostDirectory, change: FileChange): Promise<string | CheckedChange> {
  const { parent, name } = splitPath(change.path);
  try {
    return await inFolder(root, parent, (folder) => {
      const place = folder.pathOf(name);
      return change.kind === 'created' ? checkFree(place, change) : checkSame(place, change);
    });
  } catch (error) {
    return problemOf(root, change, error);
  }
}

/** Whether what stands at the path is what was checked. */
export async function isUntouched(root: HostDirectory, { change, stamp }: CheckedChange): Promise<boolean> {
  const { parent, name } = splitPath(change.path);
  try {
    const found = await inFolder(root, parent, (folder) => statOf(folder.pathOf(name)));
    if (change.entry === 'directory') return true;
    return found === undefined ? stamp === undefined : stampOf(found) === stamp;
  } catch (error) {
    return errorCode(error) === 'ENOENT' && stamp === undefined;
  }
}

async function checkFree(place: string, change: FileChange): Promise<string | CheckedChange> {
  const found = await statOf(place);
  if (found === undefined) return { change, stamp: undefined, mode: undefined };
  if (!found.isDirectory()) return 'exists on disk now, or was left out when the folder was mounted';
  if (change.entry === 'directory') return { change, stamp: undefined, mode: undefined };
  return 'is a folder on disk; a folder is not replaced by a file';
}

async function checkSame(place: string, change: FileChange): Promise<string | CheckedChange> {
  const found = await statOf(place);
  if (change.entry === 'directory') return { change, stamp: undefined, mode: undefined };
  if (found === undefined) return 'is gone from the disk';
  if (found.isSymbolicLink()) return 'is a symbolic link on disk; links are not written through';
  if (!found.isFile()) return 'is no file any more on disk';
  if (!(await holds(place, change.before?.data()))) return 'was changed on disk since it was mounted';
  try {
    await access(place, constants.W_OK);
  } catch {
    return 'is write-protected on disk';
  }
  return { change, stamp: stampOf(found), mode: Number(found.mode & 0o7777n) };
}

async function holds(place: string, expected: Uint8Array | undefined): Promise<boolean> {
  if (expected === undefined) return false;
  const handle = await openFile(place);
  try {
    const { size } = await handle.stat();
    if (size !== expected.length) return false;
    return (await handle.readFile()).equals(expected);
  } finally {
    await handle.close();
  }
}

async function problemOf(
  root: HostDirectory,
  change: FileChange,
  error: unknown,
): Promise<string | CheckedChange> {
  if (error instanceof ParentBlockedError) {
    return `"${error.parent}", which it stands in, is no ordinary folder on disk`;
  }
  if (errorCode(error) !== 'ENOENT') {
    return `cannot be looked at on disk (${errorCode(error) ?? 'unknown error'})`;
  }
  if (change.kind !== 'created' && change.entry === 'file') return 'is gone from the disk';
  // Its folder is still to be made: then what is there of the way to it has to be folders.
  const blocked = await blockedParent(root, splitPath(change.path).parent);
  return blocked === undefined
    ? { change, stamp: undefined, mode: undefined }
    : `"${blocked}", which it stands in, is no ordinary folder on disk`;
}

async function blockedParent(root: HostDirectory, path: string): Promise<string | undefined> {
  if (path === '') return undefined;
  try {
    await inFolder(root, path, async () => undefined);
    return undefined;
  } catch (error) {
    // Something that stands where the folder should be is found on the way up, by its own name.
    const above = await blockedParent(root, splitPath(path).parent);
    if (above !== undefined) return above;
    return errorCode(error) === 'ENOENT' ? undefined : path;
  }
}

async function statOf(place: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(place, { bigint: true });
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Identity, size and times of a file, as text to compare. */
export function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}

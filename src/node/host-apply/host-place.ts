import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type HostDirectory, openDirectory } from '../host-mount/host-directory.ts';
import { errorCode } from '../host-mount/host-error.ts';

/** Something other than an ordinary folder stands where a parent of the path should be. */
export class ParentBlockedError extends Error {
  /** The path of the parent, relative to the folder. */
  readonly parent: string;

  constructor(parent: string) {
    super('a parent of the path is no ordinary folder');
    this.name = 'ParentBlockedError';
    this.parent = parent;
  }
}

/** The folder that a path stands in, and the name of the path in it. */
export function splitPath(path: string): { readonly parent: string; readonly name: string } {
  const slash = path.lastIndexOf('/');
  return slash < 0
    ? { parent: '', name: path }
    : { parent: path.slice(0, slash), name: path.slice(slash + 1) };
}

/**
 * Opens a folder below `root` without following a link anywhere on the way, and keeps it open while `use` works in it.
 * @throws {ParentBlockedError} when it, or a folder on the way to it, is a link or a file.
 * @throws the error of the operating system, such as `ENOENT`; what `use` throws.
 */
export async function inFolder<Result>(
  root: HostDirectory,
  path: string,
  use: (folder: HostDirectory) => Promise<Result>,
): Promise<Result> {
  const expected = path === '' ? root.realPath : join(root.realPath, path);
  let folder: HostDirectory;
  try {
    folder = await openDirectory(path === '' ? root.path : expected, path === '');
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOTDIR' || code === 'ELOOP') throw new ParentBlockedError(path);
    throw error;
  }
  try {
    if (folder.realPath !== expected) throw new ParentBlockedError(path);
    return await use(folder);
  } finally {
    await folder.close();
  }
}

/**
 * Makes a folder and its missing parents, one level at a time.
 * @param made gets the folders that were not there, outermost first.
 * @throws {ParentBlockedError} and the error of the operating system, like `inFolder`.
 */
export async function ensureFolder(root: HostDirectory, path: string, made: string[]): Promise<void> {
  if (path === '') return;
  try {
    await inFolder(root, path, async () => undefined);
    return;
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  const { parent, name } = splitPath(path);
  await ensureFolder(root, parent, made);
  await inFolder(root, parent, (folder) => mkdir(folder.pathOf(name)));
  made.push(path);
}

import { FilesystemError } from '../../error/index.ts';
import {
  enterIgnoreScope,
  gitDirectory,
  type IgnoreScope,
  ignoreFile,
  isIgnored,
} from '../glob/gitignore.ts';
import type { Filesystem } from '../interface/filesystem.ts';
import { childPath, segmentsOf } from '../path/path.ts';

/** What is left out of a directory. */
export interface DirectoryIgnores {
  /** True when the directory, or one above it, is ignored itself: it was asked for by name, so nothing in it is left out. */
  readonly isIgnored: boolean;
  readonly scope: IgnoreScope | undefined;
}

/**
 * The scope of a directory, from its own `.gitignore` file and the scope of the directory above. The file is read through
 * the file system, so that it counts as read. One that is a link, not text or not accessible has no rules.
 */
export async function readIgnoreScope(
  filesystem: Filesystem,
  outer: IgnoreScope | undefined,
  directory: string,
): Promise<IgnoreScope | undefined> {
  const path = childPath(directory, ignoreFile);
  try {
    const found = await filesystem.stat(path);
    if (found?.kind !== 'file' || found.link !== undefined) return outer;
    return enterIgnoreScope(outer, directory, (await filesystem.read(path)).text);
  } catch (error) {
    if (FilesystemError.isInstance(error)) return outer;
    throw error;
  }
}

/**
 * What the `.gitignore` files from the root down to a directory leave out of it.
 * @param path normalized, of a directory that is not a link.
 */
export async function readIgnores(filesystem: Filesystem, path: string): Promise<DirectoryIgnores> {
  let directory = '.';
  let scope = await readIgnoreScope(filesystem, undefined, directory);
  for (const name of segmentsOf(path)) {
    directory = childPath(directory, name);
    if (name === gitDirectory || isIgnored(scope, directory, true))
      return { isIgnored: true, scope: undefined };
    scope = await readIgnoreScope(filesystem, scope, directory);
  }
  return { isIgnored: false, scope };
}

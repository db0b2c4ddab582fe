import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * The folder of the command in the user's folder of caches, which is made where it is not there; undefined where there can be none. What is kept in it
 * is run: only the user may write there, because in a folder of several users others could plant code.
 *
 * @param caches the environment variable `XDG_CACHE_HOME`. A relative one is not valid, and would be in a folder whose content others may have written.
 */
export function openCacheFolder(caches: string | undefined): string | undefined {
  const parent = caches !== undefined && isAbsolute(caches) ? caches : join(homedir(), '.cache');
  const folder = join(parent, 'weakincentives');
  // One directory at a time: Node never returns from a recursive mkdir where the system refuses the first one, as in /proc.
  for (const path of [parent, folder]) {
    try {
      mkdirSync(path, { mode: 0o700 });
    } catch {
      // It exists, or cannot be created.
    }
  }
  return isOwn(folder) ? folder : undefined;
}

/** Whether a folder exists that only the user of this process can write to. Windows has no such modes; a profile of a user is the user's there. */
function isOwn(folder: string): boolean {
  try {
    const { uid, mode } = statSync(folder);
    if (process.getuid === undefined) return true;
    if (uid !== process.getuid() || (mode & 0o022) !== 0) return false;
    // Folders that are made in it have the modes that the umask leaves, and others may have set none.
    if ((mode & 0o077) !== 0) chmodSync(folder, 0o700);
    return true;
  } catch {
    return false;
  }
}

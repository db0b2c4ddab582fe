import type { Dirent } from 'node:fs';
import { chmod, lstat, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { FilesystemError, type FilesystemErrorCode } from '../../../core/error/index.ts';
import { quoteText } from '../../../core/internal/index.ts';
import { errorCode, withoutPaths } from '../../disk/system-error.ts';
import { isAlive, presentProcess, readIdentity } from '../../lock/process-identity.ts';

const folderPrefix = 'wink-staged-';

/** The file that names the owning process. */
const ownerFileName = 'owner.json';

/** The real path of the folder for temporary files. @throws {FilesystemError} when it cannot be used. */
export async function openTempRoot(tempRoot: string | undefined): Promise<string> {
  try {
    return await realpath(resolve(tempRoot ?? tmpdir()));
  } catch (error) {
    throw tempRootError(tempRoot, error);
  }
}

/**
 * Creates a folder that only this user can access, and removes the folders that dead processes have left next to it.
 * @param tempRoot as the caller named it, for messages.
 */
export async function makePrivateFolder(realTempRoot: string, tempRoot: string | undefined): Promise<string> {
  try {
    await removeLeftovers(realTempRoot);
    // Created with mode 0700 under an unpredictable name.
    const folder = await mkdtemp(join(realTempRoot, folderPrefix));
    await writeFile(join(folder, ownerFileName), JSON.stringify(presentProcess()), {
      flag: 'wx',
      mode: 0o600,
    });
    return folder;
  } catch (error) {
    throw tempRootError(tempRoot, error);
  }
}

/** Folders of processes that have ended without removing them. */
async function removeLeftovers(tempRoot: string): Promise<void> {
  for (const name of await readdir(tempRoot).catch(() => [])) {
    if (!name.startsWith(folderPrefix)) continue;
    const folder = join(tempRoot, name);
    // A folder that cannot be removed does no harm.
    if (await isLeftover(folder)) await removeFolder(folder).catch(() => undefined);
  }
}

async function isLeftover(folder: string): Promise<boolean> {
  try {
    const found = await lstat(folder);
    if (!found.isDirectory() || (process.geteuid !== undefined && found.uid !== process.geteuid()))
      return false;
    const owner = readIdentity(JSON.parse(await readFile(join(folder, ownerFileName), 'utf8')));
    return owner !== undefined && !isAlive(owner);
  } catch {
    // Already gone, or just being created.
    return false;
  }
}

function tempRootError(tempRoot: string | undefined, error: unknown): FilesystemError {
  const folder = tempRoot === undefined ? 'The temporary folder' : `The folder ${quoteText(tempRoot)}`;
  const refuse = (code: FilesystemErrorCode, problem: string): FilesystemError =>
    new FilesystemError(code, `${folder} ${problem}`, { cause: withoutPaths(error) });
  switch (errorCode(error)) {
    case 'ENOENT':
      return refuse('path-not-found', 'does not exist. Set tempRoot to an existing folder.');
    case 'ENOTDIR':
      return refuse('path-not-directory', 'is not a folder. Set tempRoot to a folder.');
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return refuse(
        'path-forbidden',
        'cannot be written to: access is denied. Set tempRoot to a folder of your own.',
      );
    default:
      return refuse(
        'filesystem-storage-failed',
        `cannot be used (${errorCode(error) ?? 'unknown error'}). Set tempRoot to another one.`,
      );
  }
}

/** A process that is just exiting may still add files. */
const removalAttempts = { maxRetries: 5, retryDelay: 20 };

/**
 * Removes a folder and all below it, including directories whose permissions a process has removed. A missing folder is ignored.
 * @throws the error of the operating system when it cannot be removed.
 */
export async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, ...removalAttempts });
  } catch {
    await makeRemovable(Buffer.from(path));
    await rm(path, { recursive: true, force: true, ...removalAttempts });
  }
}

/** Restores the owner's permissions of every directory. Paths are bytes, because names need not be UTF-8. */
async function makeRemovable(directory: Buffer): Promise<void> {
  let entries: readonly Dirent<Buffer>[];
  try {
    await chmod(directory, 0o700);
    entries = await readdir(directory, { encoding: 'buffer', withFileTypes: true });
  } catch {
    // The removal that follows reports the error, if it persists.
    return;
  }
  for (const entry of entries) {
    if (entry.isDirectory()) await makeRemovable(Buffer.concat([directory, Buffer.from('/'), entry.name]));
  }
}

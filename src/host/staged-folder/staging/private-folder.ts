import { lstat, mkdir, mkdtemp, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { FilesystemError, type FilesystemErrorCode } from '../../../core/error/index.ts';
import { quoteText } from '../../../core/internal/index.ts';
import { systemClock } from '../../../core/session/index.ts';
import { removeTree } from '../../disk/remove-tree.ts';
import { errorCode, withoutPaths } from '../../disk/system-error.ts';
import { isAlive, type ProcessIdentity, presentProcess, readIdentity } from '../../lock/index.ts';

const folderPrefix = 'wink-staged-';

/** How long a folder may be without the mark of its owner. Only some steps of a process are between these. */
const unmarkedMs = 3_600_000;

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

/** A folder that only this user can access, until it is disposed. */
export interface PrivateFolder extends AsyncDisposable {
  readonly path: string;
  /** Removes it with all that is in it. What cannot be removed now is removed when another one is made once this process has ended. Never rejects. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** An empty folder in that for temporary files. @throws {FilesystemError} when it cannot be made. */
export async function openPrivateFolder(): Promise<PrivateFolder> {
  const folder = await makePrivateFolder(await openTempRoot(undefined), undefined);
  const path = join(folder, 'files');
  await mkdir(path, { mode: 0o700 });
  return { path, [Symbol.asyncDispose]: () => removeFolder(folder).catch(() => undefined) };
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
    const owner = await ownerOf(folder);
    // Without a mark it is just being created, or was being removed when its process ended.
    return owner === undefined ? systemClock.now() - found.mtimeMs > unmarkedMs : !isAlive(owner);
  } catch {
    // Already gone.
    return false;
  }
}

async function ownerOf(folder: string): Promise<ProcessIdentity | undefined> {
  try {
    return readIdentity(JSON.parse(await readFile(join(folder, ownerFileName), 'utf8')));
  } catch {
    return undefined;
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

/**
 * Removes a folder of `makePrivateFolder()` and all below it, the mark of its owner last: what a removal leaves that was interrupted, the next start removes. A missing folder
 * is ignored.
 * @throws the error of the operating system when it cannot be removed.
 */
export async function removeFolder(path: string): Promise<void> {
  await removeTree(path, { last: ownerFileName });
}

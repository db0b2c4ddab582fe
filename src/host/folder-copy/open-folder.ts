import { lstat, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { FilesystemError, type FilesystemErrorCode } from '../../core/error/index.ts';
import { quoteText } from '../../core/internal/index.ts';
import { type HostDirectory, isBelow, openDirectory } from '../disk/host-directory.ts';
import { identityOf } from '../disk/stamp.ts';
import { errorCode } from '../disk/system-error.ts';

/**
 * Opens the folder of a mount and checks its real path.
 * @throws {FilesystemError} `argument-invalid`, `path-outside-root`, `path-not-found`, `path-not-directory` or `path-forbidden`.
 * Messages name the folder as the caller wrote it.
 */
export async function openFolder(hostPath: string, allowedRoots: readonly string[]): Promise<HostDirectory> {
  if (hostPath.trim() === '' || hostPath.includes('\0')) {
    throw refuse('argument-invalid', hostPath, 'is not a valid path. Name an existing folder.');
  }
  if (allowedRoots.length === 0) {
    throw refuse(
      'argument-invalid',
      hostPath,
      'cannot be mounted: allowedRoots is empty. Name at least one folder that may be mounted.',
    );
  }
  const roots = await realRoots(allowedRoots);
  const directory = await open(hostPath, allowedRoots);
  if (roots.some((root) => isBelow(directory.realPath, root))) return directory;
  await directory.close();
  throw outside(hostPath);
}

/**
 * Asserts that the folder is still at the path where it was opened, so that what was read is what is there.
 * @throws {FilesystemError} `root-replaced`.
 */
export async function assertStillThere(
  { realPath, identity }: HostDirectory,
  hostPath: string,
): Promise<void> {
  const found = await lstat(realPath, { bigint: true }).catch(() => undefined);
  if (found !== undefined && identityOf(found) === identity) return;
  throw refuse(
    'root-replaced',
    hostPath,
    'was renamed, removed or replaced by another one while it was read. Mount it again.',
  );
}

async function open(hostPath: string, allowedRoots: readonly string[]): Promise<HostDirectory> {
  const wanted = resolve(hostPath);
  try {
    return await openDirectory(wanted, true);
  } catch (error) {
    // Whether something exists outside the allowed roots must not be disclosed.
    if (!allowedRoots.some((root) => isBelow(wanted, resolve(root)))) throw outside(hostPath);
    throw explain(hostPath, error);
  }
}

/** The allowed roots that exist, links resolved. One that does not exist allows nothing. */
async function realRoots(allowedRoots: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(allowedRoots.map((root) => realpath(resolve(root)).catch(() => undefined)));
  return found.filter((root) => root !== undefined);
}

function explain(hostPath: string, error: unknown): FilesystemError {
  switch (errorCode(error)) {
    case 'ENOENT':
      return refuse('path-not-found', hostPath, 'does not exist. Name an existing folder.');
    case 'ENOTDIR':
      return refuse('path-not-directory', hostPath, 'is not a folder. Name the folder that the file is in.');
    case 'EACCES':
    case 'EPERM':
      return refuse(
        'path-forbidden',
        hostPath,
        'cannot be opened: the operating system denies it. Check its permissions.',
      );
    case 'ELOOP':
      return refuse('path-invalid', hostPath, 'cannot be opened: its symbolic links form a cycle.');
    case 'ENAMETOOLONG':
      return refuse('path-invalid', hostPath, 'cannot be opened: the path is too long.');
    default:
      return refuse('path-not-found', hostPath, `cannot be opened (${errorCode(error) ?? 'unknown error'}).`);
  }
}

function outside(hostPath: string): FilesystemError {
  return refuse(
    'path-outside-root',
    hostPath,
    'is not within the folders that may be mounted (allowedRoots).',
  );
}

/** The cause is omitted on purpose: messages of the operating system contain resolved host paths. */
function refuse(code: FilesystemErrorCode, hostPath: string, problem: string): FilesystemError {
  return new FilesystemError(code, `The folder ${quoteText(hostPath)} ${problem}`, {
    details: { path: hostPath },
  });
}

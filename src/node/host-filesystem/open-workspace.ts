import { FilesystemError, type FilesystemErrorCode } from '../../error/index.ts';
import { systemClock } from '../../session/index.ts';
import { errorCode } from '../host-mount/host-error.ts';
import { DiskWorkspace } from './disk-workspace.ts';
import { FolderLock } from './folder-lock.ts';
import { HostJail } from './jail.ts';
import { type HostFilesystemOptions, limitsOf } from './options.ts';
import { recoverCommits } from './recover.ts';
import { openStateFolder } from './state-folder.ts';

/** An open folder and the right to work on it. */
export interface OpenWorkspace {
  readonly workspace: DiskWorkspace;
  readonly lock: FolderLock;
}

/**
 * Does `HostFilesystem.open`.
 * @param onMoment told before each thing that a commit, or undoing one, does to the disk; for tests, which stop the process there.
 */
export function openWorkspace(
  options: HostFilesystemOptions,
  onMoment: (moment: string) => void = () => undefined,
): OpenWorkspace {
  const limits = limitsOf(options);
  const { root, clock = systemClock } = options;
  const jail = openJail(root);
  let lock: FolderLock | undefined;
  try {
    const journalDirectory = openStateFolder(jail.realPath, options.stateDirectory);
    lock = FolderLock.take(journalDirectory, root);
    recoverCommits(jail, journalDirectory, onMoment);
    return {
      workspace: new DiskWorkspace({ jail, journalDirectory, onMoment }, limits, () => clock.now()),
      lock,
    };
  } catch (error) {
    lock?.release();
    jail.close();
    throw error;
  }
}

/** The cause is left out on purpose: messages of the operating system hold resolved host paths. */
function openJail(root: string): HostJail {
  const refuse = (code: FilesystemErrorCode, problem: string): FilesystemError =>
    new FilesystemError(code, `The folder "${root}" ${problem}`, { details: { path: root } });
  if (root.trim() === '' || root.includes('\0')) {
    throw refuse('invalid-argument', 'is no path of a folder. Name an existing folder.');
  }
  try {
    return HostJail.open(root);
  } catch (error) {
    switch (errorCode(error)) {
      case 'ENOTDIR':
        throw refuse('not-a-directory', 'is not a folder. Name the folder that the file is in.');
      case 'EACCES':
      case 'EPERM':
        throw refuse(
          'permission-denied',
          'cannot be opened: the operating system denies it. Check its permissions.',
        );
      default:
        throw refuse(
          'not-found',
          `cannot be opened (${errorCode(error) ?? 'unknown error'}). Name an existing folder.`,
        );
    }
  }
}

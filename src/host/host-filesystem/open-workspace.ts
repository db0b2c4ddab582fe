import { existsSync } from 'node:fs';
import { FilesystemError, type FilesystemErrorCode } from '../../core/error/index.ts';
import { quoteText } from '../../core/internal/index.ts';
import { systemClock } from '../../core/session/index.ts';
import { errorCode } from '../disk/system-error.ts';
import { FolderLease, FolderLock, openStateFolder, stateFolderOf } from '../lock/index.ts';
import type { OnFailpoint } from './commit/commit-step.ts';
import { findInterruptedCommits, type InterruptedCommit, recoverCommits } from './commit/recover.ts';
import { HostJail } from './jail/jail.ts';
import { type HostFilesystemOptions, limitsOf } from './options.ts';
import { VisiblePaths } from './tree/visible-paths.ts';
import { DiskWorkspace } from './workspace/disk-workspace.ts';
import { DiskWriter } from './workspace/disk-writer.ts';

/** An open folder and its lock. */
export interface OpenWorkspace {
  readonly workspace: DiskWorkspace;
  /** The lock of the folder; a no-op for a read-only folder. */
  readonly lock: Pick<FolderLock, 'dispose'>;
  /** The lease of the folder; undefined without a journal. */
  readonly lease?: FolderLease | undefined;
  readonly interruptedCommits: readonly InterruptedCommit[];
  /** The folder of lock and journals. For a read-only folder it may be missing. */
  readonly stateFolder: string;
}

const noLock: OpenWorkspace['lock'] = { dispose: () => undefined };

/** Opens a folder under a lease of the journal, where there is one. The caller releases the lease after the lock. */
export async function openLeasedWorkspace(
  options: HostFilesystemOptions,
  onFailpoint?: OnFailpoint,
): Promise<OpenWorkspace> {
  const { journal, root, stateDirectory, writeOn } = options;
  if (journal === undefined || writeOn === 'never') return openWorkspace(options, onFailpoint);
  const jail = openJail(root);
  jail.dispose();
  const { realPath } = jail;
  // Refused before a lease is asked for.
  openStateFolder(realPath, stateDirectory);
  const lease = await FolderLease.acquire(journal, { realPath, folder: root });
  try {
    return openWorkspace(options, onFailpoint, lease);
  } catch (error) {
    await lease.release();
    throw error;
  }
}

/**
 * Does `openHostFilesystem` for a folder whose lease is held.
 */
export function openWorkspace(
  options: HostFilesystemOptions,
  onFailpoint?: OnFailpoint,
  lease?: FolderLease,
): OpenWorkspace {
  const limits = limitsOf(options);
  const visible = VisiblePaths.of(options);
  const { root, stateDirectory, writeOn = 'apply', allowGitWrites = false, clock = systemClock } = options;
  const jail = openJail(root);
  const parts = {
    jail,
    visible,
    limits,
    defersWrites: writeOn !== 'apply',
    allowsGitWrites: allowGitWrites,
    clock,
    lease,
  };
  let lock: FolderLock | undefined;
  try {
    if (lease !== undefined && lease.place.realPath !== jail.realPath) throw movedRootError(root);
    if (writeOn === 'never') {
      const stateFolder = stateFolderOf(jail.realPath, stateDirectory);
      const interruptedCommits = interruptedIn(stateFolder);
      const workspace = new DiskWorkspace({ ...parts, writer: undefined });
      return { workspace, lock: noLock, interruptedCommits, stateFolder };
    }
    const stateFolder = openStateFolder(jail.realPath, stateDirectory);
    lock = FolderLock.acquire(stateFolder, root, lease?.forLock);
    const interruptedCommits = recoverCommits(jail, stateFolder, onFailpoint);
    const writer = new DiskWriter({ jail, journalDirectory: stateFolder, onFailpoint, lease });
    const workspace = new DiskWorkspace({ ...parts, writer });
    return { workspace, lock, lease, interruptedCommits, stateFolder };
  } catch (error) {
    lock?.dispose();
    jail.dispose();
    throw error;
  }
}

function movedRootError(root: string): FilesystemError {
  return new FilesystemError(
    'root-replaced',
    `The folder ${quoteText(root)} was replaced while it was opened. Open it again.`,
    { details: { path: root } },
  );
}

/** The interrupted commits; none while a live process holds the lock, because its commit may still be running. */
function interruptedIn(journalDirectory: string): readonly InterruptedCommit[] {
  if (!existsSync(journalDirectory) || FolderLock.isHeld(journalDirectory)) return [];
  return findInterruptedCommits(journalDirectory);
}

/** The cause is omitted on purpose: messages of the operating system contain resolved host paths. */
function openJail(root: string): HostJail {
  const refuse = (code: FilesystemErrorCode, problem: string): FilesystemError =>
    new FilesystemError(code, `The folder ${quoteText(root)} ${problem}`, { details: { path: root } });
  if (root.trim() === '' || root.includes('\0')) {
    throw refuse('argument-invalid', 'is not a valid path. Name an existing folder.');
  }
  try {
    return HostJail.open(root);
  } catch (error) {
    const code = errorCode(error) ?? 'unknown error';
    if (code === 'ENOTDIR')
      throw refuse('path-not-directory', 'is not a folder. Name the folder that the file is in.');
    const denied = 'cannot be opened: the operating system denies it. Check its permissions.';
    if (code === 'EACCES' || code === 'EPERM') throw refuse('path-forbidden', denied);
    throw refuse('path-not-found', `cannot be opened (${code}). Name an existing folder.`);
  }
}

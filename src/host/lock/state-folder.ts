import { createHash } from 'node:crypto';
import { mkdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { FilesystemError } from '../../core/error/index.ts';
import { isBelow } from '../disk/host-directory.ts';

/** The directory for state that belongs to the user and not to a project. */
export function userStateFolder(): string {
  const configured = process.env['XDG_STATE_HOME'];
  const base =
    configured !== undefined && isAbsolute(configured) ? configured : join(homedir(), '.local', 'state');
  return join(base, 'weakincentives');
}

/** The directory of the lock and journal of one workspace, whether or not it exists. */
export function stateFolderOf(rootRealPath: string, stateDirectory: string | undefined): string {
  const name = createHash('sha256').update(rootRealPath).digest('hex').slice(0, 32);
  return join(resolve(stateDirectory ?? userStateFolder()), 'workspaces', name);
}

/**
 * Creates the folder for the lock and journal of one workspace: below `stateDirectory`, named after the real path of the
 * workspace, and not within it.
 * @throws {FilesystemError} `argument-invalid` when it would be inside the workspace; `filesystem-storage-failed` when it cannot be created.
 */
export function openStateFolder(rootRealPath: string, stateDirectory: string | undefined): string {
  let folder: string;
  try {
    const wanted = stateFolderOf(rootRealPath, stateDirectory);
    assertOutside(wanted, rootRealPath);
    mkdirSync(wanted, { recursive: true, mode: 0o700 });
    folder = realpathSync(wanted);
  } catch (error) {
    if (FilesystemError.isInstance(error)) throw error;
    throw new FilesystemError(
      'filesystem-storage-failed',
      'The folder for the lock and journal cannot be created. Name a writable folder as stateDirectory.',
      { details: { option: 'stateDirectory' } },
    );
  }
  assertOutside(folder, rootRealPath);
  return folder;
}

function assertOutside(folder: string, rootRealPath: string): void {
  if (!isBelow(folder, rootRealPath)) return;
  throw new FilesystemError(
    'argument-invalid',
    'The lock and journal of a workspace cannot be kept inside it. Name another folder as stateDirectory.',
    { details: { option: 'stateDirectory' } },
  );
}

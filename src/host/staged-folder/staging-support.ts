import { constants, copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { overlayRefusal } from './overlay/overlay-mount.ts';
import { makePrivateFolder, openTempRoot, removeFolder } from './staging/private-folder.ts';

/** What makes staging faster on a disk. Without either, each file of a folder is copied. */
export interface StagingSupport {
  /** Whether a folder can be mounted as an overlay, so that nothing is copied. */
  readonly overlay: boolean;
  /** Whether a copy of a file can share its blocks. */
  readonly reflink: boolean;
}

/**
 * Tries what staging would use in the folder for temporary files, and leaves nothing there.
 * @param tempRoot default: that of the system.
 * @throws {FilesystemError} when the folder cannot be used.
 */
export async function stagingSupport(tempRoot?: string): Promise<StagingSupport> {
  const root = await openTempRoot(tempRoot);
  const refusal = await overlayRefusal(new Map(), root);
  const folder = await makePrivateFolder(root, tempRoot);
  try {
    return { overlay: refusal === undefined, reflink: canClone(folder) };
  } finally {
    await removeFolder(folder);
  }
}

function canClone(folder: string): boolean {
  const source = join(folder, 'source');
  try {
    writeFileSync(source, 'x');
    copyFileSync(source, join(folder, 'clone'), constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch {
    return false;
  }
}

import type { Dirent } from 'node:fs';
import { chmod, readdir, rm } from 'node:fs/promises';

/** A process that is just ending may still add something. */
const REMOVAL_ATTEMPTS = { maxRetries: 5, retryDelay: 20 };

/**
 * Removes a folder and all below it, also what a process has taken the permissions from. A folder that is gone is fine.
 * @throws the error of the operating system when it will not go.
 */
export async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, ...REMOVAL_ATTEMPTS });
  } catch {
    await makeRemovable(Buffer.from(path));
    await rm(path, { recursive: true, force: true, ...REMOVAL_ATTEMPTS });
  }
}

/** Gives every directory its owner's permissions back. Paths are bytes, since names may be no UTF-8. */
async function makeRemovable(directory: Buffer): Promise<void> {
  let entries: readonly Dirent<Buffer>[];
  try {
    await chmod(directory, 0o700);
    entries = await readdir(directory, { encoding: 'buffer', withFileTypes: true });
  } catch {
    // The removal that follows says what is the matter, if it still is.
    return;
  }
  for (const entry of entries) {
    if (entry.isDirectory()) await makeRemovable(Buffer.concat([directory, Buffer.from('/'), entry.name]));
  }
}

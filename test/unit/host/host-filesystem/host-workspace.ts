import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type HostFilesystem, type HostFilesystemOptions, openHostFilesystem } from 'weakincentives/node';
import { removeTestFolder } from '../../../support/ordinary-user.ts';

/** A folder to work on and a folder for lock and journal, removed after the test. */
export interface TestFolders {
  readonly root: string;
  readonly stateDirectory: string;
}

/**
 * Makes both folders, with these files in the first. (A hook of this module would serve the first
 * test file alone: the files of a worker share the modules they import.)
 *
 * @param onEnd takes what removes them. Default: it is done after the test, so that this works in tests and `beforeEach` only.
 */
export function testFolders(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  onEnd: (remove: () => void) => void = onTestFinished,
): TestFolders {
  const folder = mkdtempSync(join(tmpdir(), 'host-filesystem-'));
  onEnd(() => removeTestFolder(folder));
  const root = join(folder, 'root');
  mkdirSync(root);
  for (const [path, content] of Object.entries(files)) {
    const target = join(root, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
  return { root, stateDirectory: join(folder, 'state') };
}

/** Opens a host file system that is closed after the test, before folders that were made earlier are removed. */
export async function openHost(options: HostFilesystemOptions): Promise<HostFilesystem> {
  const filesystem = await openHostFilesystem(options);
  onTestFinished(() => filesystem[Symbol.asyncDispose]());
  return filesystem;
}

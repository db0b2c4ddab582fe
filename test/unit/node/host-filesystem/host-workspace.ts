import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';
import { HostFilesystem, type HostFilesystemOptions } from 'weakincentives/node';
import { removeTestFolder } from '../../../support/ordinary-user.ts';

const open: HostFilesystem[] = [];
const made: string[] = [];

afterEach(async () => {
  for (const filesystem of open.splice(0)) await filesystem[Symbol.asyncDispose]();
  for (const folder of made.splice(0)) removeTestFolder(folder);
});

/** A folder to work on and a folder for lock and journal, removed after the test. */
export interface TestFolders {
  readonly root: string;
  readonly stateDirectory: string;
}

/** Makes both folders, with these files in the first. */
export function testFolders(files: Readonly<Record<string, string | Uint8Array>> = {}): TestFolders {
  const folder = mkdtempSync(join(tmpdir(), 'host-filesystem-'));
  made.push(folder);
  const root = join(folder, 'root');
  mkdirSync(root);
  for (const [path, content] of Object.entries(files)) {
    const target = join(root, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
  return { root, stateDirectory: join(folder, 'state') };
}

/** Opens a host file system that is closed after the test. */
export async function openHost(options: HostFilesystemOptions): Promise<HostFilesystem> {
  const filesystem = await HostFilesystem.open(options);
  open.push(filesystem);
  return filesystem;
}

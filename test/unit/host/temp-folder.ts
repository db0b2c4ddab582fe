import { lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { removeTestFolder } from '../../support/ordinary-user.ts';

/**
 * A fresh folder with these files, removed after the test. Only within a test or `beforeEach`. (A hook of this module would serve the first
 * test file alone: the files of a worker share the modules they import.)
 */
export function tempFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'folder-copy-'));
  onTestFinished(() => removeTestFolder(folder));
  for (const [path, content] of Object.entries(files)) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
  return folder;
}

/** Waits until a change on the disk gets a later time than the last change of this file, by making changes elsewhere. */
export function passTick(file: string, folder: string): void {
  const { ctimeNs } = lstatSync(file, { bigint: true });
  const probe = join(folder, '.tick');
  do writeFileSync(probe, '');
  while (lstatSync(probe, { bigint: true }).ctimeNs <= ctimeNs);
  rmSync(probe);
}

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { MemoryFilesystem } from 'weakincentives';
import {
  openStagedFolder,
  type StagedFolder,
  type StagedFolderOptions,
  type StagedFolderReport,
} from 'weakincentives/node';
import { tempFolder } from '../temp-folder.ts';

/** What is staged unless a test says otherwise. */
export const files: Readonly<Record<string, string | Uint8Array>> = {
  'a.txt': 'one\n',
  'docs/b.md': 'two\n',
  'docs/deep/c.bin': new Uint8Array([0, 255, 10]),
};

/** A file system in memory and a folder that it is staged in. */
export interface Staged {
  readonly filesystem: MemoryFilesystem;
  readonly staged: StagedFolder;
  readonly tempRoot: string;
  readonly at: (path: string) => string;
}

/** Stages a file system in a folder that is removed after the test. */
export async function stage(
  options: StagedFolderOptions & { readonly filesystem?: MemoryFilesystem } = {},
): Promise<Staged> {
  const { filesystem = new MemoryFilesystem({ files, clock: { now: () => 1_000_000_000_000 } }), ...rest } =
    options;
  const tempRoot = tempFolder();
  const staged = await openStagedFolder(filesystem, { tempRoot, ...rest });
  return { filesystem, staged, tempRoot, at: (path) => join(staged.path, path) };
}

/** Runs a script as another process in the folder. */
export function runIn(staged: StagedFolder, script: string): void {
  execFileSync(process.execPath, ['--input-type=module', '--eval', script], { cwd: staged.path, env: {} });
}

/** The paths of what was collected. */
export type CollectedPaths = Pick<StagedFolderReport, 'created' | 'modified' | 'removed'>;

export const nothing: CollectedPaths = { created: [], modified: [], removed: [] };

export function changesOf({ created, modified, removed }: StagedFolderReport): CollectedPaths {
  return { created, modified, removed };
}

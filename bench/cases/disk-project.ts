import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder on the disk with a project in it; disposing it removes both. */
export interface DiskProject extends Disposable {
  readonly folder: string;
  readonly root: string;
  /** A file of the project, relative to its root. */
  readonly path: string;
}

/** Folders of 20 files of 2 KB, each some years old, as those of a project mostly are. */
export function makeDiskProject(files: number): DiskProject {
  const folder = mkdtempSync(join(tmpdir(), 'weakincentives-bench-'));
  const root = join(folder, 'root');
  const writtenAtSeconds = 1_700_000_000;
  for (let index = 0; index < files; index += 1) {
    const parent = join(root, `package-${Math.floor(index / 200)}`, `part-${Math.floor(index / 20) % 10}`);
    if (index % 20 === 0) mkdirSync(parent, { recursive: true });
    const path = join(parent, `file-${index % 20}.txt`);
    writeFileSync(path, `${index}\n`.padEnd(2_048, 'x'));
    utimesSync(path, writtenAtSeconds, writtenAtSeconds);
  }
  return {
    folder,
    root,
    path: 'package-0/part-0/file-7.txt',
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

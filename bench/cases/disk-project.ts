import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder on the disk with a project in it; disposing it removes both. */
export interface DiskProject extends Disposable {
  readonly folder: string;
  readonly root: string;
  /** The files of the project, relative to its root. */
  readonly paths: readonly string[];
}

/** One file of so many has a line with this word and a number. */
export const needle = 'needle';
const filesPerNeedle = 10_000;
const fileBytes = 2_048;

/** Folders of 20 files of 2 KB, each some years old, as those of a project mostly are. */
export function makeDiskProject(files: number): DiskProject {
  const folder = mkdtempSync(join(tmpdir(), 'weakincentives-bench-'));
  const root = join(folder, 'root');
  const writtenAtSeconds = 1_700_000_000;
  const paths: string[] = [];
  for (let index = 0; index < files; index += 1) {
    const parent = `package-${Math.floor(index / 200)}/part-${Math.floor(index / 20) % 10}`;
    if (index % 20 === 0) mkdirSync(join(root, parent), { recursive: true });
    const path = `${parent}/file-${index % 20}.txt`;
    writeFileSync(join(root, path), contentOf(index));
    utimesSync(join(root, path), writtenAtSeconds, writtenAtSeconds);
    paths.push(path);
  }
  return { folder, root, paths, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

/** How many lines of a project have the {@link needle}. */
export function countNeedles(files: number): number {
  return Math.ceil(files / filesPerNeedle);
}

function contentOf(file: number): string {
  const first = file % filesPerNeedle === 0 ? `export const ${needle} = '${needle}-${file}';\n` : '';
  const lines = Array.from({ length: 50 }, (_, line) => `export const value_${file}_${line} = ${line};\n`);
  return (first + lines.join('')).slice(0, fileBytes - 1).concat('\n');
}

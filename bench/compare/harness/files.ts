import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The files that a tool works on, whichever system runs it. */
export interface ToolFiles {
  read(path: string): Promise<string>;
  write(path: string, text: string): Promise<void>;
}

/**
 * Files of the disk, in the folder of the script: what tools of systems use that have no files of their own, as in the
 * examples of their documentation.
 */
export const diskFiles: ToolFiles = {
  read: (path) => readFile(path, 'utf8'),
  write: async (path, text) => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  },
};

/** The text of a file of the disk; undefined when it does not exist. */
export async function textOf(path: string): Promise<string | undefined> {
  return existsSync(path) ? await readFile(path, 'utf8') : undefined;
}

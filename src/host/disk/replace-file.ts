import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { writeWhole } from './copy-open-file.ts';

/**
 * Replaces a file, or makes it: who reads it finds the old text or the new one, also after a loss of power.
 *
 * @param draft the path of a file in the same directory, which is written first. One that is there is written again.
 * @throws the error of the operating system. The draft may then be left.
 */
export function replaceFile(path: string, draft: string, text: string, mode = 0o666): void {
  const file = openSync(draft, 'w', mode);
  try {
    writeWhole(file, Buffer.from(text));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
}

/** The same for what may be large, or on a slow disk: the process continues meanwhile. The draft must not exist. */
export async function replaceLargeFile(
  path: string,
  draft: string,
  content: Uint8Array,
  mode: number,
): Promise<void> {
  const file = await open(draft, 'wx', mode);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}

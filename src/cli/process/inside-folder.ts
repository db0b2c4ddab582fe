import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isBelow } from '../../host/index.ts';

/** Whether a file, which need not exist, is inside a folder; false when the folder does not exist. */
export function isInsideFolder(file: string, folder: string): boolean {
  try {
    return isBelow(realPathOf(resolve(file)), realpathSync(resolve(folder)));
  } catch {
    return false;
  }
}

/** The path with its links resolved, as far as it exists. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPathOf(parent), basename(path));
  }
}

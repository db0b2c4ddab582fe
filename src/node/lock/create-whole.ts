import { randomUUID } from 'node:crypto';
import { linkSync, unlinkSync, writeFileSync } from 'node:fs';
import { errorCode } from '../disk/system-error.ts';

/**
 * Makes a file with its whole content in one step, beside which others may be tidying up: a draft that somebody removed before
 * it got its name is written again.
 *
 * @param link gives the draft its name; `linkSync`, but for tests.
 * @returns false when a file of that name is there.
 */
export function createWhole(
  path: string,
  text: string,
  link: (draft: string, path: string) => void = linkSync,
): boolean {
  for (;;) {
    const draft = `${path}.${randomUUID()}`;
    writeFileSync(draft, text, { flag: 'wx', mode: 0o600 });
    try {
      link(draft, path);
      return true;
    } catch (error) {
      const code = errorCode(error);
      if (code === 'EEXIST') return false;
      if (code !== 'ENOENT') throw error;
    } finally {
      removeIfThere(draft);
    }
  }
}

export function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

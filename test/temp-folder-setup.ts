import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTestFolder } from './support/ordinary-user.ts';

const marker = 'WINK_TEST_TEMP_FOLDER';

/**
 * Gives the run a temporary folder of its own and removes it at the end, whatever failed: processes that tests kill on purpose leave
 * folders behind. Every project of the configuration runs this; the first one makes the folder for all of them.
 */
export default function setup(): (() => void) | undefined {
  if (process.env[marker] !== undefined) return undefined;
  const before = process.env['TMPDIR'];
  const folder = mkdtempSync(join(tmpdir(), 'wink-tests-'));
  // As open as the folder that it replaces: some tests act as another user.
  chmodSync(folder, 0o1777);
  process.env[marker] = folder;
  process.env['TMPDIR'] = folder;
  return () => {
    delete process.env[marker];
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    removeTestFolder(folder);
  };
}

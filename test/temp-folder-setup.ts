import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTestFolder } from './support/ordinary-user.ts';

const marker = 'WINK_TEST_TEMP_FOLDER';

/**
 * Gives the run a temporary folder and a state folder of its own and removes them at the end, whatever failed: processes that tests kill on purpose leave
 * folders behind, and what the user's journal has is nothing to a test. Every project of the configuration runs this; the first one makes the folder for all of them.
 */
export default function setup(): (() => void) | undefined {
  if (process.env[marker] !== undefined) return undefined;
  const before = { TMPDIR: process.env['TMPDIR'], XDG_STATE_HOME: process.env['XDG_STATE_HOME'] };
  const folder = mkdtempSync(join(tmpdir(), 'wink-tests-'));
  // As open as the folder that it replaces: some tests act as another user.
  chmodSync(folder, 0o1777);
  process.env[marker] = folder;
  process.env['TMPDIR'] = folder;
  process.env['XDG_STATE_HOME'] = join(folder, 'state');
  return () => {
    delete process.env[marker];
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    removeTestFolder(folder);
  };
}

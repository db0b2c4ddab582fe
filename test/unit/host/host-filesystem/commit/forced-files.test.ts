import { openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ForcedFiles } from '../../../../../src/host/host-filesystem/commit/forced-files.ts';
import { openBelow } from '../../../../support/open-below.ts';
import { testFolders } from '../host-workspace.ts';

function openFile(folder: string, name: string): number {
  const file = openSync(join(folder, name), 'wx');
  writeSync(file, name);
  return file;
}

/** The operating system refuses to force it. */
const openDevice = (): number => openSync('/dev/null', 'r');

const failed = expect.objectContaining({
  code: 'filesystem-storage-failed',
  message: expect.stringMatching(/"device": the operating system reports EINVAL/u),
});

describe.skipIf(process.platform !== 'linux').each([0, 1, 4])(
  'files that are forced with %i helpers',
  (helpers) => {
    it('are on the disk and closed in the end, and few are open at a time', () => {
      const { root } = testFolders();
      const names = Array.from({ length: 200 }, (_, index) => `f${index}`);
      const forcedAfter: number[] = [];
      let most = 0;
      using forced = new ForcedFiles(names.length, () => forcedAfter.push(forcedAfter.length), helpers);
      for (const name of names) {
        forced.add(openFile(root, name), name);
        most = Math.max(most, openBelow(root).length);
      }
      forced.finish();
      expect(forcedAfter).toHaveLength(names.length);
      expect(openBelow(root)).toEqual([]);
      expect(most).toBeLessThan(32);
      expect(names.map((name) => readFileSync(join(root, name), 'utf8'))).toEqual(names);
    });

    it.each([0, 40, 99])('fail with the error of the one that cannot be forced (number %i)', (number) => {
      const { root } = testFolders();
      const addAll = (): void => {
        using forced = new ForcedFiles(100, undefined, helpers);
        for (let index = 0; index < 100; index += 1) {
          if (index === number) forced.add(openDevice(), 'device');
          else forced.add(openFile(root, `f${index}`), `f${index}`);
        }
        forced.finish();
      };
      expect(addAll).toThrow(failed);
      expect(openBelow(root)).toEqual([]);
    });

    it('are closed when the caller gives up, whatever they would have ended with', () => {
      const { root } = testFolders();
      const giveUp = (): void => {
        using forced = new ForcedFiles(20, undefined, helpers);
        for (let index = 0; index < 20; index += 1) forced.add(openFile(root, `f${index}`), `f${index}`);
        if (helpers > 0) forced.add(openDevice(), 'device');
        throw new Error('given up');
      };
      expect(giveUp).toThrow('given up');
      expect(openBelow(root)).toEqual([]);
    });
  },
);

describe('the number of helpers', () => {
  it('is none for a few files, so that a small commit starts no thread', () => {
    const { root } = testFolders();
    let forcedCount = 0;
    using forced = new ForcedFiles(100, () => (forcedCount += 1));
    forced.add(openFile(root, 'a'), 'a');
    // With a helper it could still be waiting.
    expect(forcedCount).toBe(1);
    forced.finish();
  });
});

describe.skipIf(process.platform !== 'linux')('the helpers', () => {
  it('end with the last file', async () => {
    const { root } = testFolders();
    const threads = (): number => readdirSync('/proc/self/task').length;
    const before = threads();
    for (let commit = 0; commit < 8; commit += 1) {
      using forced = new ForcedFiles(2, undefined, 4);
      for (const name of ['a', 'b']) forced.add(openFile(root, `${name}${commit}`), name);
      forced.finish();
    }
    // Threads of others may have started meanwhile.
    while (threads() > before + 8) await new Promise(setImmediate);
    expect(openBelow(root)).toEqual([]);
  });
});

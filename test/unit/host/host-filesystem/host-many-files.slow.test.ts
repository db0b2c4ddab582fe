import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { childProgram } from '../../../support/child-program.ts';
import { atTime, manyBefore, manyFiles, manyPaths, openManyFiles } from '../../../support/many-files.ts';
import { openBelow } from '../../../support/open-below.ts';
import { openHost, type TestFolders, testFolders } from './host-workspace.ts';

const child = await childProgram('host-many-files-child');

function contentsIn({ root }: TestFolders): Readonly<Record<string, string>> {
  return Object.fromEntries(manyPaths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

const manyAfter = Object.fromEntries(manyPaths.map((path) => [path, `after ${path}`]));

/** What a commit may have left: temporary files and journals. */
function leftIn({ root, stateDirectory }: TestFolders): readonly string[] {
  const names = [root, stateDirectory].flatMap((folder) =>
    readdirSync(folder, { recursive: true }).map(String),
  );
  return names.filter((name) => name.includes('.wink-') || name.includes('commit-'));
}

/** Changes the files in a process that kills itself at a failpoint. */
async function changeUntil(folders: TestFolders, failpoint: string, time: number): Promise<void> {
  const parameters = [folders.root, folders.stateDirectory, failpoint, String(time)];
  const started = spawn(process.execPath, [child, ...parameters], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [, signal] = await once(started, 'exit');
  expect(signal).toBe('SIGKILL');
}

describe('a commit of many files', () => {
  it('brings all of them to the disk', () => {
    const folders = testFolders(manyBefore);
    const { changeAll, close } = openManyFiles(folders, () => undefined);
    changeAll();
    expect(contentsIn(folders)).toEqual(manyAfter);
    expect(leftIn(folders)).toEqual([]);
    expect(openBelow(folders.root)).toEqual([]);
    close();
  });

  it('forces every file before it is ready, and so before anyone decides', () => {
    const seen: string[] = [];
    const folders = testFolders(manyBefore);
    const { changeAll, close } = openManyFiles(folders, (failpoint) => seen.push(failpoint));
    changeAll();
    close();
    const untilReady = seen.slice(0, seen.indexOf('ready'));
    expect(untilReady.filter((failpoint) => failpoint === 'forced')).toHaveLength(manyFiles);
  });

  it.each([
    { failpoint: 'stage', time: 1 },
    { failpoint: 'stage', time: 300 },
    { failpoint: 'forced', time: 1 },
    { failpoint: 'forced', time: 300 },
    { failpoint: 'forced', time: manyFiles },
    { failpoint: 'ready', time: 1 },
    { failpoint: 'do', time: 300 },
  ])('is as if it had never been when the disk fails ($failpoint $time)', ({ failpoint, time }) => {
    const folders = testFolders(manyBefore);
    let fails = true;
    const fail = (): void => {
      if (fails) throw Object.assign(new Error('injected'), { code: time % 2 === 0 ? 'ENOSPC' : 'EIO' });
    };
    const { changeAll, close } = openManyFiles(folders, atTime(failpoint, time, fail));
    expect(changeAll).toThrow(expect.objectContaining({ code: 'filesystem-storage-failed' }));
    expect(contentsIn(folders)).toEqual(manyBefore);
    expect(leftIn(folders)).toEqual([]);
    expect(openBelow(folders.root)).toEqual([]);
    fails = false;
    changeAll();
    expect(contentsIn(folders)).toEqual(manyAfter);
    close();
  });

  it('is undone when a directory that it is in is exchanged for another one', () => {
    const folders = testFolders(manyBefore);
    const { root } = folders;
    const exchange = (): void => {
      renameSync(join(root, 'folder-0'), join(root, 'aside'));
      mkdirSync(join(root, 'folder-0'));
      writeFileSync(join(root, 'folder-0/file-0.txt'), 'of another process');
    };
    const { changeAll, close } = openManyFiles(folders, atTime('do', 3, exchange));
    expect(changeAll).toThrow(expect.objectContaining({ code: 'file-changed-on-disk' }));
    expect(readdirSync(join(root, 'folder-0'))).toEqual(['file-0.txt']);
    expect(readFileSync(join(root, 'folder-0/file-0.txt'), 'utf8')).toBe('of another process');
    expect(readFileSync(join(root, 'folder-1/file-20.txt'), 'utf8')).toBe('before folder-1/file-20.txt');
    close();
  });

  it.each([
    { failpoint: 'stage', time: 1 },
    { failpoint: 'stage', time: 300 },
    { failpoint: 'forced', time: 1 },
    { failpoint: 'forced', time: 300 },
    { failpoint: 'forced', time: manyFiles },
    { failpoint: 'ready', time: 1 },
    { failpoint: 'swap', time: 300 },
    { failpoint: 'done', time: 1 },
  ])(
    'is undone by the next one when its process is killed ($failpoint $time)',
    async ({ failpoint, time }) => {
      const folders = testFolders(manyBefore);
      await changeUntil(folders, failpoint, time);
      await openHost(folders);
      expect(contentsIn(folders)).toEqual(manyBefore);
      expect(leftIn(folders)).toEqual([]);
    },
  );

  it('is completed by the next one when its process is killed while it clears up', async () => {
    const folders = testFolders(manyBefore);
    await changeUntil(folders, 'clear', 1);
    await openHost(folders);
    expect(contentsIn(folders)).toEqual(manyAfter);
    expect(leftIn(folders)).toEqual([]);
  });
});

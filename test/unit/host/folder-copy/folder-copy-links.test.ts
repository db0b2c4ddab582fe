import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type FolderCopy, readFolder } from 'weakincentives/node';
import { openDirectory, openFile } from '../../../../src/host/disk/host-directory.ts';
import { tempFolder } from '../temp-folder.ts';

const mount = (folder: string, followSymlinks?: boolean): Promise<FolderCopy> =>
  readFolder({
    hostPath: folder,
    allowedRoots: [folder],
    ...(followSymlinks === undefined ? {} : { followSymlinks }),
  });

describe('symbolic links in a mount', () => {
  it('are not followed by default, wherever they lead', async () => {
    const outside = tempFolder({ 'secret.txt': 's' });
    const folder = tempFolder({ 'a.txt': 'a', 'd/b.txt': 'b' });
    symlinkSync(join(outside, 'secret.txt'), join(folder, 'out-file'));
    symlinkSync(outside, join(folder, 'out-folder'));
    symlinkSync('a.txt', join(folder, 'in-file'));
    symlinkSync('d', join(folder, 'in-folder'));
    symlinkSync('nowhere', join(folder, 'broken'));
    const mounted = await mount(folder);
    expect(Object.keys(mounted.files).toSorted()).toEqual(['a.txt', 'd/b.txt']);
    expect(mounted.report.skipped).toEqual(
      ['broken', 'in-file', 'in-folder', 'out-file', 'out-folder'].map((path) => ({
        path,
        reason: 'symlink',
      })),
    );
  });

  it('are followed within the folder when asked for, and never out of it', async () => {
    const outside = tempFolder({ 'secret.txt': 's' });
    const folder = tempFolder({ 'a.txt': 'a', 'd/b.txt': 'b' });
    symlinkSync(join(outside, 'secret.txt'), join(folder, 'out-file'));
    symlinkSync(outside, join(folder, 'out-folder'));
    symlinkSync('out-folder/secret.txt', join(folder, 'out-chain'));
    symlinkSync('../a.txt', join(folder, 'd/up'));
    symlinkSync(join(folder, 'd'), join(folder, 'in-folder'));
    symlinkSync('nowhere', join(folder, 'broken'));
    symlinkSync('self', join(folder, 'self'));
    const mounted = await mount(folder, true);
    expect(Object.keys(mounted.files).toSorted()).toEqual([
      'a.txt',
      'd/b.txt',
      'd/up',
      'in-folder/b.txt',
      'in-folder/up',
    ]);
    expect(mounted.files['d/up']).toEqual(mounted.files['a.txt']);
    expect(mounted.report.skipped).toEqual(
      ['broken', 'out-chain', 'out-file', 'out-folder', 'self'].map((path) => ({
        path,
        reason: 'symlink-outside',
      })),
    );
  });

  it('are not followed in a circle', async () => {
    const folder = tempFolder({ 'a/b/c.txt': 'c' });
    symlinkSync('../..', join(folder, 'a/b/root'));
    symlinkSync('.', join(folder, 'a/here'));
    const mounted = await mount(folder, true);
    expect(Object.keys(mounted.files)).toEqual(['a/b/c.txt']);
    expect(mounted.report.skipped).toEqual([
      { path: 'a/b/root', reason: 'symlink-cycle' },
      { path: 'a/here', reason: 'symlink-cycle' },
    ]);
  });

  it('that fan out without a circle end at the limit of entries', async () => {
    const folder = tempFolder();
    for (let level = 0; level < 30; level += 1) {
      mkdirSync(join(folder, `l${level}`));
      for (const name of ['x', 'y']) symlinkSync(`../l${level + 1}`, join(folder, `l${level}`, name));
    }
    mkdirSync(join(folder, 'l30'));
    const mounted = await readFolder({
      hostPath: folder,
      allowedRoots: [folder],
      followSymlinks: true,
      maxEntries: 500,
    });
    expect(mounted.report).toMatchObject({ stoppedBy: 'max-entries', complete: false });
  });

  it('do not bypass exclusions', async () => {
    const folder = tempFolder({ '.git/config': 'token', 'dist/deep/x.js': '', 'a.txt': 'a' });
    symlinkSync('.git/config', join(folder, 'config'));
    symlinkSync('.git', join(folder, 'git'));
    symlinkSync('dist/deep', join(folder, 'deep'));
    const mounted = await readFolder({
      hostPath: folder,
      allowedRoots: [folder],
      followSymlinks: true,
      exclude: ['dist'],
    });
    expect(Object.keys(mounted.files)).toEqual(['a.txt']);
    expect(mounted.report.skipped).toEqual([]);
  });

  it('do not concern hard links, which are files', async () => {
    const folder = tempFolder({ 'a.txt': 'a' });
    linkSync(join(folder, 'a.txt'), join(folder, 'b.txt'));
    expect(Object.keys((await mount(folder)).files)).toEqual(['a.txt', 'b.txt']);
  });
});

describe('an open host directory', () => {
  it('stays the same directory when its name is given to a link in the meantime', async () => {
    const secret = tempFolder({ 'x.txt': 'secret' });
    const folder = tempFolder({ 'd/x.txt': 'public' });
    const directory = await openDirectory(join(folder, 'd'), false);
    try {
      renameSync(join(folder, 'd'), join(folder, 'moved'));
      symlinkSync(secret, join(folder, 'd'));
      expect(await readFile(directory.pathOf('x.txt'), 'utf8')).toBe('public');
    } finally {
      await directory.close();
    }
    await expect(openDirectory(join(folder, 'd'), false)).rejects.toMatchObject({
      code: expect.stringMatching(/ELOOP|ENOTDIR/),
    });
  });
});

describe('opening a host file', () => {
  it('follows no link that took its place since it was listed', async () => {
    const folder = tempFolder({ 'a.txt': 'a' });
    symlinkSync('a.txt', join(folder, 'link'));
    await expect(openFile(join(folder, 'link'))).rejects.toMatchObject({ code: 'ELOOP' });
  });

  it('does not wait for the other end of a fifo', async () => {
    const folder = tempFolder();
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const handle = await openFile(join(folder, 'pipe'));
    expect((await handle.stat()).isFIFO()).toBe(true);
    await handle.close();
  });
});

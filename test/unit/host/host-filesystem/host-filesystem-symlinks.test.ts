import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectCode, textOf } from '../../../contract/filesystem-setup.ts';
import { openHost, type TestFolders, testFolders } from './host-workspace.ts';

/** A folder with links of every kind: to a file and a folder, near and further away, out of the root and to nothing. */
function foldersWithLinks(): TestFolders {
  const folders = testFolders({ 'target.txt': 't', 'd/file.txt': 'f', 'd/sub/x': 'x' });
  const links = {
    'link.txt': 'target.txt',
    'd/near': './file.txt',
    'd/up': '../target.txt',
    'd/folder': 'sub',
    'd/out': '/etc/hostname',
    'd/broken': 'nowhere',
  };
  for (const [path, text] of Object.entries(links)) symlinkSync(text, join(folders.root, path));
  return folders;
}

/** Every path, with what a link says or a file holds. */
function treeOf({ root }: TestFolders): Readonly<Record<string, string>> {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    paths.map((path) => {
      const stats = lstatSync(join(root, path));
      if (stats.isSymbolicLink()) return [path, `-> ${readlinkSync(join(root, path))}`];
      return [path, stats.isDirectory() ? 'folder' : readFileSync(join(root, path), 'utf8')];
    }),
  );
}

describe('symbolic links', () => {
  it('stay links when they are moved, and lead where they led', async () => {
    const folders = foldersWithLinks();
    const filesystem = await openHost(folders);
    await filesystem.move('link.txt', 'd/sub/link.txt');
    await filesystem.move('d/folder', 'folder');
    await filesystem.move('d/broken', 'd/still-broken');
    expect(treeOf(folders)).toMatchObject({
      'd/sub/link.txt': '-> ../../target.txt',
      folder: '-> d/sub',
      'd/still-broken': '-> nowhere',
    });
    expect(existsSync(join(folders.root, 'link.txt'))).toBe(false);
  });

  it('are copied as links with their folder', async () => {
    const folders = foldersWithLinks();
    const filesystem = await openHost(folders);
    for (const path of ['d/out', 'd/broken']) await filesystem.remove(path);
    await filesystem.copy('d', 'other/d');
    expect(treeOf(folders)).toMatchObject({ 'other/d/up': '-> ../../target.txt' });
    expect(readFileSync(join(folders.root, 'other/d/near'), 'utf8')).toBe('f');
  });

  it('move with their folder as they are, also when something else in it is changed', async () => {
    const folders = foldersWithLinks();
    const before = treeOf(folders);
    const filesystem = await openHost(folders);
    const fork = filesystem.fork();
    await fork.view.move('d', 'moved');
    await fork.view.write('moved/file.txt', 'new');
    filesystem.apply(fork.patch());
    const expected = Object.entries(before).map(([path, content]) => [
      path.replace(/^d\b/, 'moved'),
      content,
    ]);
    expect(treeOf(folders)).toEqual({ ...Object.fromEntries(expected), 'moved/file.txt': 'new' });
  });

  it.each(['apply', 'flush'] as const)('come back with a snapshot, written on %s', async (writeOn) => {
    const folders = foldersWithLinks();
    const before = treeOf(folders);
    const filesystem = await openHost({ ...folders, writeOn });
    await using start = await filesystem.snapshot();
    for (const path of ['link.txt', 'd/out', 'd/broken']) await filesystem.remove(path);
    await filesystem.remove('d', { recursive: true });
    filesystem.flush();
    await filesystem.write('link.txt', 'a file by now');
    await filesystem.restore(start);
    filesystem.flush();
    expect(treeOf(folders)).toEqual(before);
  });

  it('are not touched when a snapshot brings back what they lead to', async () => {
    const folders = foldersWithLinks();
    const filesystem = await openHost(folders);
    const link = join(folders.root, 'link.txt');
    // Looking at it there makes the snapshot remember what it led to.
    await using start = await filesystem.snapshot();
    await filesystem.remove('link.txt');
    await filesystem.restore(start);
    const { ino } = lstatSync(link);
    await filesystem.write('target.txt', 'new');
    await filesystem.restore(start);
    expect(readFileSync(link, 'utf8')).toBe('t');
    expect(lstatSync(link).ino).toBe(ino);
  });
});

describe('links and odd files', () => {
  it('reads through links within the root, by the path that they lead to', async () => {
    const folders = testFolders({ 'real/file.txt': 'content', 'real/sub/x': 'x' });
    symlinkSync('real/file.txt', join(folders.root, 'file-link'));
    symlinkSync('real', join(folders.root, 'folder-link'));
    symlinkSync(join(folders.root, 'real/sub'), join(folders.root, 'absolute'));
    symlinkSync('../folder-link/sub/../file.txt', join(folders.root, 'real/round-about'));
    symlinkSync('..', join(folders.root, 'real/up'));
    const filesystem = await openHost(folders);
    for (const path of [
      'file-link',
      'folder-link/file.txt',
      'real/round-about',
      'real/up/real/up/file-link',
    ]) {
      expect(await filesystem.read(path)).toMatchObject({ path: 'real/file.txt', text: 'content' });
    }
    expect((await filesystem.list('absolute')).map(({ path }) => path)).toEqual(['real/sub/x']);
    // A walk does not enter links to folders, so that it ends.
    expect((await filesystem.glob('**/x')).paths).toEqual(['real/sub/x']);
    await filesystem.edit('file-link', [{ oldText: 'content', newText: 'changed' }]);
    await filesystem.write('folder-link/new.txt', 'new');
    expect(readlinkSync(join(folders.root, 'file-link'))).toBe('real/file.txt');
    expect(readFileSync(join(folders.root, 'real/file.txt'), 'utf8')).toBe('changed');
    expect(readFileSync(join(folders.root, 'real/new.txt'), 'utf8')).toBe('new');
    await filesystem.remove('folder-link');
    await filesystem.remove('file-link');
    expect(await textOf(filesystem, 'real/file.txt')).toBe('changed');
    expect(existsSync(join(folders.root, 'folder-link'))).toBe(false);
  });

  it('refuses links that leave the root, and never touches what they lead to', async () => {
    const folders = testFolders({ 'inside.txt': 'inside' });
    const outside = testFolders({ 'secret.txt': 'secret' }).root;
    symlinkSync(join(outside, 'secret.txt'), join(folders.root, 'file'));
    symlinkSync(outside, join(folders.root, 'folder'));
    symlinkSync('../..', join(folders.root, 'up'));
    symlinkSync('loop', join(folders.root, 'loop'));
    const filesystem = await openHost(folders);
    for (const path of ['file', 'folder', 'up']) {
      await expectCode(filesystem.read(path), 'path-outside-root');
      await expectCode(filesystem.readBytes(path), 'path-outside-root');
      await expectCode(filesystem.write(path, 'x'), 'path-outside-root');
      await expectCode(filesystem.edit(path, [{ oldText: 'a', newText: 'b' }]), 'path-outside-root');
      await expectCode(filesystem.copy(path, 'copy'), 'path-outside-root');
    }
    await expectCode(filesystem.read('folder/secret.txt'), 'path-not-directory');
    await expectCode(filesystem.write('folder/new.txt', 'x'), 'path-not-directory');
    await expectCode(filesystem.read('loop'), 'path-not-found');
    expect((await filesystem.grep('secret')).matches).toEqual([]);
    await filesystem.remove('folder');
    await filesystem.remove('file');
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
    expect(readdirSync(outside)).toEqual(['secret.txt']);
  });

  it('never opens a fifo or a device', async () => {
    const folders = testFolders({ 'a.txt': 'a' });
    execFileSync('mkfifo', [join(folders.root, 'fifo')]);
    const filesystem = await openHost(folders);
    await expectCode(filesystem.read('fifo'), 'path-forbidden');
    await expectCode(filesystem.write('fifo', 'x'), 'path-forbidden');
    await expectCode(filesystem.copy('fifo', 'copy'), 'path-forbidden');
    expect((await filesystem.grep('a')).matches).toHaveLength(1);
    const devices = await openHost({ ...testFolders(), root: '/dev' });
    await expectCode(devices.read('zero'), 'path-forbidden');
    await expectCode(devices.readBytes('null'), 'path-forbidden');
  });

  it('refuses a parent that becomes a link in the meantime', async () => {
    const folders = testFolders({ 'folder/a.txt': 'inside' });
    const outside = testFolders({ 'a.txt': 'outside' }).root;
    const filesystem = await openHost(folders);
    const fork = filesystem.fork();
    await fork.view.list('folder');
    await fork.view.write('folder/b.txt', 'new');
    renameSync(join(folders.root, 'folder'), join(folders.root, 'kept'));
    symlinkSync(outside, join(folders.root, 'folder'));
    await expectCode(fork.view.read('folder/a.txt'), 'file-changed-on-disk');
    await expect((async () => filesystem.apply(fork.patch()))()).rejects.toThrow(/folder/);
    expect(readdirSync(outside)).toEqual(['a.txt']);
  });
});

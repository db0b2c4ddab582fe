import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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

  it('are copied as links with the folder that they stand in', async () => {
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

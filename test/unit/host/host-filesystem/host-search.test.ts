import { chmodSync, mkdirSync, readdirSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Filesystem } from 'weakincentives';
import { HostJail } from '../../../../src/host/host-filesystem/jail/jail.ts';
import { asOrdinaryUser } from '../../../support/ordinary-user.ts';
import { rawPath } from '../../../support/raw-tree.ts';
import { openHost, testFolders } from './host-workspace.ts';

const files = { 'a/one.txt': 'one\n', 'a/two.txt': 'two\n', 'b.txt': 'b\n' };

/** A change that no stamp hides, also on a disk with coarse times. */
function changeOutside(root: string, path: string): void {
  writeFileSync(join(root, path), 'changed by another process\n');
}

describe('a file that was only listed', () => {
  it('is read as it is when it is read, and then stays the same', async () => {
    const { root, ...folders } = testFolders(files);
    const fork = (await openHost({ root, ...folders })).fork();
    await fork.view.glob('**');
    changeOutside(root, 'a/one.txt');
    expect((await fork.view.read('a/one.txt')).text).toBe('changed by another process\n');
    expect(fork.conflicts()).toEqual([]);
    writeFileSync(join(root, 'a/one.txt'), 'again');
    await expect(fork.view.read('a/one.txt')).rejects.toMatchObject({ code: 'file-changed-on-disk' });
    expect(fork.conflicts()).toContain('file a/one.txt');
  });

  it('does not conflict, whatever is written to it, unless its name goes', async () => {
    const { root, ...folders } = testFolders(files);
    const fork = (await openHost({ root, ...folders })).fork();
    await fork.view.glob('**');
    changeOutside(root, 'a/one.txt');
    expect(fork.conflicts()).toEqual([]);
    unlinkSync(join(root, 'a/one.txt'));
    expect(fork.conflicts()).toEqual(['glob **']);
  });

  it('is gone for a reader when it is gone from the disk, which is a conflict', async () => {
    const { root, ...folders } = testFolders(files);
    const fork = (await openHost({ root, ...folders })).fork();
    await fork.view.glob('**');
    unlinkSync(join(root, 'a/one.txt'));
    mkdirSync(join(root, 'a/one.txt'));
    await expect(fork.view.read('a/one.txt')).rejects.toMatchObject({ code: 'file-changed-on-disk' });
    expect(fork.conflicts().length).toBeGreaterThan(0);
    await expect(fork.view.write('a/two.txt', 'mine')).resolves.toMatchObject({ created: false });
  });

  it('is what it was in a list with sizes', async () => {
    const { root, ...folders } = testFolders(files);
    const fork = (await openHost({ root, ...folders })).fork();
    await fork.view.list('a');
    changeOutside(root, 'a/one.txt');
    await expect(fork.view.read('a/one.txt')).rejects.toMatchObject({ code: 'file-changed-on-disk' });
  });

  it.each<readonly [string, (view: Filesystem) => Promise<unknown>]>([
    ['removed', (view) => view.remove('a/one.txt')],
    ['removed with its directory', (view) => view.remove('a', { recursive: true })],
    ['moved', (view) => view.move('a/one.txt', 'c.txt')],
    ['moved with its directory', (view) => view.move('a', 'c')],
    ['overwritten', (view) => view.write('a/one.txt', 'mine')],
  ])('is inspected before it is %s, so that nothing of another process is lost', async (_name, change) => {
    const { root, ...folders } = testFolders(files);
    const filesystem = await openHost({ root, ...folders });
    const fork = filesystem.fork();
    await fork.view.glob('**');
    await change(fork.view);
    changeOutside(root, 'a/one.txt');
    expect(fork.conflicts()).toContain('file a/one.txt');
    expect(() => filesystem.apply(fork.patch())).toThrow(
      expect.objectContaining({ code: 'file-changed-on-disk' }),
    );
  });

  it('is inspected before a change to it is held in memory', async () => {
    const { root, ...folders } = testFolders(files);
    const filesystem = await openHost({ root, ...folders, writeOn: 'flush' });
    await filesystem.glob('**');
    expect(filesystem.outsideChanges()).toEqual([]);
    const fork = filesystem.fork();
    await fork.view.glob('**');
    await fork.view.write('a/one.txt', 'mine');
    filesystem.apply(fork.patch());
    await filesystem.remove('a/two.txt');
    expect(filesystem.outsideChanges()).toEqual([]);
    changeOutside(root, 'a/one.txt');
    changeOutside(root, 'a/two.txt');
    expect(filesystem.outsideChanges()).toEqual([
      { path: 'a/one.txt', kind: 'changed' },
      { path: 'a/two.txt', kind: 'changed' },
    ]);
  });

  it('is inspected before this process changes it, for whoever still sees the old one', async () => {
    const filesystem = await openHost(testFolders(files));
    const fork = filesystem.fork();
    await fork.view.glob('**');
    await using start = await filesystem.snapshot();
    expect(filesystem.changesSince(start)).toEqual([]);
    await filesystem.write('a/one.txt', 'new');
    await filesystem.move('a/two.txt', 'moved.txt');
    expect((await fork.view.read('a/one.txt')).text).toBe('one\n');
    expect((await fork.view.read('a/two.txt')).text).toBe('two\n');
    await filesystem.restore(start);
    expect((await filesystem.glob('**')).paths).toEqual(['a/one.txt', 'a/two.txt', 'b.txt']);
    expect((await filesystem.read('a/one.txt')).text).toBe('one\n');
  });

  it('is of its own folder: a file of the same name elsewhere is another one', async () => {
    const [from, to] = [await openHost(testFolders(files)), await openHost(testFolders(files))];
    const [source, target] = [from.fork(), to.fork()];
    await source.view.glob('**');
    await source.view.write('a/one.txt', 'other');
    await target.view.glob('**');
    target.view.apply?.(source.patch());
    expect(target.changes().map(({ path }) => path)).toEqual(['a/one.txt']);
  });
});

describe('a search of a folder', () => {
  it('finds names as they are, whatever other names are beside them', async () => {
    const odd = ['\ufeffmark', 'repl\ufffdaced', '😀', 'e\u0301'];
    const { root, ...folders } = testFolders(Object.fromEntries(odd.map((name) => [`d/${name}`, 'x'])));
    const filesystem = await openHost({ root, ...folders });
    const sorted = odd.map((name) => `d/${name}`).toSorted();
    expect((await filesystem.glob('**')).paths).toEqual(sorted);
    writeFileSync(rawPath(join(root, 'd'), 'latin-\xe9'), 'x');
    expect((await filesystem.glob('**')).paths).toEqual(sorted);
    expect((await filesystem.grep('x')).matches.map(({ path }) => path)).toEqual(sorted);
    expect(filesystem.listSkipped()).toEqual([{ path: 'd/latin-\ufffd', reason: 'name-not-allowed' }]);
  });

  it('counts files that may not be read, and notices when that changes', async () => {
    const { root, ...folders } = testFolders({ 'open.txt': 'x\n', 'shut.txt': 'x\n', 'shut/in.txt': 'x\n' });
    await asOrdinaryUser(join(root, '..'), async () => {
      const filesystem = await openHost({ root, ...folders, writeOn: 'never' });
      chmodSync(join(root, 'shut.txt'), 0);
      // Its names can be read, and nothing else.
      chmodSync(join(root, 'shut'), 0o400);
      const fork = filesystem.fork();
      expect(await fork.view.grep('x')).toMatchObject({ matches: [{ path: 'open.txt' }], skippedBinary: 1 });
      expect((await fork.view.glob('**')).paths).toEqual(['open.txt', 'shut.txt']);
      expect(fork.conflicts()).toEqual([]);
      chmodSync(join(root, 'shut.txt'), 0o600);
      expect(fork.conflicts()).toEqual(['grep .']);
      chmodSync(join(root, 'shut'), 0o700);
    });
  });

  it.skipIf(process.platform !== 'linux')('leaves no directory open', async () => {
    const filesystem = await openHost(testFolders(files));
    const open = (): number => readdirSync('/proc/self/fd').length;
    const before = open();
    await filesystem.grep('one');
    await filesystem.read('a/one.txt');
    await Promise.resolve();
    expect(open()).toBe(before);
  });

  it('reads in the directory that is at the path now, after anything was done by another way', () => {
    const { root } = testFolders({ 'a/x.txt': 'first' });
    const jail = HostJail.open(root);
    const inode = (): bigint | undefined => jail.readFile(['a', 'x.txt'], (_file, stats) => stats.ino);
    const first = inode();
    expect(inode()).toBe(first);
    jail.within([], (pathOf) => renameSync(pathOf('a'), pathOf('b')));
    expect(inode()).toBeUndefined();
    jail.within([], (pathOf) => mkdirSync(pathOf('a')));
    jail.within(['a'], (pathOf) => writeFileSync(pathOf('x.txt'), 'second'));
    expect(inode()).not.toBe(first);
    jail.dispose();
  });
});

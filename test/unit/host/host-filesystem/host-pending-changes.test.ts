import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HostFilesystem } from 'weakincentives/node';
import { expectCode, textOf } from '../../../contract/filesystem-setup.ts';
import { openHost, type TestFolders, testFolders } from './host-workspace.ts';

async function held(files: Readonly<Record<string, string>> = {}): Promise<{
  readonly filesystem: HostFilesystem;
  readonly at: (path: string) => string;
  readonly folders: TestFolders;
}> {
  const folders = testFolders(files);
  const filesystem = await openHost({ ...folders, writeOn: 'flush' });
  return { filesystem, folders, at: (path) => join(folders.root, path) };
}

const changesOf = async (
  filesystem: HostFilesystem,
  act: () => Promise<unknown>,
): Promise<readonly string[]> => {
  const before = await filesystem.snapshot();
  await act();
  return filesystem.changesSince(before).map(({ kind, path }) => `${kind} ${path}`);
};

describe('changes that are held back', () => {
  it('are written to the disk by flush, all in one commit', async () => {
    const { filesystem, at, folders } = await held({ 'a.md': 'a', 'old/b.md': 'b', 'gone.md': 'x' });
    const changes = await changesOf(filesystem, async () => {
      await filesystem.write('a.md', 'A');
      await filesystem.move('old', 'new');
      await filesystem.remove('gone.md');
      await filesystem.write('new/c.md', 'c');
      await filesystem.write('a.md', 'AA');
    });
    const wanted = [
      'modified a.md',
      'removed gone.md',
      'created new/b.md',
      'created new/c.md',
      'removed old/b.md',
    ];
    expect(changes).toEqual(wanted);
    expect(readFileSync(at('a.md'), 'utf8')).toBe('a');
    expect(readdirSync(folders.root).sort()).toEqual(['a.md', 'gone.md', 'old']);
    filesystem.flush();
    expect(readFileSync(at('a.md'), 'utf8')).toBe('AA');
    expect(readdirSync(folders.root, { recursive: true, encoding: 'utf8' }).sort()).toEqual([
      'a.md',
      'new',
      'new/b.md',
      'new/c.md',
    ]);
    // Nothing is left to do, and it continues from here.
    filesystem.flush();
    await filesystem.write('later.md', 'l');
    expect(existsSync(at('later.md'))).toBe(false);
    filesystem.flush();
    expect(readFileSync(at('later.md'), 'utf8')).toBe('l');
  });

  it('are gone when the folder is closed', async () => {
    const { filesystem, at } = await held({ 'a.md': 'a' });
    await filesystem.write('a.md', 'A');
    await filesystem[Symbol.asyncDispose]();
    expect(readFileSync(at('a.md'), 'utf8')).toBe('a');
  });

  it('leave room for what others do elsewhere, also in the same directory', async () => {
    const { filesystem, at } = await held({ 'docs/a.md': 'a', 'docs/b.md': 'b', 'made/x': 'x' });
    await filesystem.edit('docs/a.md', [{ oldText: 'a', newText: 'A' }]);
    expect(await textOf(filesystem, 'docs/b.md')).toBe('b');
    writeFileSync(at('docs/b.md'), 'theirs');
    writeFileSync(at('docs/c.md'), 'theirs too');
    expect(await textOf(filesystem, 'docs/b.md')).toBe('theirs');
    expect((await filesystem.glob('docs/*')).paths).toEqual(['docs/a.md', 'docs/b.md', 'docs/c.md']);
    expect(filesystem.outsideChanges()).toEqual([]);
    filesystem.flush();
    expect(readFileSync(at('docs/a.md'), 'utf8')).toBe('A');
    expect(readFileSync(at('docs/b.md'), 'utf8')).toBe('theirs');
  });

  it('do not take back what others put into a directory that was new to both', async () => {
    const { filesystem, at } = await held();
    await filesystem.write('docs/mine.md', 'mine');
    mkdirSync(at('docs'));
    writeFileSync(at('docs/theirs.md'), 'theirs');
    filesystem.flush();
    expect(readdirSync(at('docs')).sort()).toEqual(['mine.md', 'theirs.md']);
  });

  it.each<
    [
      string,
      (filesystem: HostFilesystem) => Promise<unknown>,
      (at: (path: string) => string) => void,
      object[],
    ]
  >([
    [
      'changed',
      (files) => files.write('a.md', 'A'),
      (at) => writeFileSync(at('a.md'), 'theirs'),
      [{ path: 'a.md', kind: 'changed' }],
    ],
    [
      'removed',
      (files) => files.write('a.md', 'A'),
      (at) => rmSync(at('a.md')),
      [{ path: 'a.md', kind: 'removed' }],
    ],
    [
      'made',
      (files) => files.write('new.md', 'mine'),
      (at) => writeFileSync(at('new.md'), 'theirs'),
      [{ path: 'new.md', kind: 'created' }],
    ],
    [
      'put into a directory that is to go',
      (files) => files.remove('dir', { recursive: true }),
      (at) => writeFileSync(at('dir/theirs'), 'theirs'),
      [{ path: 'dir/theirs', kind: 'created' }],
    ],
  ])(
    'are refused by name when another process has %s the same, and lose nothing',
    async (_how, change, meddle, outside) => {
      const { filesystem, at, folders } = await held({ 'a.md': 'a', 'dir/x': 'x', 'b.md': 'b' });
      await filesystem.write('b.md', 'B');
      await change(filesystem);
      meddle(at);
      const disk = readdirSync(folders.root, { recursive: true, encoding: 'utf8' }).sort();
      expect(filesystem.outsideChanges()).toEqual(outside);
      expect(() => filesystem.flush()).toThrow(expect.objectContaining({ code: 'file-changed-on-disk' }));
      expect(readdirSync(folders.root, { recursive: true, encoding: 'utf8' }).sort()).toEqual(disk);
      expect(readFileSync(at('b.md'), 'utf8')).toBe('b');
      expect(await textOf(filesystem, 'b.md')).toBe('B');
    },
  );

  it('that only remove do not keep a directory that another process removes', async () => {
    const { filesystem, at } = await held({ 'a/b/c.md': 'c', 'a/d.md': 'd', 'e.md': 'e' });
    await filesystem.remove('a/b/c.md');
    expect((await filesystem.list('a')).map(({ path }) => path)).toEqual(['a/b', 'a/d.md']);
    rmSync(at('a'), { recursive: true });
    expect(await filesystem.stat('a')).toBeUndefined();
    expect((await filesystem.glob('**')).paths).toEqual(['e.md']);
    filesystem.flush();
    expect(existsSync(at('a'))).toBe(false);
    // What now lies in its place is shown.
    writeFileSync(at('a'), 'a file');
    expect(await textOf(filesystem, 'a')).toBe('a file');
  });

  it('make the directories again that another process removes', async () => {
    const { filesystem, at, folders } = await held({ 'a/b/c.md': 'c', 'a/d.md': 'd' });
    await filesystem.remove('a', { recursive: true });
    await filesystem.write('a/b/c.md', 'new');
    await filesystem.move('a/b/c.md', 'a/c.md');
    rmSync(at('a'), { recursive: true });
    filesystem.flush();
    const left = ['a', 'a/b', 'a/c.md'];
    expect(readdirSync(folders.root, { recursive: true, encoding: 'utf8' }).sort()).toEqual(left);
    expect((await filesystem.list('a')).map(({ path }) => path)).toEqual(left.slice(1));
  });

  it('keep a directory that another process removes when they added something to it, at any depth', async () => {
    const { filesystem, at } = await held({ 'a/b/c.md': 'c', 'a/d.md': 'd' });
    await filesystem.write('a/b/new.md', 'new');
    rmSync(at('a'), { recursive: true });
    expect((await filesystem.glob('**')).paths).toEqual(['a/b/new.md']);
    filesystem.flush();
    expect(readdirSync(at('a'), { recursive: true, encoding: 'utf8' }).sort()).toEqual(['b', 'b/new.md']);
  });

  it('that were taken back show again what is on the disk', async () => {
    const { filesystem, at } = await held({ 'kept.md': 'k', 'dir/a.md': 'a' });
    await filesystem.write('new.md', 'ours');
    await filesystem.write('dir/new.md', 'ours');
    writeFileSync(at('new.md'), 'theirs');
    writeFileSync(at('dir/new.md'), 'theirs');
    expect(filesystem.outsideChanges()).toHaveLength(2);
    await filesystem.remove('new.md');
    await filesystem.remove('dir/new.md');
    expect(filesystem.outsideChanges()).toEqual([]);
    expect(await textOf(filesystem, 'new.md')).toBe('theirs');
    expect(await textOf(filesystem, 'dir/new.md')).toBe('theirs');
    const before = await filesystem.snapshot();
    await filesystem.remove('kept.md');
    await filesystem.restore(before);
    writeFileSync(at('kept.md'), 'theirs, later');
    expect(await textOf(filesystem, 'kept.md')).toBe('theirs, later');
    filesystem.flush();
    expect(['new.md', 'dir/new.md', 'kept.md'].map((path) => readFileSync(at(path), 'utf8'))).toEqual([
      'theirs',
      'theirs',
      'theirs, later',
    ]);
  });

  it('are not mistaken for those of another process by other calls', async () => {
    const { filesystem } = await held({ 'a.md': 'a' });
    const [first, second] = [filesystem.fork(), filesystem.fork()];
    await first.view.write('a.md', 'first');
    await second.view.write('a.md', 'second');
    filesystem.apply(first.patch());
    expect(second.refusals()).toEqual([]);
    filesystem.apply(second.patch());
    expect(await textOf(filesystem, 'a.md')).toBe('second');
  });

  it('are not written to a folder that has taken the place of the one opened', async () => {
    const { filesystem, folders } = await held({ 'a.md': 'a' });
    await filesystem.write('a.md', 'A');
    renameSync(folders.root, `${folders.root}-moved`);
    mkdirSync(folders.root);
    expect(() => filesystem.flush()).toThrow(expect.objectContaining({ code: 'root-replaced' }));
    expect(readdirSync(folders.root)).toEqual([]);
    expect(readFileSync(join(`${folders.root}-moved`, 'a.md'), 'utf8')).toBe('a');
  });

  it('can be taken back', async () => {
    const { filesystem, at } = await held({ 'dir/a.md': 'a' });
    const before = await filesystem.snapshot();
    await filesystem.remove('dir', { recursive: true });
    await filesystem.restore(before);
    writeFileSync(at('dir/b.md'), 'theirs');
    expect((await filesystem.glob('**')).paths).toEqual(['dir/a.md', 'dir/b.md']);
    expect(filesystem.outsideChanges()).toEqual([]);
    filesystem.flush();
    expect(readdirSync(at('dir'))).toEqual(['a.md', 'b.md']);
  });
});

describe('a file that was moved away and back into a directory that is not there any more', () => {
  const path = 'dir/a.md';

  /** @param replaced the directory is removed and made again by the pending changes themselves. */
  async function movedBack(replaced: boolean) {
    const folder = await held({ [path]: 'a', 'top.md': 't' });
    const { filesystem, at } = folder;
    await filesystem.move(path, 'away.md');
    if (replaced) await filesystem.remove('dir', { recursive: true });
    else rmSync(at('dir'), { recursive: true });
    await filesystem.move('away.md', path);
    return folder;
  }

  it('is named when another process has removed it, and nothing is flushed', async () => {
    const { filesystem, at } = await movedBack(false);
    await filesystem.write('top.md', 'ours');
    expect(filesystem.outsideChanges()).toEqual([{ path, kind: 'removed' }]);
    await expectCode(filesystem.read(path), 'file-changed-on-disk');
    expect(() => filesystem.flush()).toThrow(expect.objectContaining({ code: 'file-changed-on-disk' }));
    expect(readFileSync(at('top.md'), 'utf8')).toBe('t');
    await filesystem.remove(path);
    expect(filesystem.outsideChanges()).toEqual([]);
    filesystem.flush();
    expect(readFileSync(at('top.md'), 'utf8')).toBe('ours');
    expect(existsSync(at(path))).toBe(false);
  });

  it('is named when another process has changed it, and nothing is flushed', async () => {
    const { filesystem, at } = await movedBack(true);
    expect(filesystem.outsideChanges()).toEqual([]);
    writeFileSync(at(path), 'theirs');
    expect(filesystem.outsideChanges()).toEqual([{ path, kind: 'changed' }]);
    expect(() => filesystem.flush()).toThrow(expect.objectContaining({ code: 'file-changed-on-disk' }));
    expect(readFileSync(at(path), 'utf8')).toBe('theirs');
  });

  it('stays when no one has touched it', async () => {
    const { filesystem, at } = await movedBack(true);
    await filesystem.write('top.md', 'ours');
    filesystem.flush();
    expect(readFileSync(at(path), 'utf8')).toBe('a');
    expect(readFileSync(at('top.md'), 'utf8')).toBe('ours');
    expect(await textOf(filesystem, path)).toBe('a');
  });
});

describe('a folder that is only read', () => {
  it('takes changes in memory and never writes, not even a lock', async () => {
    const folders = testFolders({ 'a.md': 'a' });
    await openHost(folders);
    const looking = await openHost({ ...folders, writeOn: 'never' });
    await looking.write('a.md', 'A');
    expect(await textOf(looking, 'a.md')).toBe('A');
    expect(() => looking.flush()).toThrow(expect.objectContaining({ code: 'filesystem-read-only' }));
    expect(readFileSync(join(folders.root, 'a.md'), 'utf8')).toBe('a');
    const other = testFolders({ 'a.md': 'a' });
    await openHost({ ...other, writeOn: 'never' });
    expect(existsSync(other.stateDirectory)).toBe(false);
  });

  it('refuses another word for when to write', async () => {
    // A program without types says anything.
    const writeOn = 'sometimes' as 'never';
    await expectCode(openHost({ ...testFolders(), writeOn }), 'argument-invalid');
  });
});

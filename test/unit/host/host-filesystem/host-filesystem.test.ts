import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hostOperations } from '../../../../src/host/host-filesystem/host-paths.ts';
import { HostJail } from '../../../../src/host/host-filesystem/jail/jail.ts';
import { openWorkspace } from '../../../../src/host/host-filesystem/open-workspace.ts';
import { DiskContent } from '../../../../src/host/host-filesystem/tree/disk-content.ts';
import { TextCache } from '../../../../src/host/host-filesystem/tree/text-cache.ts';
import { expectCode, textOf } from '../../../contract/filesystem-setup.ts';
import { openHost, testFolders } from './host-workspace.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('what a commit leaves as it was', () => {
  const files = {
    'edited.txt': '\uFEFFone\r\ntwo\r\n',
    '.env': 'SECRET=1',
    '.gitignore': '.env\nnode_modules\n',
    'node_modules/pkg/index.js': 'module',
    'nested/.git/HEAD': 'ref: refs/heads/main',
    'nested/.git/objects/ab': new Uint8Array([0, 1, 255]),
    'binary.bin': new Uint8Array([0, 255, 0, 13, 10]),
    'script.sh': '#!/bin/sh\n',
    'secret.txt': 'secret',
  };

  function prepare(root: string): void {
    mkdirSync(join(root, 'empty/inner'), { recursive: true });
    chmodSync(join(root, 'script.sh'), 0o755);
    chmodSync(join(root, 'secret.txt'), 0o600);
    symlinkSync('edited.txt', join(root, 'link.txt'));
    symlinkSync('/etc/hostname', join(root, 'outward'));
    symlinkSync('nowhere', join(root, 'broken'));
    symlinkSync('nested', join(root, 'to-folder'));
    writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0xfe])]), 'no UTF-8 name');
    execFileSync('mkfifo', [join(root, 'fifo')]);
    for (const name of ['.env', 'binary.bin', 'script.sh', 'secret.txt'])
      utimesSync(join(root, name), 1000, 1000);
  }

  /** Kind, permissions, inode, modification time and content of everything, names as bytes. */
  function stateOf(folder: Buffer | string, prefix = ''): Map<string, string> {
    const found = new Map<string, string>();
    for (const name of readdirSync(folder, { encoding: 'buffer' })) {
      const path = Buffer.concat([Buffer.from(folder), Buffer.from('/'), name]);
      const stats = lstatSync(path, { bigint: true });
      const key = `${prefix}${name.toString('latin1')}`;
      if (stats.isDirectory()) {
        found.set(`${key}/`, `${stats.mode} ${stats.ino}`);
        for (const [below, state] of stateOf(path, `${key}/`)) found.set(below, state);
      } else {
        const content = stats.isFile()
          ? readFileSync(path, 'hex')
          : stats.isSymbolicLink()
            ? readlinkSync(path)
            : '';
        found.set(key, `${stats.mode} ${stats.ino} ${stats.mtimeNs} ${content}`);
      }
    }
    return found;
  }

  it('is everything when a fork is dropped', async () => {
    const folders = testFolders(files);
    prepare(folders.root);
    const before = stateOf(folders.root);
    const filesystem = await openHost(folders);
    const fork = filesystem.fork();
    await fork.view.remove('node_modules', { recursive: true });
    await fork.view.edit('edited.txt', [{ oldText: 'one\n', newText: 'three\n' }]);
    await fork.view.write('.env', 'changed');
    await fork.view.write('new/file', 'new');
    await fork.view.remove('nested', { recursive: true });
    await fork.view.move('empty', 'moved');
    await fork.view.remove('link.txt');
    await fork.view.move('fifo', 'moved-fifo');
    fork.dispose();
    expect(stateOf(folders.root)).toEqual(before);
  });

  it('is everything but what was changed when a fork is applied', async () => {
    const folders = testFolders(files);
    prepare(folders.root);
    const before = stateOf(folders.root);
    const filesystem = await openHost(folders);
    const fork = filesystem.fork();
    await fork.view.edit('edited.txt', [{ oldText: 'one\n', newText: 'three\n' }]);
    await fork.view.write('script.sh', '#!/bin/bash\n');
    await fork.view.write('secret.txt', 'another');
    await fork.view.write('new.txt', 'new');
    expect(fork.conflicts()).toEqual([]);
    filesystem.apply(fork.patch());
    fork.dispose();
    expect(readFileSync(join(folders.root, 'edited.txt'), 'utf8')).toBe('\uFEFFthree\r\ntwo\r\n');
    expect(statSync(join(folders.root, 'script.sh')).mode & 0o777).toBe(0o755);
    expect(statSync(join(folders.root, 'secret.txt')).mode & 0o777).toBe(0o600);
    const after = stateOf(folders.root);
    for (const name of ['edited.txt', 'script.sh', 'secret.txt', 'new.txt']) {
      expect(after.get(name)).not.toBe(before.get(name));
      after.delete(name);
      before.delete(name);
    }
    expect(after).toEqual(before);
  });

  it('is everything, times and inodes included, when a commit fails half-way', async () => {
    const folders = testFolders(files);
    prepare(folders.root);
    const before = stateOf(folders.root);
    // Another process puts a file where a new one is to be, just before it gets there.
    let steps = 0;
    const { workspace, lock } = openWorkspace(folders, (failpoint) => {
      if (failpoint === 'step') steps += 1;
      if (failpoint === 'ready') writeFileSync(join(folders.root, 'zz'), 'theirs');
    });
    const { cell } = workspace.fork(workspace.takeSnapshot(), false);
    const operations = hostOperations(cell);
    operations.remove('nested', true);
    operations.transfer('node_modules', 'modules', 'move');
    operations.write('.env', 'changed', undefined);
    operations.write('zz', 'new', undefined);
    await expectCode((async () => workspace.apply(cell.patch()))(), 'file-changed-on-disk');
    expect(steps).toBeGreaterThan(3);
    expect(readFileSync(join(folders.root, 'zz'), 'utf8')).toBe('theirs');
    workspace.dispose();
    lock.dispose();
    rmSync(join(folders.root, 'zz'));
    expect(stateOf(folders.root)).toEqual(before);
  });

  it('includes every entry of a moved folder, of any kind', async () => {
    const folders = testFolders({ 'from/a.txt': 'a', 'from/b/c': 'c' });
    execFileSync('mkfifo', [join(folders.root, 'from/fifo')]);
    symlinkSync('/etc', join(folders.root, 'from/outward'));
    writeFileSync(Buffer.concat([Buffer.from(`${folders.root}/from/`), Buffer.from([0xff])]), 'x');
    utimesSync(join(folders.root, 'from/a.txt'), 1000, 1000);
    const before = stateOf(join(folders.root, 'from'));
    const filesystem = await openHost(folders);
    await filesystem.move('from', 'to/new');
    expect(stateOf(join(folders.root, 'to/new'))).toEqual(before);
    expect(existsSync(join(folders.root, 'from'))).toBe(false);
  });

  it('is the old content of a hard link elsewhere', async () => {
    const folders = testFolders({ a: 'shared' });
    linkSync(join(folders.root, 'a'), join(folders.root, 'b'));
    const filesystem = await openHost(folders);
    await filesystem.write('a', 'own');
    expect(await textOf(filesystem, 'b')).toBe('shared');
  });
});

describe('changes by another process', () => {
  const files = { 'src/a.ts': 'aaa', 'notes.md': 'note', 'folder/x': 'x' };

  it('is seen by the next fork, and by the file system itself', async () => {
    const folders = testFolders(files);
    const filesystem = await openHost(folders);
    expect(await textOf(filesystem.fork().view, 'notes.md')).toBe('note');
    writeFileSync(join(folders.root, 'notes.md'), 'theirs');
    writeFileSync(join(folders.root, 'src/new.ts'), '');
    expect(await textOf(filesystem.fork().view, 'notes.md')).toBe('theirs');
    expect(await textOf(filesystem, 'notes.md')).toBe('theirs');
    expect((await filesystem.glob('src/*')).paths).toEqual(['src/a.ts', 'src/new.ts']);
  });

  it.each<readonly [string, (root: string) => void, string]>([
    ['written', (root) => writeFileSync(join(root, 'notes.md'), 'theirs'), 'file notes.md'],
    ['written with as many bytes', (root) => writeFileSync(join(root, 'notes.md'), 'nota'), 'file notes.md'],
    ['removed', (root) => rmSync(join(root, 'notes.md')), 'file notes.md'],
    [
      'replaced by a link',
      (root) => {
        rmSync(join(root, 'notes.md'));
        symlinkSync('src/a.ts', join(root, 'notes.md'));
      },
      'file notes.md',
    ],
  ])('is a conflict for what was read: a file that was %s', async (_what, change, conflict) => {
    const folders = testFolders(files);
    const filesystem = await openHost(folders);
    const fork = filesystem.fork();
    await fork.view.read('notes.md');
    await fork.view.write('result', 'x');
    expect(fork.conflicts()).toEqual([]);
    change(folders.root);
    expect(fork.conflicts()).toContain(conflict);
  });

  it('is a conflict for listings and searches', async () => {
    const folders = testFolders(files);
    const filesystem = await openHost(folders);
    const [listing, glob, grep, calm] = [
      filesystem.fork(),
      filesystem.fork(),
      filesystem.fork(),
      filesystem.fork(),
    ];
    await listing.view.list('src');
    await glob.view.glob('**/*.ts');
    await grep.view.grep('a');
    await calm.view.list('folder');
    writeFileSync(join(folders.root, 'src/b.ts'), 'bbb');
    expect(listing.conflicts()).toEqual(['listing src']);
    expect(glob.conflicts()).toEqual(['glob **/*.ts']);
    expect(grep.conflicts()).toEqual(['grep .']);
    expect(calm.conflicts()).toEqual([]);
  });

  it('is never shown in the place of what was read first', async () => {
    const folders = testFolders(files);
    const filesystem = await openHost(folders);
    const fork = filesystem.fork();
    await fork.view.read('notes.md');
    writeFileSync(join(folders.root, 'notes.md'), 'theirs');
    await expectCode(fork.view.read('notes.md'), 'file-changed-on-disk');
    expect(fork.conflicts()).toEqual(['file notes.md']);
  });

  it('is not overwritten, even by a write that has read nothing', async () => {
    const folders = testFolders(files);
    const filesystem = await openHost(folders);
    const fork = filesystem.fork();
    await fork.view.write('notes.md', 'mine');
    await fork.view.remove('folder', { recursive: true });
    await fork.view.write('new/file', 'mine');
    writeFileSync(join(folders.root, 'notes.md'), 'theirs');
    writeFileSync(join(folders.root, 'folder/x'), 'theirs too');
    mkdirSync(join(folders.root, 'new'));
    writeFileSync(join(folders.root, 'new/file'), 'theirs as well');
    expect(fork.conflicts()).toEqual(
      expect.arrayContaining(['file folder/x', 'file notes.md', 'file new/file']),
    );
    expect(fork.refusals().join()).toContain('notes.md');
    await expectCode((async () => filesystem.apply(fork.patch()))(), 'file-changed-on-disk');
    expect(await textOf(filesystem, 'notes.md')).toBe('theirs');
    expect(await textOf(filesystem, 'folder/x')).toBe('theirs too');
    expect(await textOf(filesystem, 'new/file')).toBe('theirs as well');
  });

  it('is overwritten by the patch of another file system, which has seen none of it', async () => {
    const [own, folders] = [testFolders({ 'a.txt': 'one' }), testFolders({ 'a.txt': 'other' })];
    const [origin, target] = [await openHost(own), await openHost(folders)];
    const fork = origin.fork();
    await fork.view.write('a.txt', 'two');
    target.apply(fork.patch());
    expect(readFileSync(join(folders.root, 'a.txt'), 'utf8')).toBe('two');
    expect(readFileSync(join(own.root, 'a.txt'), 'utf8')).toBe('one');
  });

  it('is not overwritten when it happens while the new content is being written', async () => {
    const folders = testFolders(files);
    const { workspace, lock } = openWorkspace(folders, (failpoint) => {
      if (failpoint === 'stage') writeFileSync(join(folders.root, 'notes.md'), 'theirs');
    });
    const { cell } = workspace.fork(workspace.takeSnapshot(), false);
    hostOperations(cell).write('notes.md', 'mine', undefined);
    await expectCode((async () => workspace.apply(cell.patch()))(), 'file-changed-on-disk');
    expect(readFileSync(join(folders.root, 'notes.md'), 'utf8')).toBe('theirs');
    expect(readdirSync(folders.root).sort()).toEqual(['folder', 'notes.md', 'src']);
    workspace.dispose();
    lock.dispose();
  });

  it('is looked for in the content as long as a stamp may not show it', async () => {
    const folders = testFolders(files);
    const path = join(folders.root, 'notes.md');
    const changedAtMs = statSync(path).ctimeMs;
    const jail = HostJail.open(folders.root);
    const readAfter = (delayMs: number): { readonly content: DiskContent; readonly isUnsettled: boolean } => {
      const unsettled = new Set<DiskContent>();
      const context = {
        jail,
        maxFileBytes: 100,
        now: () => changedAtMs + delayMs,
        unsettled,
        texts: new TextCache(),
        visible: undefined,
        buffer: {},
        followsDisk: false,
      };
      const content = new DiskContent(context, ['notes.md'], lstatSync(path, { bigint: true }), false);
      expect(content.text()).toBe('note');
      return { content, isUnsettled: unsettled.has(content) };
    };
    expect(readAfter(60_000).isUnsettled).toBe(false);
    const { content, isUnsettled } = readAfter(1);
    expect(isUnsettled).toBe(true);
    expect(content.isUnchanged()).toBe(true);
    writeFileSync(path, 'nota');
    expect(content.isUnchanged()).toBe(false);
    jail.dispose();
  });

  it('is noticed when size and times are the same again', async () => {
    const folders = testFolders(files);
    const path = join(folders.root, 'notes.md');
    const filesystem = await openHost(folders);
    const fork = filesystem.fork();
    await fork.view.read('notes.md');
    const { atime, mtime } = statSync(path);
    writeFileSync(path, 'nota');
    utimesSync(path, atime, mtime);
    expect(fork.conflicts()).toContain('file notes.md');
  });

  it('does not come back by a snapshot, but own changes do', async () => {
    const folders = testFolders(files);
    const filesystem = await openHost(folders);
    const snapshot = await filesystem.snapshot();
    await filesystem.write('notes.md', 'mine');
    writeFileSync(join(folders.root, 'src/a.ts'), 'theirs');
    await filesystem.restore(snapshot);
    expect(await textOf(filesystem, 'notes.md')).toBe('note');
    expect(await textOf(filesystem, 'src/a.ts')).toBe('theirs');
  });
});

describe('limits', () => {
  it('neither reads nor writes more than it may, and still moves, copies and removes it', async () => {
    const folders = testFolders();
    const file = openSync(join(folders.root, 'large.bin'), 'w');
    ftruncateSync(file, 104_857_600);
    writeSync(file, bytes('end'), 0, 3, 104_857_597);
    closeSync(file);
    const filesystem = await openHost(folders);
    await expectCode(filesystem.read('large.bin'), 'file-too-large');
    await expectCode(filesystem.readBytes('large.bin'), 'file-too-large');
    await expectCode(filesystem.write('large.bin', 'x', { mode: 'append' }), 'file-too-large');
    expect(await filesystem.grep('end')).toMatchObject({ matches: [], skippedBinary: 1 });
    expect(await filesystem.stat('large.bin')).toMatchObject({ bytes: 104_857_600 });
    const { ino } = statSync(join(folders.root, 'large.bin'));
    const before = process.memoryUsage().arrayBuffers;
    await filesystem.move('large.bin', 'moved/large.bin');
    expect(statSync(join(folders.root, 'moved/large.bin')).ino).toBe(ino);
    await filesystem.copy('moved/large.bin', 'copy.bin');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50_000_000);
    const copied = readFileSync(join(folders.root, 'copy.bin'));
    expect([copied.length, copied.subarray(-3).toString()]).toEqual([104_857_600, 'end']);
    await filesystem.remove('moved', { recursive: true });
    const other = await openHost({ ...testFolders(), maxFileBytes: 3 });
    await expectCode(other.write('a', '1234'), 'file-too-large');
    const roomy = testFolders({ 'a.bin': copied });
    expect((await (await openHost({ ...roomy, maxFileBytes: 104_857_600 })).readBytes('a.bin')).length).toBe(
      104_857_600,
    );
  });

  it('refuses options out of range, and folders that are none', async () => {
    const folders = testFolders({ file: '' });
    await expectCode(openHost({ ...folders, maxFileBytes: -1 }), 'argument-invalid');
    await expectCode(openHost({ ...folders, root: '' }), 'argument-invalid');
    await expectCode(openHost({ ...folders, root: join(folders.root, 'absent') }), 'path-not-found');
    await expectCode(openHost({ ...folders, root: join(folders.root, 'file') }), 'path-not-directory');
    await expectCode(
      openHost({ ...folders, stateDirectory: join(folders.root, 'state') }),
      'argument-invalid',
    );
    expect(readdirSync(folders.root)).toEqual(['file']);
  });

  it('does not lose files that no path can name', async () => {
    const folders = testFolders({ 'folder/a': 'a' });
    writeFileSync(Buffer.concat([Buffer.from(`${folders.root}/folder/`), Buffer.from([0xff])]), 'x');
    writeFileSync(join(folders.root, 'folder', 'back\\slash'), 'x');
    const filesystem = await openHost(folders);
    expect((await filesystem.list('folder')).map(({ name }) => name)).toEqual(['a']);
    await filesystem.remove('folder/a');
    await expectCode(filesystem.remove('folder'), 'directory-not-empty');
    expect(readdirSync(join(folders.root, 'folder'))).toHaveLength(2);
    await expectCode(filesystem.remove('folder', { recursive: true }), 'path-excluded');
    await filesystem.move('folder', 'moved');
    expect(readdirSync(join(folders.root, 'moved'))).toHaveLength(2);
  });

  it('keeps the names of files being written for itself', async () => {
    const folders = testFolders({ '.wink-00000000-0000-0000-0000-000000000000-n0.tmp': 'x', a: 'a' });
    const filesystem = await openHost(folders);
    expect((await filesystem.list()).map(({ name }) => name)).toEqual(['a']);
    await expectCode(
      filesystem.write('.wink-00000000-0000-0000-0000-000000000000-n0.tmp', 'x'),
      'path-invalid',
    );
  });
});

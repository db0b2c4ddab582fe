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
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DiskContent } from '../../../src/node/host-filesystem/disk-content.ts';
import { HostOperations } from '../../../src/node/host-filesystem/host-operations.ts';
import { HostJail } from '../../../src/node/host-filesystem/jail.ts';
import { openWorkspace } from '../../../src/node/host-filesystem/open-workspace.ts';
import { expectCode, textOf } from '../../contract/filesystem-setup.ts';
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
    await fork.view.remove('fifo');
    fork.close();
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
    fork.close();
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
    // Somebody puts a file where a new one is to be, just before it gets there.
    let steps = 0;
    const { workspace, lock } = openWorkspace(folders, (moment) => {
      if (moment === 'step') steps += 1;
      if (moment === 'ready') writeFileSync(join(folders.root, 'zz'), 'theirs');
    });
    const { cell } = workspace.fork(workspace.look(), false);
    const operations = new HostOperations(cell, () => undefined);
    operations.remove('nested', true);
    operations.transfer('node_modules', 'modules', 'move');
    operations.write('.env', 'changed', undefined);
    operations.write('zz', 'new', undefined);
    await expectCode((async () => workspace.apply(cell.patch(), []))(), 'changed-on-disk');
    expect(steps).toBeGreaterThan(3);
    expect(readFileSync(join(folders.root, 'zz'), 'utf8')).toBe('theirs');
    workspace.close();
    lock.release();
    rmSync(join(folders.root, 'zz'));
    expect(stateOf(folders.root)).toEqual(before);
  });

  it('is what lies in a folder that is moved, whatever it is', async () => {
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

  it('is a write-protected file', async () => {
    const folders = testFolders({ a: 'kept' });
    chmodSync(join(folders.root, 'a'), 0o444);
    const filesystem = await openHost(folders);
    // Nothing is protected from the superuser.
    if (process.getuid?.() === 0) await filesystem.write('a', 'changed');
    else await expectCode(filesystem.write('a', 'changed'), 'permission-denied');
    expect(statSync(join(folders.root, 'a')).mode & 0o777).toBe(0o444);
  });
});

describe('what somebody else changes', () => {
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
    await expectCode(fork.view.read('notes.md'), 'changed-on-disk');
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
    await expectCode((async () => filesystem.apply(fork.patch()))(), 'changed-on-disk');
    expect(await textOf(filesystem, 'notes.md')).toBe('theirs');
    expect(await textOf(filesystem, 'folder/x')).toBe('theirs too');
    expect(await textOf(filesystem, 'new/file')).toBe('theirs as well');
  });

  it('is not overwritten when it happens while the new content is being written', async () => {
    const folders = testFolders(files);
    const { workspace, lock } = openWorkspace(folders, (moment) => {
      if (moment === 'stage') writeFileSync(join(folders.root, 'notes.md'), 'theirs');
    });
    const { cell } = workspace.fork(workspace.look(), false);
    new HostOperations(cell, () => undefined).write('notes.md', 'mine', undefined);
    await expectCode((async () => workspace.apply(cell.patch(), []))(), 'changed-on-disk');
    expect(readFileSync(join(folders.root, 'notes.md'), 'utf8')).toBe('theirs');
    expect(readdirSync(folders.root).sort()).toEqual(['folder', 'notes.md', 'src']);
    workspace.close();
    lock.release();
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
        visible: undefined,
        followsDisk: false,
      };
      const content = new DiskContent(context, ['notes.md'], lstatSync(path, { bigint: true }), false);
      expect(content.text()).toBe('note');
      return { content, isUnsettled: unsettled.has(content) };
    };
    expect(readAfter(60_000).isUnsettled).toBe(false);
    const { content, isUnsettled } = readAfter(1);
    expect(isUnsettled).toBe(true);
    expect(content.holds()).toBe(true);
    writeFileSync(path, 'nota');
    expect(content.holds()).toBe(false);
    jail.close();
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
      await expectCode(filesystem.read(path), 'outside-root');
      await expectCode(filesystem.readBytes(path), 'outside-root');
      await expectCode(filesystem.write(path, 'x'), 'outside-root');
      await expectCode(filesystem.edit(path, [{ oldText: 'a', newText: 'b' }]), 'outside-root');
      await expectCode(filesystem.copy(path, 'copy'), 'outside-root');
    }
    await expectCode(filesystem.read('folder/secret.txt'), 'not-a-directory');
    await expectCode(filesystem.write('folder/new.txt', 'x'), 'not-a-directory');
    await expectCode(filesystem.read('loop'), 'not-found');
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
    await expectCode(filesystem.read('fifo'), 'permission-denied');
    await expectCode(filesystem.write('fifo', 'x'), 'permission-denied');
    await expectCode(filesystem.copy('fifo', 'copy'), 'permission-denied');
    expect((await filesystem.grep('a')).matches).toHaveLength(1);
    const devices = await openHost({ ...testFolders(), root: '/dev' });
    await expectCode(devices.read('zero'), 'permission-denied');
    await expectCode(devices.readBytes('null'), 'permission-denied');
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
    await expectCode(fork.view.read('folder/a.txt'), 'changed-on-disk');
    await expect((async () => filesystem.apply(fork.patch()))()).rejects.toThrow(/folder/);
    expect(readdirSync(outside)).toEqual(['a.txt']);
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
    await expectCode(filesystem.read('large.bin'), 'too-large');
    await expectCode(filesystem.readBytes('large.bin'), 'too-large');
    await expectCode(filesystem.write('large.bin', 'x', { mode: 'append' }), 'too-large');
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
    await expectCode(other.write('a', '1234'), 'too-large');
    const roomy = testFolders({ 'a.bin': copied });
    expect((await (await openHost({ ...roomy, maxFileBytes: 104_857_600 })).readBytes('a.bin')).length).toBe(
      104_857_600,
    );
  });

  it('refuses options out of range, and folders that are none', async () => {
    const folders = testFolders({ file: '' });
    await expectCode(openHost({ ...folders, maxFileBytes: -1 }), 'invalid-argument');
    await expectCode(openHost({ ...folders, root: '' }), 'invalid-argument');
    await expectCode(openHost({ ...folders, root: join(folders.root, 'absent') }), 'not-found');
    await expectCode(openHost({ ...folders, root: join(folders.root, 'file') }), 'not-a-directory');
    await expectCode(
      openHost({ ...folders, stateDirectory: join(folders.root, 'state') }),
      'invalid-argument',
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
    await filesystem.remove('folder', { recursive: true });
    expect(readdirSync(folders.root)).toEqual([]);
  });

  it('keeps the names of files being written for itself', async () => {
    const folders = testFolders({ '.wink-00000000-0000-0000-0000-000000000000-n0.tmp': 'x', a: 'a' });
    const filesystem = await openHost(folders);
    expect((await filesystem.list()).map(({ name }) => name)).toEqual(['a']);
    await expectCode(
      filesystem.write('.wink-00000000-0000-0000-0000-000000000000-n0.tmp', 'x'),
      'invalid-path',
    );
  });
});

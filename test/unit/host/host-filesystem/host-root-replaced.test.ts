import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHostFilesystem, openStagedFolder, readFolder } from 'weakincentives/node';
import type { FileOperations } from '../../../../src/core/filesystem/index.ts';
import { hostOperations } from '../../../../src/host/host-filesystem/host-paths.ts';
import { openWorkspace } from '../../../../src/host/host-filesystem/open-workspace.ts';
import { openHost, type TestFolders, testFolders } from './host-workspace.ts';

const replaced = expect.objectContaining({
  name: 'FilesystemError',
  code: 'root-replaced',
  message: expect.stringContaining('no longer at its path'),
});

/** Renames the root, and puts another folder in its place. @returns where the first one is now. */
function replaceRoot({ root }: TestFolders): string {
  const moved = `${root}-moved`;
  renameSync(root, moved);
  mkdirSync(root);
  return moved;
}

describe('a root that was renamed and made anew', () => {
  it('takes no write and gives no read, and says so', async () => {
    const folders = testFolders({ 'a.md': 'a', 'dir/b.md': 'b' });
    const filesystem = await openHost(folders);
    const moved = replaceRoot(folders);
    writeFileSync(join(folders.root, 'a.md'), 'other');
    const attempts: (() => Promise<unknown>)[] = [
      () => filesystem.write('new.md', 'x'),
      () => filesystem.write('a.md', 'x'),
      () => filesystem.edit('a.md', [{ oldText: 'a', newText: 'x' }]),
      () => filesystem.mkdir('made'),
      () => filesystem.remove('dir', { recursive: true }),
      () => filesystem.move('dir', 'moved'),
      () => filesystem.copy('dir', 'copied'),
      () => filesystem.read('a.md'),
      () => filesystem.readBytes('a.md'),
      () => filesystem.stat('a.md'),
      () => filesystem.list(),
      () => filesystem.glob('**'),
      () => filesystem.grep('a'),
      () => filesystem.fork().view.read('a.md'),
      () => openStagedFolder(filesystem, { layer: 'copy' }),
      () => openStagedFolder(filesystem),
    ];
    for (const attempt of attempts) await expect(attempt()).rejects.toEqual(replaced);
    expect(() => filesystem.listSkipped()).toThrow(replaced);
    expect(readdirSync(moved)).toEqual(['a.md', 'dir']);
    expect(readdirSync(folders.root)).toEqual(['a.md']);
    // Back in its place, it is the same folder as before.
    rmSync(folders.root, { recursive: true });
    renameSync(moved, folders.root);
    await filesystem.write('new.md', 'x');
    expect(readFileSync(join(folders.root, 'new.md'), 'utf8')).toBe('x');
  });

  it.each(['removed', 'a file', 'a link to what it was'])('is refused when it is %s, too', async (kind) => {
    const folders = testFolders({ 'a.md': 'a' });
    const filesystem = await openHost(folders);
    const moved = replaceRoot(folders);
    rmSync(folders.root, { recursive: true });
    if (kind === 'a file') writeFileSync(folders.root, '');
    if (kind === 'a link to what it was') symlinkSync(moved, folders.root);
    await expect(filesystem.write('a.md', 'x')).rejects.toEqual(replaced);
    await expect(filesystem.read('a.md')).rejects.toEqual(replaced);
    expect(readFileSync(join(moved, 'a.md'), 'utf8')).toBe('a');
  });

  it('is refused when a folder above it is renamed', async () => {
    const folders = testFolders();
    const root = join(folders.root, 'above/inner');
    mkdirSync(root, { recursive: true });
    const filesystem = await openHost({ ...folders, root });
    renameSync(join(folders.root, 'above'), join(folders.root, 'elsewhere'));
    await expect(filesystem.write('a.md', 'x')).rejects.toEqual(replaced);
    writeFileSync(join(folders.root, 'above'), 'a file');
    await expect(filesystem.write('a.md', 'x')).rejects.toEqual(replaced);
    expect(readdirSync(join(folders.root, 'elsewhere/inner'))).toEqual([]);
  });

  it('does not take the commit of a fork that had seen everything before', async () => {
    const folders = testFolders({ 'a.md': 'a' });
    const filesystem = await openHost(folders);
    const fork = filesystem.fork();
    await fork.view.glob('**');
    await fork.view.edit('a.md', [{ oldText: 'a', newText: 'b' }]);
    const moved = replaceRoot(folders);
    expect(() => filesystem.apply(fork.patch())).toThrow(replaced);
    expect(readFileSync(join(moved, 'a.md'), 'utf8')).toBe('a');
    expect(readdirSync(folders.root)).toEqual([]);
    await expect(openStagedFolder(fork.view, { layer: 'copy' })).rejects.toEqual(replaced);
  });

  it('does not take a restore', async () => {
    const folders = testFolders({ 'a.md': 'a' });
    const filesystem = await openHost(folders);
    const before = await filesystem.snapshot();
    await filesystem.write('a.md', 'b');
    const moved = replaceRoot(folders);
    await expect(filesystem.restore(before)).rejects.toEqual(replaced);
    expect(readFileSync(join(moved, 'a.md'), 'utf8')).toBe('b');
  });

  it.each(['flush', 'never'] as const)('is refused with writeOn %s', async (writeOn) => {
    const folders = testFolders({ 'a.md': 'a' });
    const filesystem = await openHost({ ...folders, writeOn });
    await filesystem.write('a.md', 'b');
    const moved = replaceRoot(folders);
    await expect(filesystem.write('c.md', 'c')).rejects.toEqual(replaced);
    await expect(filesystem.read('b.md')).rejects.toEqual(replaced);
    expect(() => filesystem.flush()).toThrow(replaced);
    expect(readFileSync(join(moved, 'a.md'), 'utf8')).toBe('a');
    expect(readdirSync(folders.root)).toEqual([]);
  });

  it.each(['stage', 'ready', 'step', 'do', 'done'])(
    'gets back what a commit had done when it is replaced at the moment "%s"',
    (replacedAt) => {
      const folders = testFolders({ 'a.md': 'a', 'dir/b.md': 'b' });
      let moved: string | undefined;
      const { workspace, lock } = openWorkspace(folders, (failpoint) => {
        if (failpoint === replacedAt) moved ??= replaceRoot(folders);
      });
      const { cell } = workspace.fork(workspace.takeSnapshot(), false);
      const operations = hostOperations(cell);
      operations.edit('a.md', [{ oldText: 'a', newText: 'x' }]);
      operations.remove('dir', true);
      operations.write('made/new.md', 'new', undefined);
      expect(() => workspace.apply(cell.patch())).toThrow(replaced);
      expect(readdirSync(String(moved), { recursive: true })).toEqual(['a.md', 'dir', 'dir/b.md']);
      expect(readFileSync(join(String(moved), 'a.md'), 'utf8')).toBe('a');
      expect(readdirSync(folders.root)).toEqual([]);
      workspace.dispose();
      lock.dispose();
    },
  );
});

describe('a commit that was interrupted before the root was replaced', () => {
  /**
   * Leaves the journal of a commit as it is right before the end of that, as a process that is killed does. The folder itself
   * is as it was before.
   * @returns where it puts what it takes away.
   */
  function leaveJournal(folders: TestFolders, change: (operations: FileOperations) => void): string {
    let [path, text] = ['', ''];
    const { workspace, lock } = openWorkspace(folders, (failpoint) => {
      if (failpoint !== 'done') return;
      const names = readdirSync(folders.stateDirectory, { recursive: true }).map(String);
      path = join(folders.stateDirectory, names.find((name) => name.includes('commit-')) ?? '');
      text = readFileSync(path, 'utf8');
      throw new Error('ended');
    });
    const { cell } = workspace.fork(workspace.takeSnapshot(), false);
    change(hostOperations(cell));
    expect(() => workspace.apply(cell.patch())).toThrow('ended');
    workspace.dispose();
    lock.dispose();
    writeFileSync(path, text);
    return /"trash":"([^"]*)"/.exec(text)?.[1] ?? '';
  }

  it('is undone in its own folder alone', async () => {
    const folders = testFolders({ 'a.md': 'a' });
    leaveJournal(folders, (operations) => operations.mkdir('made'));
    mkdirSync(join(folders.root, 'made'));
    const moved = replaceRoot(folders);
    mkdirSync(join(folders.root, 'made'));
    const other = await openHostFilesystem(folders);
    expect(other.interruptedCommits).toEqual([{ outcome: 'left', paths: ['made'] }]);
    expect(readdirSync(folders.root)).toEqual(['made']);
    // The folder in its place is one to work on.
    await other.write('b.md', 'b');
    await other[Symbol.asyncDispose]();
    rmSync(folders.root, { recursive: true });
    renameSync(moved, folders.root);
    const own = await openHost(folders);
    expect(own.interruptedCommits).toEqual([{ outcome: 'restored', paths: ['made'] }]);
    expect(readdirSync(folders.root)).toEqual(['a.md']);
  });

  it('is undone in a copy of its folder, which holds what the commit was writing', async () => {
    const folders = testFolders({ 'a.md': 'a' });
    const trash = leaveJournal(folders, (operations) => operations.remove('a.md', false));
    const moved = replaceRoot(folders);
    renameSync(join(moved, 'a.md'), join(folders.root, trash));
    const filesystem = await openHost(folders);
    expect(filesystem.interruptedCommits).toEqual([{ outcome: 'restored', paths: ['a.md'] }]);
    expect(readFileSync(join(folders.root, 'a.md'), 'utf8')).toBe('a');
  });
});

describe('a staged folder that was replaced', () => {
  it.each(['copy', 'auto'] as const)('starts no command and is not collected (%s)', async (layer) => {
    const folders = testFolders({ 'a.md': 'a' });
    const filesystem = await openHost(folders);
    await using staged = await openStagedFolder(filesystem, { layer });
    if (staged.kind === 'overlay') return;
    renameSync(staged.path, `${staged.path}-moved`);
    mkdirSync(staged.path);
    await expect(staged.run('touch', ['started'])).rejects.toMatchObject({
      code: 'path-not-found',
      message: expect.stringContaining('replaced'),
    });
    expect(readdirSync(staged.path)).toEqual([]);
    await expect(staged.collect()).rejects.toMatchObject({ code: 'path-not-found' });
    rmSync(staged.path, { recursive: true });
    await expect(staged.run('touch', ['started'])).rejects.toMatchObject({ code: 'path-not-found' });
  });
});

it('a folder that is replaced while it is mounted is refused', async () => {
  const folders = testFolders({ 'a.md': 'a', 'dir/b.md': 'b' });
  const controller = new AbortController();
  let asked = 0;
  // Asked for between the directories, so that the folder goes away in the middle.
  Object.defineProperty(controller.signal, 'throwIfAborted', {
    value: () => {
      asked += 1;
      if (asked === 3) replaceRoot(folders);
    },
  });
  const mounting = readFolder({
    hostPath: folders.root,
    allowedRoots: [join(folders.root, '..')],
    signal: controller.signal,
  });
  await expect(mounting).rejects.toMatchObject({ code: 'root-replaced' });
});

import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStagedFolder } from 'weakincentives/node';
import { hostOperations } from '../../../../src/host/host-filesystem/host-paths.ts';
import { openWorkspace } from '../../../../src/host/host-filesystem/open-workspace.ts';
import { asOrdinaryUser } from '../../../support/ordinary-user.ts';
import { type RawEntry, rawPath, rawTree } from '../../../support/raw-tree.ts';
import { openHost, type TestFolders, testFolders } from './host-workspace.ts';

/** A folder `a` with what paths can and cannot name, at two depths, beside others. */
function oddFolders(): TestFolders {
  const folders = testFolders({
    'a/seen.txt': 'seen',
    'a/sub/deep.txt': 'deep',
    'b.txt': 'b',
    'c/d.txt': 'd',
  });
  for (const folder of ['a', 'a/sub']) {
    const at = join(folders.root, folder);
    writeFileSync(join(at, 'back\\slash'), 'one');
    writeFileSync(rawPath(at, 'latin-\xe9'), 'two');
    symlinkSync(rawPath('..', 'nowhere-\xfc'), join(at, 'bytes'));
    execFileSync('mkfifo', [join(at, 'pipe')]);
  }
  return folders;
}

/** The tree with one path prefix in the place of another. */
function moved(
  tree: ReadonlyMap<string, RawEntry>,
  ...moves: readonly (readonly [from: string, to: string])[]
): ReadonlyMap<string, RawEntry> {
  const result = new Map<string, RawEntry>();
  for (const [path, entry] of tree) {
    const move = moves.find(([from]) => path === from || path.startsWith(`${from}/`));
    result.set(move === undefined ? path : `${move[1]}${path.slice(move[0].length)}`, entry);
  }
  return result;
}

/** By path, without what a copy of a file or link cannot keep. */
function sorted(tree: ReadonlyMap<string, RawEntry>): object {
  return Object.fromEntries(
    [...tree]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([path, { kind, inode, content }]) => {
        // A link is made anew where it is moved by itself.
        return [path, kind === 'link' ? `${kind} ${content}` : `${kind} ${inode} ${content}`];
      }),
  );
}

describe('what no path can name', () => {
  it('moves with its folder, and comes back with a snapshot', async () => {
    const folders = oddFolders();
    const before = rawTree(folders.root);
    const filesystem = await openHost(folders);
    await using start = await filesystem.snapshot();
    await filesystem.move('a', 'new/place');
    const made = new Map(rawTree(folders.root));
    made.delete('new');
    expect(sorted(made)).toEqual(sorted(moved(before, ['a', 'new/place'])));
    await filesystem.restore(start);
    expect(sorted(rawTree(folders.root))).toEqual(sorted(before));
  });

  it('moves with its folder also where something else in it is changed in the same call', async () => {
    const folders = oddFolders();
    const before = rawTree(folders.root);
    const filesystem = await openHost(folders);
    await using start = await filesystem.snapshot();
    const fork = filesystem.fork();
    await fork.view.move('a', 'moved');
    await fork.view.write('moved/seen.txt', 'changed');
    await fork.view.write('moved/sub/new.txt', 'new');
    await fork.view.remove('moved/sub/deep.txt');
    filesystem.apply(fork.patch());
    const expected = new Map(moved(before, ['a', 'moved']));
    const after = new Map(rawTree(folders.root));
    expect(after.get('moved/seen.txt')?.content).toBe(Buffer.from('changed').toString('hex'));
    expect(after.get('moved/sub/new.txt')?.kind).toBe('file');
    for (const path of ['moved/seen.txt', 'moved/sub/deep.txt']) expected.delete(path);
    for (const path of ['moved/seen.txt', 'moved/sub/new.txt']) after.delete(path);
    expect(sorted(after)).toEqual(sorted(expected));
    await filesystem.restore(start);
    const back = new Map(rawTree(folders.root));
    expect(back.get('a/seen.txt')?.content).toBe(Buffer.from('seen').toString('hex'));
    expect(back.get('a/sub/deep.txt')?.content).toBe(Buffer.from('deep').toString('hex'));
    const rest = new Map(before);
    for (const path of ['a/seen.txt', 'a/sub/deep.txt']) {
      back.delete(path);
      rest.delete(path);
    }
    expect(sorted(back)).toEqual(sorted(rest));
  });

  it('moves with each folder where folders are moved out of folders that are moved', async () => {
    const folders = oddFolders();
    const before = rawTree(folders.root);
    const filesystem = await openHost(folders);
    await using start = await filesystem.snapshot();
    const fork = filesystem.fork();
    await fork.view.move('a/sub', 'c/sub');
    await fork.view.move('a', 'c/sub/a');
    filesystem.apply(fork.patch());
    expect(sorted(rawTree(folders.root))).toEqual(
      sorted(moved(before, ['a/sub', 'c/sub'], ['a', 'c/sub/a'])),
    );
    await filesystem.restore(start);
    expect(sorted(rawTree(folders.root))).toEqual(sorted(before));
  });

  it('comes back from a folder that was made since', async () => {
    const folders = oddFolders();
    const before = rawTree(folders.root);
    const filesystem = await openHost(folders);
    await using start = await filesystem.snapshot();
    await filesystem.write('made/x.txt', 'x');
    await filesystem.move('a/sub', 'made/inner/sub');
    await filesystem.move('a/pipe', 'made/pipe');
    await filesystem.restore(start);
    expect(sorted(rawTree(folders.root))).toEqual(sorted(before));
  });

  it.each(['a', 'a/sub', 'a/pipe'])('is not removed: %s', async (path) => {
    const folders = oddFolders();
    const before = rawTree(folders.root);
    const filesystem = await openHost(folders);
    await expect(filesystem.remove(path, { recursive: true })).rejects.toMatchObject({
      code: 'path-excluded',
    });
    await expect(filesystem.remove(path)).rejects.toMatchObject({ name: 'FilesystemError' });
    const fork = filesystem.fork();
    await expect(fork.view.remove(path, { recursive: true })).rejects.toMatchObject({
      code: 'path-excluded',
    });
    expect(sorted(rawTree(folders.root))).toEqual(sorted(before));
  });

  it('is named by the refusal', async () => {
    const folders = testFolders({ 'a/b/seen.txt': '' });
    writeFileSync(join(folders.root, 'a/b/back\\slash\x1b'), '');
    const filesystem = await openHost(folders);
    await expect(filesystem.remove('a', { recursive: true })).rejects.toThrow(
      /"a\/b" contains .*"back\\\\slash\\u001b"/,
    );
    await expect(filesystem.copy('a', 'copy')).rejects.toMatchObject({ code: 'path-excluded' });
    await expect(filesystem.remove('a/b')).rejects.toMatchObject({ code: 'directory-not-empty' });
    expect(readdirSync(folders.root)).toEqual(['a']);
  });

  it('keeps the folder that a process has removed from a staged one', async () => {
    for (const layer of ['copy', 'auto'] as const) {
      const folders = testFolders({ 'a/sub/seen.txt': 'seen', 'b.txt': 'b' });
      writeFileSync(rawPath(join(folders.root, 'a/sub'), 'latin-\xe9'), 'two');
      const filesystem = await openHost(folders);
      await using staged = await openStagedFolder(filesystem, { layer });
      expect(staged.leftOut).toEqual(['a/sub/latin-\ufffd']);
      await staged.run('rm', ['-r', 'a']);
      expect((await staged.collect()).removed).toContain('a/sub/seen.txt');
      expect([...rawTree(folders.root).keys()].sort()).toEqual(['a', 'a/sub', 'a/sub/latin-\xe9', 'b.txt']);
    }
  });
});

it('is as it was wherever a commit that moves and changes folders fails', () => {
  for (let failing = 0; failing < 60; failing += 1) {
    const folders = oddFolders();
    const before = sorted(rawTree(folders.root));
    let index = 0;
    const { workspace, lock } = openWorkspace(folders, (name) => {
      if (index === failing && name !== 'clear' && name !== 'remove-journal')
        throw Object.assign(new Error('full'), { code: 'ENOSPC', syscall: 'write' });
      index += 1;
    });
    const { cell } = workspace.fork(workspace.takeSnapshot(), false);
    const operations = hostOperations(cell);
    operations.transfer('a/sub', 'c/sub', 'move');
    operations.transfer('a', 'c/sub/a', 'move');
    operations.write('c/sub/a/seen.txt', 'changed', undefined);
    operations.write('c/sub/deep.txt', 'changed', undefined);
    operations.remove('b.txt', false);
    let isDone = false;
    try {
      workspace.apply(cell.patch());
      isDone = true;
    } catch (error) {
      expect(error).toMatchObject({ name: 'FilesystemError', code: 'filesystem-storage-failed' });
      expect(sorted(rawTree(folders.root)), `failed at ${failing}`).toEqual(before);
    }
    workspace.dispose();
    lock.dispose();
    if (isDone) {
      expect(failing).toBeGreaterThan(15);
      return;
    }
  }
  expect.unreachable('the commit never ended');
});

it('an unreadable file that a snapshot holds is not removed', async () => {
  const folders = testFolders({ 'a/closed.txt': 'closed', 'a/open.txt': 'open' });
  chmodSync(join(folders.root, 'a/closed.txt'), 0);
  await asOrdinaryUser(join(folders.root, '..'), async () => {
    const filesystem = await openHost(folders);
    {
      await using _start = await filesystem.snapshot();
      await expect(filesystem.remove('a', { recursive: true })).rejects.toMatchObject({
        code: 'path-forbidden',
        message: expect.stringContaining('could not be restored'),
      });
      expect(readdirSync(join(folders.root, 'a'))).toEqual(['closed.txt', 'open.txt']);
    }
    await filesystem[Symbol.asyncDispose]();
  });
});

describe('a link target that is not UTF-8', () => {
  it('comes back byte for byte, and stays when the link is moved', async () => {
    const folders = testFolders({ 'x.txt': 'x' });
    symlinkSync(rawPath('d', '\xff\xfe'), join(folders.root, 'link'));
    const text = rawTree(folders.root).get('link')?.content;
    const filesystem = await openHost(folders);
    await using start = await filesystem.snapshot();
    await filesystem.move('link', 'moved');
    expect(rawTree(folders.root).get('moved')?.content).toBe(text);
    await filesystem.remove('moved');
    await filesystem.restore(start);
    expect(rawTree(folders.root).get('link')?.content).toBe(text);
  });
});

describe('what is put into a folder while it is removed', () => {
  it.each(['stage', 'ready', 'step', 'do', 'done'])('is not lost at the moment "%s"', (at) => {
    const folders = testFolders({ 'a/seen.txt': 'seen', 'b.txt': 'b' });
    let isPut = false;
    const { workspace, lock } = openWorkspace(folders, (failpoint) => {
      if (failpoint !== at || isPut) return;
      isPut = true;
      const [name = ''] = readdirSync(folders.root).filter((one) => one === 'a' || one.includes('-t'));
      writeFileSync(rawPath(join(folders.root, name), 'late-\xe9'), 'late');
      writeFileSync(join(folders.root, name, 'late.txt'), 'late');
    });
    const { cell } = workspace.fork(workspace.takeSnapshot(), false);
    const operations = hostOperations(cell);
    operations.remove('a', true);
    operations.write('b.txt', 'new', undefined);
    expect(() => workspace.apply(cell.patch())).toThrow(
      expect.objectContaining({ code: 'file-changed-on-disk' }),
    );
    expect([...rawTree(folders.root).keys()].sort()).toEqual([
      'a',
      'a/late-\xe9',
      'a/late.txt',
      'a/seen.txt',
      'b.txt',
    ]);
    workspace.dispose();
    lock.dispose();
  });

  it('is not lost by a restore either', async () => {
    const folders = testFolders({ 'b.txt': 'b' });
    const filesystem = await openHost(folders);
    await using start = await filesystem.snapshot();
    await filesystem.write('made/own.txt', 'own');
    await filesystem.restore(start);
    expect(readdirSync(folders.root)).toEqual(['b.txt']);
    await filesystem.write('made/own.txt', 'own');
    writeFileSync(join(folders.root, 'made/theirs.txt'), 'theirs');
    await expect(filesystem.restore(start)).rejects.toMatchObject({ code: 'file-changed-on-disk' });
    expect(readdirSync(join(folders.root, 'made'))).toEqual(['own.txt', 'theirs.txt']);
  });
});

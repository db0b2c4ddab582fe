import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { removeTree } from '../../../../src/host/disk/remove-tree.ts';
import { makeDeepTree } from '../../../support/deep-tree.ts';
import { asOrdinaryUser } from '../../../support/ordinary-user.ts';
import { tempFolder } from '../temp-folder.ts';

const isSuperuser = process.getuid?.() === 0;

describe.each([process.platform === 'linux', false])('removeTree(), byHandle %s', (byHandle) => {
  it.each([
    ['4,000 levels', 4_000, 'n'],
    ['paths longer than a system takes', 60, 'n'.repeat(255)],
  ])('removes %s, and the mark', async (_title, levels, name) => {
    const folder = tempFolder();
    onTestFinished(() => void execFileSync('rm', ['-rf', folder]));
    const tree = join(folder, 'tree');
    mkdirSync(tree);
    makeDeepTree(tree, levels, name);
    writeFileSync(join(tree, 'mark'), '');
    await removeTree(tree, { last: 'mark', byHandle });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('removes names of any bytes, links themselves, fifos, and files that are write-protected', async () => {
    const folder = tempFolder({ 'tree/a/b/c.txt': 'c', 'tree/d/e.txt': 'e', 'outside/kept.txt': 'kept' });
    const tree = join(folder, 'tree');
    if (process.platform === 'linux') {
      mkdirSync(Buffer.concat([Buffer.from(`${tree}/`), Buffer.from([0xff, 0xfe])]));
      writeFileSync(
        Buffer.concat([Buffer.from(`${tree}/`), Buffer.from([0xff, 0xfe]), Buffer.from('/\xff', 'latin1')]),
        '',
      );
    }
    execFileSync('mkfifo', [join(tree, 'fifo')]);
    symlinkSync(join(folder, 'outside'), join(tree, 'a/link'));
    symlinkSync('nowhere', join(tree, 'a/b/broken'));
    chmodSync(join(tree, 'a/b/c.txt'), 0o400);
    await removeTree(tree, { byHandle });
    expect(readdirSync(folder)).toEqual(['outside']);
    expect(readdirSync(join(folder, 'outside'))).toEqual(['kept.txt']);
  });

  it('removes directories that are closed to their owner, at any depth', async () => {
    const paths = ['none/x', 'read/x', 'search/x', 'write/x', 'none/in/none/x'];
    const folder = tempFolder(Object.fromEntries(paths.map((path) => [`tree/${path}`, 'x'])));
    const tree = join(folder, 'tree');
    makeDeepTree(tree, 40, 'n');
    let deep = join(tree, 'inner');
    const closed: string[] = [];
    for (let level = 1; level < 40; level += 1) {
      closed.push(deep);
      deep = join(deep, 'n');
    }
    await asOrdinaryUser(folder, async () => {
      for (const path of [deep, ...closed.reverse(), join(tree, 'none/in/none'), join(tree, 'none')])
        chmodSync(path, 0);
      for (const [name, mode] of [
        ['read', 0o400],
        ['search', 0o100],
        ['write', 0o200],
      ] as const)
        chmodSync(join(tree, name), mode);
      await removeTree(tree, { byHandle });
    });
    expect(existsSync(tree)).toBe(false);
  });

  it.runIf(isSuperuser)('keeps the mark, and says why, when something cannot be removed', async () => {
    const folder = tempFolder({ 'tree/mark': '', 'tree/theirs/x': 'x' });
    const tree = join(folder, 'tree');
    await asOrdinaryUser(folder, async () => {
      process.seteuid?.(0);
      execFileSync('chown', ['-R', '0:0', join(tree, 'theirs')]);
      process.seteuid?.(65_534);
      await expect(removeTree(tree, { last: 'mark', byHandle })).rejects.toMatchObject({ code: 'EPERM' });
    });
    expect(readdirSync(tree)).toEqual(['mark', 'theirs']);
  });

  it('takes a folder that is missing, and something else in its place', async () => {
    const folder = tempFolder({ 'outside/kept.txt': 'kept' });
    await removeTree(join(folder, 'missing'), { last: 'mark', byHandle });
    symlinkSync('outside', join(folder, 'link'));
    await removeTree(join(folder, 'link'), { byHandle });
    expect(readdirSync(folder)).toEqual(['outside']);
    expect(readdirSync(join(folder, 'outside'))).toEqual(['kept.txt']);
  });

  it('lets two processes remove the same folder', async () => {
    const folder = tempFolder();
    const tree = join(folder, 'tree');
    mkdirSync(tree);
    makeDeepTree(tree, 100, 'n');
    for (let index = 0; index < 300; index += 1) writeFileSync(join(tree, `${index}`), '');
    await Promise.all([removeTree(tree, { byHandle }), removeTree(tree, { byHandle })]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('lets several find directories that another one has just removed', async () => {
    const folder = tempFolder();
    // About half of the removals met such a directory when this was not allowed for.
    for (let round = 0; round < 20; round += 1) {
      const tree = join(folder, 'tree');
      for (let level = 0; level < 12; level += 1) {
        const path = join(tree, ...Array.from({ length: level }, () => 'n'));
        for (let index = 0; index < 4; index += 1) mkdirSync(join(path, `${index}`), { recursive: true });
      }
      await Promise.all([1, 2, 3].map(() => removeTree(tree, { byHandle })));
      expect(readdirSync(folder)).toEqual([]);
    }
  });
});

it.runIf(!isSuperuser)('what cannot be removed is not tested: this process is not the superuser', () => {
  expect(isSuperuser).toBe(false);
});

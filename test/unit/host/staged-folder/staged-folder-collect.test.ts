import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MemoryFilesystem } from 'weakincentives';
import { openStagedFolder } from 'weakincentives/node';
import { contentOf, expectCode } from '../../../contract/filesystem-setup.ts';
import { asOrdinaryUser } from '../../../support/ordinary-user.ts';
import { passTick, tempFolder } from '../temp-folder.ts';
import { changesOf, files, nothing, runIn, stage } from './staged-memory.ts';

describe('collect', () => {
  it('finds nothing when nothing was done', async () => {
    const { filesystem, staged } = await stage();
    const before = await filesystem.snapshot();
    expect(await staged.collect()).toEqual({
      ...nothing,
      permissions: [],
      skipped: [],
      skippedCount: 0,
      complete: true,
    });
    expect(filesystem.changesSince(before)).toEqual([]);
  });

  it('takes back what a process edits, creates, removes and renames', async () => {
    const { filesystem, staged } = await stage();
    runIn(
      staged,
      `import fs from 'node:fs';
       fs.appendFileSync('a.txt', 'more\\n');
       fs.mkdirSync('new/empty', { recursive: true });
       fs.writeFileSync('new/file', Buffer.from([1, 0, 254]));
       fs.renameSync('docs/b.md', 'moved.md');
       fs.rmSync('docs/deep', { recursive: true });`,
    );
    expect(await staged.collect()).toEqual({
      created: ['moved.md', 'new', 'new/empty', 'new/file'],
      modified: ['a.txt'],
      removed: ['docs/b.md', 'docs/deep', 'docs/deep/c.bin'],
      permissions: [],
      skipped: [],
      skippedCount: 0,
      complete: true,
    });
    expect(await contentOf(filesystem)).toEqual({
      'a.txt': 'one\nmore\n',
      'docs/': '',
      'moved.md': 'two\n',
      'new/': '',
      'new/empty/': '',
      'new/file': '\u0001\0\u00fe',
    });
  });

  it('takes back a file that became a folder, and a folder that became a file', async () => {
    const { filesystem, staged } = await stage();
    runIn(
      staged,
      `import fs from 'node:fs';
       fs.rmSync('a.txt'); fs.mkdirSync('a.txt'); fs.writeFileSync('a.txt/inner', 'x');
       fs.rmSync('docs', { recursive: true }); fs.writeFileSync('docs', 'a file now');`,
    );
    expect(changesOf(await staged.collect())).toEqual({
      created: ['a.txt', 'a.txt/inner', 'docs'],
      modified: [],
      removed: ['a.txt', 'docs', 'docs/b.md', 'docs/deep', 'docs/deep/c.bin'],
    });
    expect(await contentOf(filesystem)).toEqual({ 'a.txt/': '', 'a.txt/inner': 'x', docs: 'a file now' });
  });

  it('does not count what leaves the content as it was', async () => {
    const { filesystem, staged, at } = await stage();
    const before = await filesystem.snapshot();
    runIn(
      staged,
      `import fs from 'node:fs';
       fs.utimesSync('a.txt', 1, 1); fs.chmodSync('docs/b.md', 0o755);
       fs.rmSync('docs/deep/c.bin'); fs.writeFileSync('docs/deep/c.bin', Buffer.from([0, 255, 10]));`,
    );
    expect(statSync(at('docs/b.md')).mode & 0o777).toBe(0o755);
    const report = await staged.collect();
    expect(changesOf(report)).toEqual(nothing);
    expect(report.permissions).toEqual(['docs/b.md']);
    expect(filesystem.changesSince(before)).toEqual([]);
  });

  it('sees an edit that keeps size and modification time', async () => {
    const { filesystem, staged, tempRoot, at } = await stage();
    const { atime, mtime } = statSync(at('a.txt'));
    passTick(at('a.txt'), tempRoot);
    writeFileSync(at('a.txt'), 'ONE\n');
    utimesSync(at('a.txt'), atime, mtime);
    expect(changesOf(await staged.collect())).toEqual({ ...nothing, modified: ['a.txt'] });
    expect((await filesystem.read('a.txt')).text).toBe('ONE\n');
  });

  it('does not trust the stamp of a file that was written a moment ago', async () => {
    const filesystem = new MemoryFilesystem({ files: { a: '1' } });
    const { staged, at } = await stage({ filesystem });
    // So quick after each other that the times of the disk need not differ.
    for (let round = 2; round < 10; round += 1) {
      writeFileSync(at('a'), String(round));
      expect(changesOf(await staged.collect())).toEqual({ ...nothing, modified: ['a'] });
      expect((await filesystem.read('a')).text).toBe(String(round));
    }
  });

  it('reports links, fifos and names it cannot have, follows none, and keeps the existing files', async () => {
    const { filesystem, staged, at } = await stage();
    const outside = tempFolder({ secret: 'secret', 'folder/inner': 'x' });
    rmSync(at('a.txt'));
    symlinkSync(join(outside, 'secret'), at('a.txt'));
    rmSync(at('docs'), { recursive: true });
    symlinkSync(join(outside, 'folder'), at('docs'));
    symlinkSync('/', at('root'));
    execFileSync('mkfifo', [at('pipe')]);
    writeFileSync(at('back\\slash'), 'x');
    writeFileSync(Buffer.concat([Buffer.from(at('bad-')), Buffer.from([0xff])]), 'x');
    writeFileSync(at('new'), 'x');
    const report = await staged.collect();
    expect(report).toMatchObject({
      created: ['new'],
      modified: [],
      removed: [],
      complete: false,
      skippedCount: 6,
    });
    expect(report.skipped).toEqual([
      { path: 'a.txt', reason: 'symlink' },
      { path: 'back\\slash', reason: 'name-not-allowed' },
      { path: 'bad-\ufffd', reason: 'name-not-allowed' },
      { path: 'docs', reason: 'symlink' },
      { path: 'pipe', reason: 'special-file' },
      { path: 'root', reason: 'symlink' },
    ]);
    expect(await contentOf(filesystem)).toEqual({
      'a.txt': 'one\n',
      'docs/': '',
      'docs/b.md': 'two\n',
      'docs/deep/': '',
      'docs/deep/c.bin': '\0\u00ff\n',
      new: 'x',
    });
    // The links were removed again: now the files are really gone.
    rmSync(at('a.txt'));
    rmSync(at('docs'));
    expect(changesOf(await staged.collect())).toEqual({
      ...nothing,
      removed: ['a.txt', 'docs', 'docs/b.md', 'docs/deep', 'docs/deep/c.bin'],
    });
    expect(readFileSync(join(outside, 'folder/inner'), 'utf8')).toBe('x');
  });

  it('reports what may not be read, and removes it all the same', async () => {
    const tempRoot = tempFolder();
    await asOrdinaryUser(tempRoot, async () => {
      const filesystem = new MemoryFilesystem({ files });
      const staged = await openStagedFolder(filesystem, { tempRoot });
      const at = (path: string): string => join(staged.path, path);
      writeFileSync(at('new'), 'x');
      chmodSync(at('new'), 0o000);
      chmodSync(at('a.txt'), 0o000);
      chmodSync(at('docs/deep'), 0o000);
      chmodSync(at('docs'), 0o500);
      const report = await staged.collect();
      expect(changesOf(report)).toEqual(nothing);
      expect(report.skipped).toEqual(
        ['a.txt', 'docs/deep', 'new'].map((path) => ({ path, reason: 'unreadable' })),
      );
      expect((await filesystem.readBytes('docs/deep/c.bin')).length).toBe(3);
      await staged[Symbol.asyncDispose]();
    });
    expect(readdirSync(tempRoot)).toEqual([]);
  });

  it.each([
    ['file-too-large', { maxFileBytes: 4 }, (at: string) => truncateSync(at, 5)],
    ['file-too-large', {}, (at: string) => truncateSync(at, 2 ** 40)],
    ['filesystem-quota-exceeded', { maxBytes: 11 }, (at: string) => truncateSync(at, 12)],
  ] as const)('refuses with %s for %j, and takes nothing', async (code, options, grow) => {
    const { filesystem, staged, at } = await stage(options);
    const before = await contentOf(filesystem);
    writeFileSync(at('aaa'), 'x');
    grow(at('a.txt'));
    await expectCode(staged.collect(), code);
    expect(await contentOf(filesystem)).toEqual(before);
  });

  it('refuses more entries than allowed, of any kind', async () => {
    const { filesystem, staged, at } = await stage({ maxEntries: 6 });
    symlinkSync('a.txt', at('docs/link'));
    expect((await staged.collect()).skippedCount).toBe(1);
    symlinkSync('a.txt', at('docs/another'));
    writeFileSync(at('a.txt'), 'changed');
    await expectCode(staged.collect(), 'filesystem-quota-exceeded');
    expect((await filesystem.read('a.txt')).text).toBe('one\n');
  });

  it('takes nothing when the file system cannot take everything', async () => {
    const filesystem = new MemoryFilesystem({ files, maxFiles: 3 });
    const { staged, at } = await stage({ filesystem });
    const before = await contentOf(filesystem);
    rmSync(at('a.txt'));
    for (const name of ['x', 'y']) writeFileSync(at(name), name);
    await expectCode(staged.collect(), 'filesystem-quota-exceeded');
    expect(await contentOf(filesystem)).toEqual(before);
    rmSync(at('y'));
    expect(changesOf(await staged.collect())).toEqual({ created: ['x'], modified: [], removed: ['a.txt'] });
  });

  it.each([
    ['edited on both sides', 'a.txt', 'ours', 'theirs'],
    ['edited here and removed there', 'a.txt', 'ours', undefined],
    ['removed here and edited there', 'a.txt', undefined, 'theirs'],
    ['created on both sides', 'new', 'ours', 'theirs'],
  ])('refuses a file that was %s', async (_what, path, ours, theirs) => {
    const { filesystem, staged, at } = await stage();
    if (ours === undefined) await filesystem.remove(path);
    else await filesystem.write(path, ours);
    if (theirs === undefined) rmSync(at(path));
    else writeFileSync(at(path), theirs);
    writeFileSync(at('docs/b.md'), 'changed');
    const before = await contentOf(filesystem);
    expect(await expectCode(staged.collect(), 'file-changed-on-disk')).toContain(`"${path}"`);
    expect(await contentOf(filesystem)).toEqual(before);
  });

  it('does not mind the same change on both sides, nor changes of other files', async () => {
    const { filesystem, staged, at } = await stage();
    await filesystem.write('a.txt', 'same');
    writeFileSync(at('a.txt'), 'same');
    await filesystem.remove('docs/b.md');
    rmSync(at('docs/b.md'));
    await filesystem.write('mine', 'x');
    await filesystem.write('docs/deep/mine', 'y');
    rmSync(at('docs/deep'), { recursive: true });
    await staged.collect();
    expect(await contentOf(filesystem)).toEqual({
      'a.txt': 'same',
      'docs/': '',
      'docs/deep/': '',
      'docs/deep/mine': 'y',
      mine: 'x',
    });
  });

  it('collects again what has changed since', async () => {
    const { filesystem, staged, at } = await stage();
    writeFileSync(at('new'), '1');
    await Promise.all([staged.collect(), staged.collect()]);
    writeFileSync(at('new'), '2');
    rmSync(at('a.txt'));
    expect(changesOf(await staged.collect())).toEqual({ created: [], modified: ['new'], removed: ['a.txt'] });
    await filesystem.write('a.txt', 'back');
    rmSync(at('new'));
    expect(changesOf(await staged.collect())).toEqual({ ...nothing, removed: ['new'] });
    expect((await filesystem.read('a.txt')).text).toBe('back');
  });

  it('ends with the reason of the signal and takes nothing', async () => {
    const controller = new AbortController();
    const { filesystem, staged, at } = await stage({ signal: controller.signal });
    writeFileSync(at('new'), 'x');
    controller.abort(new Error('enough'));
    await expect(staged.collect()).rejects.toThrow('enough');
    expect(await filesystem.stat('new')).toBeUndefined();
  });

  it('takes a folder that is gone, or another one in its place, for no removal of everything', async () => {
    const { filesystem, staged } = await stage();
    const before = await contentOf(filesystem);
    renameSync(staged.path, `${staged.path}-away`);
    await expectCode(staged.collect(), 'path-not-found');
    mkdirSync(staged.path);
    await expectCode(staged.collect(), 'path-not-found');
    rmSync(staged.path, { recursive: true });
    symlinkSync(`${staged.path}-away`, staged.path);
    await expectCode(staged.collect(), 'path-not-found');
    expect(await contentOf(filesystem)).toEqual(before);
  });
});

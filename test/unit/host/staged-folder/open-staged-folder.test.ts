import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MemoryFilesystem } from 'weakincentives';
import { openStagedFolder } from 'weakincentives/node';
import { contentOf, expectCode } from '../../../contract/filesystem-setup.ts';
import { asOrdinaryUser } from '../../../support/ordinary-user.ts';
import { tempFolder } from '../temp-folder.ts';
import { changesOf, files, nothing, stage } from './staged-memory.ts';

describe('openStagedFolder', () => {
  it('writes everything to a private folder, for its owner alone', async () => {
    const { filesystem, tempRoot } = await stage();
    await filesystem.mkdir('empty/inner');
    await using staged = await openStagedFolder(filesystem, { tempRoot });
    const found = readdirSync(staged.path, { recursive: true, encoding: 'utf8' }).sort();
    expect(found).toEqual([
      'a.txt',
      'docs',
      'docs/b.md',
      'docs/deep',
      'docs/deep/c.bin',
      'empty',
      'empty/inner',
    ]);
    expect([...readFileSync(join(staged.path, 'docs/deep/c.bin'))]).toEqual([0, 255, 10]);
    const mode = (path: string): number => statSync(join(staged.path, path)).mode & 0o777;
    expect([mode('.'), mode('docs'), mode('empty/inner'), mode('a.txt')]).toEqual([
      0o700, 0o700, 0o700, 0o600,
    ]);
    expect(statSync(join(staged.path, 'a.txt')).mtimeMs).toBe(1_000_000_000_000);
    expect(staged).toMatchObject({ files: 3, bytes: 11 });
    expect(statSync(staged.path).isDirectory()).toBe(true);
  });

  it('keeps what is excluded out of the folder and out of what is collected', async () => {
    const { filesystem, staged, at } = await stage({ exclude: ['docs/deep/**', '**/*.log'] });
    expect(existsSync(at('docs/deep'))).toBe(false);
    writeFileSync(at('run.log'), 'noise');
    mkdirSync(at('docs/deep'));
    writeFileSync(at('docs/deep/c.bin'), 'other');
    writeFileSync(at('kept'), 'x');
    expect(changesOf(await staged.collect())).toEqual({ ...nothing, created: ['kept'] });
    rmSync(at('docs'), { recursive: true });
    await staged.collect();
    expect(await contentOf(filesystem)).toEqual({
      'a.txt': 'one\n',
      'docs/': '',
      'docs/deep/': '',
      'docs/deep/c.bin': '\0\u00ff\n',
      kept: 'x',
    });
  });

  it.each([
    ['file-too-large', { maxFileBytes: 3 }],
    ['filesystem-quota-exceeded', { maxBytes: 10 }],
    ['filesystem-quota-exceeded', { maxEntries: 4 }],
    ['argument-invalid', { maxBytes: -1 }],
    ['argument-invalid', { maxEntries: 1.5 }],
    ['pattern-invalid', { exclude: [''] }],
  ] as const)('refuses with %s for %j and leaves nothing', async (code, options) => {
    const tempRoot = tempFolder();
    await expectCode(openStagedFolder(new MemoryFilesystem({ files }), { tempRoot, ...options }), code);
    expect(readdirSync(tempRoot)).toEqual([]);
  });

  it('takes what just fits', async () => {
    const { staged } = await stage({ maxFileBytes: 4, maxBytes: 11, maxEntries: 5 });
    expect(await staged.collect()).toMatchObject({ ...nothing, complete: true });
  });

  it('says what is wrong with the folder for temporary files, without saying where it is', async () => {
    const filesystem = new MemoryFilesystem({ files });
    const inside = tempFolder({ file: 'x' });
    symlinkSync(join(inside, 'nowhere'), join(inside, 'link'));
    await expectCode(openStagedFolder(filesystem, { tempRoot: join(inside, 'absent') }), 'path-not-found');
    await expectCode(openStagedFolder(filesystem, { tempRoot: join(inside, 'file') }), 'path-not-directory');
    const message = await expectCode(
      openStagedFolder(filesystem, { tempRoot: join(inside, 'link') }),
      'path-not-found',
    );
    expect(message).not.toContain('nowhere');
    chmodSync(inside, 0o500);
    await asOrdinaryUser(inside, () =>
      expectCode(openStagedFolder(filesystem, { tempRoot: inside }), 'path-forbidden'),
    );
    chmodSync(inside, 0o700);
  });

  it('ends with the reason of the signal and leaves nothing', async () => {
    const tempRoot = tempFolder();
    const controller = new AbortController();
    const filesystem = new MemoryFilesystem({ files });
    const list = filesystem.list.bind(filesystem);
    filesystem.list = (path) => {
      if (path === 'docs') controller.abort(new Error('enough'));
      return list(path);
    };
    await expect(openStagedFolder(filesystem, { tempRoot, signal: controller.signal })).rejects.toThrow(
      'enough',
    );
    expect(readdirSync(tempRoot)).toEqual([]);
  });

  it('names the file that the disk cannot hold', async () => {
    const tempRoot = tempFolder();
    const filesystem = new MemoryFilesystem({ files });
    const list = filesystem.list.bind(filesystem);
    // As on a case-insensitive disk: the second name already exists.
    filesystem.list = async (path) => (await list(path)).flatMap((entry) => [entry, entry]);
    expect(await expectCode(openStagedFolder(filesystem, { tempRoot }), 'path-taken')).toContain('"a.txt"');
    expect(readdirSync(tempRoot)).toEqual([]);
  });
});

describe('disposing', () => {
  it('removes the folder, after the collection that is at work, and ends collecting', async () => {
    const { filesystem, staged, tempRoot, at } = await stage();
    writeFileSync(at('new'), 'x');
    const collection = staged.collect();
    await staged[Symbol.asyncDispose]();
    await staged[Symbol.asyncDispose]();
    expect((await collection).created).toEqual(['new']);
    expect(readdirSync(tempRoot)).toEqual([]);
    const message = await expectCode(staged.collect(), 'path-not-found');
    expect(message).not.toContain(basename(staged.path));
    expect((await filesystem.read('new')).text).toBe('x');
  });

  it('leaves alone what links lead to', async () => {
    const { staged, at } = await stage();
    const outside = tempFolder({ kept: 'x' });
    symlinkSync(outside, at('link'));
    await staged[Symbol.asyncDispose]();
    expect(readFileSync(join(outside, 'kept'), 'utf8')).toBe('x');
  });
});

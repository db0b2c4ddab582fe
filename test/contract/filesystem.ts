import { afterEach, describe, expect, it } from 'vitest';
import type { FilesystemSnapshot } from 'weakincentives';
import { describeConflicts } from './filesystem-conflicts.ts';
import { describeForks } from './filesystem-fork.ts';
import { describePaths } from './filesystem-path.ts';
import { describeSearch } from './filesystem-search.ts';
import {
  type CreatedFilesystem,
  type CreateFilesystem,
  contentOf,
  expectCode,
  type OpenFilesystem,
  textOf,
} from './filesystem-setup.ts';
import { describeText } from './filesystem-text.ts';

function describeReading(open: OpenFilesystem): void {
  describe('read, readBytes, stat, list', () => {
    it('reads text and bytes, and describes what there is', async () => {
      const filesystem = await open({ files: { 'src/a.ts': 'one\ntwo\n', 'b.md': 'é' } });
      expect(await filesystem.read('src/a.ts')).toEqual({
        path: 'src/a.ts',
        text: 'one\ntwo\n',
        offset: 0,
        lines: 2,
        totalLines: 2,
        truncated: false,
        endsWithNewline: true,
      });
      expect([...(await filesystem.readBytes('b.md'))]).toEqual([0xc3, 0xa9]);
      expect(await filesystem.stat('b.md')).toMatchObject({ path: 'b.md', kind: 'file', bytes: 2 });
      expect(await filesystem.stat('src')).toEqual({
        path: 'src',
        kind: 'directory',
        bytes: 0,
        modifiedAtMs: 0,
      });
      expect(await filesystem.stat('.')).toMatchObject({ path: '.', kind: 'directory' });
      expect(await filesystem.stat('absent')).toBeUndefined();
      expect(await filesystem.stat('b.md/below')).toBeUndefined();
    });

    it('hands out copies of bytes', async () => {
      const filesystem = await open({ files: { a: 'xyz' } });
      (await filesystem.readBytes('a')).fill(0);
      expect(await textOf(filesystem, 'a')).toBe('xyz');
    });

    it('lists the children of a directory, sorted by name', async () => {
      const filesystem = await open({
        files: { 'd/b': '12', 'd/a/x': '1', 'd/B': '', 'd/ä': '1', 'd/a.txt': '123' },
      });
      expect(await filesystem.list('d')).toEqual([
        { name: 'B', path: 'd/B', kind: 'file', bytes: 0 },
        { name: 'a', path: 'd/a', kind: 'directory', bytes: 0 },
        { name: 'a.txt', path: 'd/a.txt', kind: 'file', bytes: 3 },
        { name: 'b', path: 'd/b', kind: 'file', bytes: 2 },
        { name: 'ä', path: 'd/ä', kind: 'file', bytes: 1 },
      ]);
      expect((await filesystem.list()).map(({ name }) => name)).toEqual(['d']);
    });

    it('refuses what cannot be read', async () => {
      const filesystem = await open({ files: { 'd/a': 'x' } });
      await expectCode(filesystem.read('absent'), 'path-not-found');
      await expectCode(filesystem.read('d'), 'path-is-directory');
      await expectCode(filesystem.read('.'), 'path-is-directory');
      await expectCode(filesystem.read('d/a/below'), 'path-not-directory');
      await expectCode(filesystem.readBytes('absent'), 'path-not-found');
      await expectCode(filesystem.readBytes('d'), 'path-is-directory');
      await expectCode(filesystem.list('absent'), 'path-not-found');
      await expectCode(filesystem.list('d/a'), 'path-not-directory');
      await expectCode(filesystem.list('d/a/below'), 'path-not-directory');
    });
  });
}

function describeWriting(open: OpenFilesystem): void {
  describe('write, mkdir', () => {
    it('creates, overwrites and appends', async () => {
      const filesystem = await open();
      expect(await filesystem.write('a/b/c', 'one')).toEqual({ path: 'a/b/c', created: true, bytes: 3 });
      expect(await filesystem.write('a/b/c', 'é')).toEqual({ path: 'a/b/c', created: false, bytes: 2 });
      expect(await filesystem.write('a/b/c', '!', { mode: 'append' })).toEqual({
        path: 'a/b/c',
        created: false,
        bytes: 3,
      });
      expect(await filesystem.write('new', 'x', { mode: 'append' })).toEqual({
        path: 'new',
        created: true,
        bytes: 1,
      });
      expect(await filesystem.write('made', new Uint8Array([0, 255]), { mode: 'create' })).toMatchObject({
        bytes: 2,
      });
      expect(await contentOf(filesystem)).toEqual({
        'a/': '',
        'a/b/': '',
        'a/b/c': '\u00c3\u00a9!',
        made: '\0\u00ff',
        new: 'x',
      });
    });

    it('keeps a copy of the bytes it was given', async () => {
      const filesystem = await open();
      const bytes = new Uint8Array([65, 66]);
      await filesystem.write('a', bytes);
      bytes.fill(67);
      expect(await textOf(filesystem, 'a')).toBe('AB');
    });

    it('never has a file and a folder of one name', async () => {
      const filesystem = await open({ files: { file: 'x', 'folder/inner': 'y' } });
      const before = await contentOf(filesystem);
      await expectCode(filesystem.write('folder', 'x'), 'path-is-directory');
      await expectCode(filesystem.write('file/below', 'x'), 'path-not-directory');
      await expectCode(filesystem.write('file/below/deep', 'x', { mode: 'append' }), 'path-not-directory');
      await expectCode(filesystem.mkdir('file'), 'path-taken');
      await expectCode(filesystem.mkdir('file/below'), 'path-not-directory');
      await expectCode(filesystem.write('.', 'x'), 'path-is-directory');
      expect(await contentOf(filesystem)).toEqual(before);
    });

    it('refuses to create over a file, and arguments that make no sense', async () => {
      const filesystem = await open({ files: { a: 'x' } });
      await expectCode(filesystem.write('a', 'y', { mode: 'create' }), 'path-taken');
      // @ts-expect-error -- Not a mode.
      await expectCode(filesystem.write('a', 'y', { mode: 'truncate' }), 'argument-invalid');
      // @ts-expect-error -- Not content.
      await expectCode(filesystem.write('a', 42), 'argument-invalid');
      await expectCode(filesystem.write('a', 'half \ud83d'), 'argument-invalid');
      expect(await textOf(filesystem, 'a')).toBe('x');
    });

    it('makes directories with their parents', async () => {
      const filesystem = await open();
      expect(await filesystem.mkdir('a/b')).toEqual({ path: 'a/b', created: true });
      expect(await filesystem.mkdir('/a/./b/')).toEqual({ path: 'a/b', created: false });
      expect(await filesystem.mkdir('.')).toEqual({ path: '.', created: false });
      expect(await contentOf(filesystem)).toEqual({ 'a/': '', 'a/b/': '' });
    });

    it('keeps to its limits, and changes nothing when one is passed', async () => {
      const filesystem = await open({ files: { a: '12345' }, maxBytes: 10, maxFileBytes: 6, maxFiles: 2 });
      await expectCode(filesystem.write('b', '1234567'), 'file-too-large');
      await expectCode(filesystem.write('a', '67', { mode: 'append' }), 'file-too-large');
      await expectCode(filesystem.edit('a', [{ oldText: '3', newText: '333' }]), 'file-too-large');
      await expectCode(filesystem.write('b', '123456'), 'filesystem-quota-exceeded');
      await expectCode(filesystem.write('made/b', '123456'), 'filesystem-quota-exceeded');
      await filesystem.write('b', '12345');
      await expectCode(filesystem.write('c', ''), 'filesystem-quota-exceeded');
      await expectCode(filesystem.copy('a', 'c'), 'filesystem-quota-exceeded');
      await expectCode(filesystem.write('a', '123456'), 'filesystem-quota-exceeded');
      await expectCode(filesystem.edit('a', [{ oldText: '3', newText: '33' }]), 'filesystem-quota-exceeded');
      expect(await contentOf(filesystem)).toEqual({ a: '12345', b: '12345' });
      await filesystem.remove('a');
      await filesystem.write('c', '1234');
      await filesystem.move('c', 'd');
      expect(await contentOf(filesystem)).toEqual({ b: '12345', d: '1234' });
    });
  });
}

function describeStructure(open: OpenFilesystem): void {
  describe('remove, move, copy', () => {
    const files = { 'd/a': 'x', 'd/e/b': 'y', f: 'z' };

    it('removes files, empty directories, and whole directories when requested', async () => {
      const filesystem = await open({ files });
      await filesystem.mkdir('d/empty');
      expect(await filesystem.remove('f')).toEqual({ path: 'f', files: 1, directories: 0 });
      expect(await filesystem.remove('d/empty')).toEqual({ path: 'd/empty', files: 0, directories: 1 });
      await expectCode(filesystem.remove('d'), 'directory-not-empty');
      expect(await filesystem.remove('d', { recursive: true })).toEqual({
        path: 'd',
        files: 2,
        directories: 2,
      });
      expect(await contentOf(filesystem)).toEqual({});
    });

    it('keeps a directory whose last file goes', async () => {
      const filesystem = await open({ files });
      await filesystem.remove('d/e/b');
      expect(await filesystem.list('d/e')).toEqual([]);
    });

    it('moves files and directories, also into new parents', async () => {
      const filesystem = await open({ files });
      expect(await filesystem.move('f', 'new/f')).toEqual({ from: 'f', to: 'new/f', kind: 'file', files: 1 });
      expect(await filesystem.move('d', 'new/d')).toEqual({
        from: 'd',
        to: 'new/d',
        kind: 'directory',
        files: 2,
      });
      expect(await contentOf(filesystem)).toEqual({
        'new/': '',
        'new/d/': '',
        'new/d/a': 'x',
        'new/d/e/': '',
        'new/d/e/b': 'y',
        'new/f': 'z',
      });
    });

    it('copies files and directories, which then change on their own', async () => {
      const filesystem = await open({ files });
      expect(await filesystem.copy('d', 'c/d')).toEqual({
        from: 'd',
        to: 'c/d',
        kind: 'directory',
        files: 2,
      });
      await filesystem.copy('f', 'c/f');
      await filesystem.write('c/d/a', 'changed');
      await filesystem.write('f', 'changed');
      expect([await textOf(filesystem, 'd/a'), await textOf(filesystem, 'c/f')]).toEqual(['x', 'z']);
    });

    it('refuses what would lose or tangle files, and changes nothing', async () => {
      const filesystem = await open({ files });
      const before = await contentOf(filesystem);
      await expectCode(filesystem.remove('absent'), 'path-not-found');
      await expectCode(filesystem.remove('f/below'), 'path-not-directory');
      await expectCode(filesystem.remove('.', { recursive: true }), 'argument-invalid');
      for (const action of ['move', 'copy'] as const) {
        await expectCode(filesystem[action]('absent', 'new'), 'path-not-found');
        await expectCode(filesystem[action]('f/below', 'new'), 'path-not-directory');
        await expectCode(filesystem[action]('f', 'd'), 'path-taken');
        await expectCode(filesystem[action]('f', 'd/a'), 'path-taken');
        await expectCode(filesystem[action]('f', 'f'), 'path-taken');
        await expectCode(filesystem[action]('d', 'f/below'), 'path-not-directory');
        await expectCode(filesystem[action]('d', 'd/inside'), 'argument-invalid');
        await expectCode(filesystem[action]('.', 'new'), 'argument-invalid');
      }
      expect(await contentOf(filesystem)).toEqual(before);
    });

    it('keeps paths within the depth that can be named', async () => {
      const deep = Array.from({ length: 40 }, () => 'n').join('/');
      const filesystem = await open({ files: { [`d/${deep}`]: 'x' } });
      await filesystem.mkdir(deep);
      await expectCode(filesystem.move('d', `${deep}/d`), 'path-invalid');
      await expectCode(filesystem.copy('d', `${deep}/d`), 'path-invalid');
      expect(await filesystem.stat(`${deep}/d`)).toBeUndefined();
    });
  });
}

function describeSnapshots(open: OpenFilesystem): void {
  describe('snapshot, restore', () => {
    it('brings back exactly what there was, any number of times', async () => {
      const filesystem = await open({ files: { 'd/a': 'x\r\n', 'd/b': '\0', c: '' } });
      await filesystem.mkdir('empty');
      const snapshot = await filesystem.snapshot();
      const before = await contentOf(filesystem);
      for (let round = 0; round < 2; round += 1) {
        await filesystem.remove('d', { recursive: true });
        await filesystem.write('d', 'a file now');
        await filesystem.remove('empty');
        await filesystem.write('new/file', 'x');
        await filesystem.restore(snapshot);
        expect(await contentOf(filesystem)).toEqual(before);
      }
    });

    it('does not take a snapshot of another file system', async () => {
      const filesystem = await open({ files: { a: 'x' } });
      const other = await open({ files: { b: 'y' } });
      await expect(filesystem.restore(await other.snapshot())).rejects.toMatchObject({
        code: 'snapshot-foreign',
      });
      const invented = { kind: 'filesystem-snapshot' as const, [Symbol.asyncDispose]: async () => undefined };
      await expect(filesystem.restore(invented)).rejects.toMatchObject({
        code: 'snapshot-foreign',
      });
      const wrapped = new Proxy(await filesystem.snapshot(), {});
      await expect(filesystem.restore(wrapped)).rejects.toMatchObject({ code: 'snapshot-foreign' });
      expect(await contentOf(filesystem)).toEqual({ a: 'x' });
    });

    it('keeps the name of a snapshot with it', async () => {
      const filesystem = await open();
      expect(await filesystem.snapshot('before the move')).toMatchObject({ tag: 'before the move' });
      expect((await filesystem.fork().view.snapshot('within a call')).tag).toBe('within a call');
      expect(await filesystem.snapshot()).not.toHaveProperty('tag');
    });

    it('refuses a snapshot that was released, by its name, and keeps the others', async () => {
      const filesystem = await open({ files: { a: 'first' } });
      const kept = await filesystem.snapshot();
      const released = await filesystem.snapshot('the start');
      await filesystem.write('a', 'second');
      await released[Symbol.asyncDispose]();
      await released[Symbol.asyncDispose]();
      const refusal = { code: 'snapshot-released', message: expect.stringContaining('"the start"') };
      await expect(filesystem.restore(released)).rejects.toMatchObject(refusal);
      await expect(filesystem.fork().view.restore(released)).rejects.toMatchObject(refusal);
      expect(await contentOf(filesystem)).toEqual({ a: 'second' });
      await filesystem.restore(kept);
      expect(await contentOf(filesystem)).toEqual({ a: 'first' });
    });

    it('releases a snapshot at the end of the block that uses it', async () => {
      const filesystem = await open({ files: { a: 'first' } });
      const keep = async (): Promise<FilesystemSnapshot> => {
        await using snapshot = await filesystem.snapshot();
        await filesystem.write('a', 'second');
        await filesystem.restore(snapshot);
        return snapshot;
      };
      const released = await keep();
      expect(await contentOf(filesystem)).toEqual({ a: 'first' });
      await expect(filesystem.restore(released)).rejects.toMatchObject({ code: 'snapshot-released' });
    });
  });
}

/** The tests that every implementation of `Filesystem` passes. */
export function describeFilesystem(name: string, create: CreateFilesystem): void {
  describe(`${name} as a Filesystem`, () => {
    const created: CreatedFilesystem[] = [];
    const open: OpenFilesystem = async (setup = {}) => {
      const made = await create(setup);
      created.push(made);
      return made.filesystem;
    };
    afterEach(async () => {
      for (const { dispose } of created.splice(0)) await dispose?.();
    });

    it('says what it can promise', async () => {
      const { capabilities } = await open();
      expect(['all', 'own-writes', 'none']).toContain(capabilities.rollback);
      expect(['virtual', 'kernel', 'checked']).toContain(capabilities.jail);
      expect([true, false]).toContain(capabilities.symlinks);
    });
    describeReading(open);
    describeWriting(open);
    describeStructure(open);
    describeSnapshots(open);
    describePaths(open);
    describeText(open);
    describeSearch(open);
    describeForks(open);
    describeConflicts(open);
  });
}

import { describe, expect, it } from 'vitest';
import { type Filesystem, TransactionClosedError } from 'weakincentives';
import type { FilesystemFork } from '../../src/core/filesystem/index.ts';
import {
  type Action,
  conflictsOf,
  contentOf,
  expectCode,
  type OpenFilesystem,
  textOf,
} from './filesystem-setup.ts';

const files = { 'src/a.ts': 'aaa', 'src/b.ts': 'bbb', 'notes.md': 'note' };

/** One call on every method, to see that none works. */
const everyMethod: Readonly<Record<string, Action>> = {
  read: (view) => view.read('notes.md'),
  readBytes: (view) => view.readBytes('notes.md'),
  stat: (view) => view.stat('notes.md'),
  list: (view) => view.list(),
  glob: (view) => view.glob('**'),
  grep: (view) => view.grep('x'),
  snapshot: (view) => view.snapshot(),
  write: (view) => view.write('new', 'x'),
  edit: (view) => view.edit('notes.md', [{ oldText: 'note', newText: 'x' }]),
  mkdir: (view) => view.mkdir('new'),
  remove: (view) => view.remove('notes.md'),
  move: (view) => view.move('notes.md', 'new'),
  copy: (view) => view.copy('notes.md', 'new'),
};
const writing = ['write', 'edit', 'mkdir', 'remove', 'move', 'copy'];

async function applied(
  filesystem: Filesystem,
  action: (fork: FilesystemFork) => Promise<unknown>,
): Promise<void> {
  const fork = filesystem.fork();
  await action(fork);
  expect(fork.conflicts()).toEqual([]);
  filesystem.apply(fork.patch());
  fork.dispose();
}

export function describeForks(open: OpenFilesystem): void {
  describe('fork', () => {
    it('keeps its writes to itself until they are applied', async () => {
      const filesystem = await open({ files });
      const before = await contentOf(filesystem);
      const fork = filesystem.fork();
      await fork.view.write('src/a.ts', 'changed');
      await fork.view.remove('notes.md');
      await fork.view.write('new/file', 'x');
      expect(await textOf(fork.view, 'src/a.ts')).toBe('changed');
      expect(await contentOf(filesystem)).toEqual(before);
      filesystem.apply(fork.patch());
      expect(await contentOf(filesystem)).toEqual({
        'new/': '',
        'new/file': 'x',
        'src/': '',
        'src/a.ts': 'changed',
        'src/b.ts': 'bbb',
      });
    });

    it('leaves nothing when it is discarded', async () => {
      const filesystem = await open({ files });
      const before = await contentOf(filesystem);
      const fork = filesystem.fork();
      await fork.view.remove('src', { recursive: true });
      await fork.view.write('src', 'a file now');
      fork.dispose();
      fork.dispose();
      expect(await contentOf(filesystem)).toEqual(before);
    });

    it('sees the content of its beginning, whatever is applied meanwhile', async () => {
      const filesystem = await open({ files });
      const fork = filesystem.fork();
      await applied(filesystem, ({ view }) => view.write('notes.md', 'later'));
      expect(await textOf(fork.view, 'notes.md')).toBe('note');
    });

    it.each(Object.keys(everyMethod))(
      'refuses %s once it is closed, also through forks of it',
      async (method) => {
        const filesystem = await open({ files });
        const fork = filesystem.fork();
        const nested = fork.fork();
        fork.dispose();
        await expect(everyMethod[method]?.(fork.view)).rejects.toBeInstanceOf(TransactionClosedError);
        await expect(everyMethod[method]?.(nested.view)).rejects.toBeInstanceOf(TransactionClosedError);
        expect(() => fork.fork()).toThrow(TransactionClosedError);
        expect(await textOf(filesystem, 'notes.md')).toBe('note');
      },
    );

    it.each(writing)('refuses %s when it may only read, also through forks of it', async (method) => {
      const filesystem = await open({ files });
      const fork = filesystem.fork({ readOnly: true });
      const action = everyMethod[method];
      if (action === undefined) throw new Error(`no action for ${method}`);
      await expectCode(action(fork.view), 'filesystem-read-only');
      await expectCode(action(fork.fork({ readOnly: false }).view), 'filesystem-read-only');
      expect(await textOf(fork.view, 'notes.md')).toBe('note');
      expect(fork.changes()).toEqual([]);
    });

    it('takes its view away when it is sealed, and keeps what was changed', async () => {
      const filesystem = await open({ files });
      const fork = filesystem.fork();
      await fork.view.write('kept', 'x');
      const nested = fork.fork();
      fork.seal();
      await expect(fork.view.write('late', 'x')).rejects.toBeInstanceOf(TransactionClosedError);
      await expect(nested.view.read('kept')).rejects.toBeInstanceOf(TransactionClosedError);
      expect(() => fork.view.fork()).toThrow(TransactionClosedError);
      expect(await textOf(fork.privileged, 'kept')).toBe('x');
      await fork.privileged.write('by a policy', 'y');
      expect(fork.changes().map(({ path }) => path)).toEqual(['by a policy', 'kept']);
      // What a policy reads is not what the call has read, and yet the outcome depends on it.
      await fork.privileged.readBytes('notes.md');
      expect(fork.readPaths()).toEqual([]);
      await applied(filesystem, ({ view }) => view.write('notes.md', 'later'));
      expect(fork.conflicts()).toEqual(['file notes.md']);
      fork.dispose();
      await expect(fork.privileged.read('kept')).rejects.toBeInstanceOf(TransactionClosedError);
    });

    it('may restore what it was forked from, and not what another fork holds', async () => {
      const filesystem = await open({ files });
      const snapshot = await filesystem.snapshot();
      const fork = filesystem.fork();
      const other = filesystem.fork();
      await fork.view.write('notes.md', 'changed');
      await fork.view.restore(snapshot);
      expect(await textOf(fork.view, 'notes.md')).toBe('note');
      await expect(fork.view.restore(await other.view.snapshot())).rejects.toMatchObject({
        code: 'snapshot-foreign',
      });
      await expect(filesystem.restore(await fork.view.snapshot())).rejects.toMatchObject({
        code: 'snapshot-foreign',
      });
    });
  });

  describe('changes', () => {
    it('are the net difference, sorted by path', async () => {
      const filesystem = await open({ files: { ...files, 'old/x': '1', 'gone/y': '2' } });
      await filesystem.mkdir('bare');
      const { view, changes } = ((fork) => ({ view: fork.view, changes: () => fork.changes() }))(
        filesystem.fork(),
      );
      await view.write('notes.md', 'note');
      await view.write('temporary', 'x');
      await view.remove('temporary');
      await view.move('old', 'moved');
      await view.remove('gone', { recursive: true });
      await view.mkdir('empty/inner');
      await view.remove('bare');
      await view.write('deep/er/file', 'new');
      const described = changes().map(({ path, kind, entry, before, after }) => [
        path,
        `${kind} ${entry}`,
        before?.text(),
        after?.text(),
      ]);
      expect(described).toEqual([
        ['bare', 'removed directory', undefined, undefined],
        ['deep/er/file', 'created file', undefined, 'new'],
        ['empty/inner', 'created directory', undefined, undefined],
        ['gone/y', 'removed file', '2', undefined],
        ['moved/x', 'created file', undefined, '1'],
        ['notes.md', 'modified file', 'note', 'note'],
        ['old/x', 'removed file', '1', undefined],
      ]);
    });

    it('tell a file that became a directory', async () => {
      const filesystem = await open({ files: { f: '1', 'd/x': '2' } });
      const fork = filesystem.fork();
      await fork.view.remove('f');
      await fork.view.write('f/x', '3');
      await fork.view.remove('d', { recursive: true });
      await fork.view.write('d', '4');
      expect(fork.changes().map(({ path, kind }) => `${kind} ${path}`)).toEqual([
        'created d',
        'removed d/x',
        'removed f',
        'created f/x',
      ]);
      filesystem.apply(fork.patch());
      expect(await contentOf(filesystem)).toEqual({ d: '4', 'f/': '', 'f/x': '3' });
    });

    it('say which files were read, content only', async () => {
      const filesystem = await open({ files });
      const fork = filesystem.fork();
      await fork.view.read('src/b.ts');
      await fork.view.readBytes('/notes.md');
      await fork.view.stat('src/a.ts');
      await fork.view.grep('aaa');
      await fork.view.read('absent').catch(() => undefined);
      await fork.view.read('src').catch(() => undefined);
      expect(fork.readPaths()).toEqual(['notes.md', 'src/b.ts']);
    });

    it('has the parts of contents that its view has returned or found', async () => {
      const text = 'one\ntwo\nthree\n';
      const filesystem = await open({ files: { 'a.txt': text, 'b.txt': text, 'c.txt': text, 'd.txt': '' } });
      const fork = filesystem.fork();
      const reads = (): unknown =>
        fork['~contentReads']?.().map(({ path, ranges, content }) => [path, ranges, content.text()]);
      expect(reads()).toEqual([]);
      await fork.view.read('a.txt', { offset: 2 });
      await fork.view.read('a.txt', { limit: 1 });
      await fork.view.read('a.txt', { offset: 3 });
      await fork.view.grep('wo', { path: 'b.txt' });
      await fork.view.grep('absent', { path: 'c.txt' });
      await fork.view.read('d.txt');
      await fork.privileged.read('c.txt');
      expect(reads()).toEqual([
        ['a.txt', [0, 4, 8, 14], text],
        ['b.txt', [4, 8], text],
        ['c.txt', [], text],
        ['d.txt', undefined, ''],
      ]);
      await fork.view.read('a.txt', { offset: 1, limit: 1, '~shown': (window) => [0, window.length - 1] });
      await fork.view.readBytes('b.txt');
      await fork.view.write('c.txt', 'new\n');
      await fork.view.read('c.txt');
      expect(reads()).toEqual([
        ['a.txt', [0, 7, 8, 14], text],
        ['b.txt', undefined, text],
        ['c.txt', [], text],
        ['c.txt', undefined, 'new\n'],
        ['d.txt', undefined, ''],
      ]);
      expect(fork.readPaths()).toEqual(['a.txt', 'b.txt', 'c.txt', 'd.txt']);
    });
  });

  describe('apply', () => {
    it('puts the changes of parallel forks together', async () => {
      const filesystem = await open({ files });
      const forks = ['x', 'y', 'z'].map((name) => ({ name, fork: filesystem.fork() }));
      for (const { name, fork } of forks) {
        await fork.view.write(`new/${name}/file`, name);
        await fork.view.write(`src/${name}.ts`, name);
      }
      for (const { fork } of forks) {
        expect(fork.conflicts()).toEqual([]);
        expect(fork.refusals()).toEqual([]);
        filesystem.apply(fork.patch());
      }
      expect((await filesystem.glob('new/**')).paths).toEqual(['new/x/file', 'new/y/file', 'new/z/file']);
      expect((await filesystem.list('src')).length).toBe(5);
    });

    it('refuses changes that no longer fit, and then changes nothing', async () => {
      const filesystem = await open({ files, maxFiles: 4 });
      const tooMany = filesystem.fork();
      await tooMany.view.write('one', '1');
      const blocked = filesystem.fork();
      await blocked.view.write('src/a.ts', 'changed');
      await blocked.view.write('two/below', '2');
      await filesystem.write('two', 'a file now');
      const before = await contentOf(filesystem);
      expect(blocked.refusals().join()).toContain('two');
      expect(tooMany.refusals()).toHaveLength(1);
      await expectCode((async () => filesystem.apply(blocked.patch()))(), 'path-not-directory');
      await expectCode((async () => filesystem.apply(tooMany.patch()))(), 'filesystem-quota-exceeded');
      expect(await contentOf(filesystem)).toEqual(before);
    });
  });

  describe('nested forks', () => {
    it('apply into their fork, and from there outwards', async () => {
      const filesystem = await open({ files });
      const outer = filesystem.fork();
      const kept = outer.fork();
      const dropped = outer.fork();
      await kept.view.write('kept', 'x');
      await dropped.view.write('dropped', 'x');
      expect(await outer.view.stat('kept')).toBeUndefined();
      outer.view.apply(kept.patch());
      dropped.dispose();
      expect(await textOf(outer.view, 'kept')).toBe('x');
      expect(await filesystem.stat('kept')).toBeUndefined();
      filesystem.apply(outer.patch());
      expect((await filesystem.glob('*')).paths).toEqual(['kept', 'notes.md']);
    });

    it('conflict among each other, by the content of their fork', async () => {
      const filesystem = await open({ files });
      const outer = filesystem.fork();
      expect(
        await conflictsOf(
          outer.view,
          (view) => view.write('notes.md', '1'),
          (view) => view.read('notes.md'),
        ),
      ).toEqual(['file notes.md']);
      expect(outer.conflicts()).toEqual([]);
    });

    it('have their reads count for their fork, also when they are discarded', async () => {
      const filesystem = await open({ files });
      const outer = filesystem.fork();
      const nested = outer.fork();
      await nested.view.read('notes.md');
      nested.dispose();
      await applied(filesystem, ({ view }) => view.write('notes.md', 'later'));
      expect(outer.conflicts()).toEqual(['file notes.md']);
    });

    it('have what they were allowed to write beside each other count for their fork', async () => {
      const filesystem = await open({ maxBytes: 120 });
      const outer = filesystem.fork();
      const [first, second] = [outer.fork(), outer.fork()];
      await first.view.write('first', 'x'.repeat(52));
      await second.view.write('second', 'x'.repeat(32));
      outer.view.apply(first.patch());
      // 84 bytes: the second may be where it is, and is discarded all the same.
      expect(second.conflicts()).toEqual([]);
      second.dispose();
      await applied(filesystem, ({ view }) => view.write('later', 'x'.repeat(36)));
      expect(outer.conflicts()).toEqual([]);
      await applied(filesystem, ({ view }) => view.write('later', 'x'.repeat(37)));
      // One after the other, the second would have been refused.
      expect(outer.conflicts()).toEqual(['quota']);
    });

    it('may read what their fork wrote without depending on anything else', async () => {
      const filesystem = await open({ files });
      const outer = filesystem.fork();
      await outer.view.write('notes.md', 'mine');
      await outer.fork().view.read('notes.md');
      await applied(filesystem, ({ view }) => view.write('notes.md', 'later'));
      expect(outer.conflicts()).toEqual([]);
    });
  });
}

import { describe, expect, it } from 'vitest';
import { type Action, conflictsOf, type OpenFilesystem } from './filesystem-setup.ts';

const files = { 'src/a.ts': 'aaa', 'src/b.ts': 'bbb', 'notes.md': 'note' };

export function describeConflicts(open: OpenFilesystem): void {
  describe('conflicts', () => {
    const independent: readonly (readonly [string, Action, Action])[] = [
      [
        'different files',
        (view) => view.write('src/a.ts', '1'),
        (view) => view.edit('src/b.ts', [{ oldText: 'bbb', newText: '2' }]),
      ],
      ['new files in one new folder', (view) => view.write('new/a', '1'), (view) => view.write('new/b', '2')],
      ['two blind overwrites', (view) => view.write('notes.md', '1'), (view) => view.write('notes.md', '2')],
      [
        'a write and a listing of names and sizes',
        (view) => view.write('src/a.ts', 'AAA'),
        (view) => view.list('src'),
      ],
      ['a write and a glob', (view) => view.write('src/a.ts', 'AAA'), (view) => view.glob('**/*.ts')],
      [
        'a new file and a glob that does not match it',
        (view) => view.write('x.md', ''),
        (view) => view.glob('**/*.ts'),
      ],
      [
        'a write and a grep elsewhere',
        (view) => view.write('notes.md', ''),
        (view) => view.grep('a', { path: 'src' }),
      ],
      [
        'a write and a grep of other names',
        (view) => view.write('notes.md', ''),
        (view) => view.grep('a', { glob: '*.ts' }),
      ],
      ['a new folder and a grep', (view) => view.mkdir('new/folder'), (view) => view.grep('a')],
      [
        'a write inside and a removal of all',
        (view) => view.write('src/a.ts', ''),
        (view) => view.remove('src', { recursive: true }),
      ],
      ['a write and a stat of the folder', (view) => view.write('src/new', ''), (view) => view.stat('src')],
      [
        'a new file and a refused removal of its folder',
        (view) => view.write('src/new', ''),
        (view) => view.remove('src'),
      ],
      ['reads', (view) => view.read('notes.md'), (view) => view.read('notes.md')],
      [
        'a write and a read of what was written over it',
        (view) => view.write('notes.md', 'first'),
        async (view) => {
          await view.write('notes.md', 'second');
          await view.read('notes.md');
          await view.stat('notes.md');
          await view.move('notes.md', 'moved.md');
        },
      ],
    ];

    it.each(independent)('are none for %s', async (_what, first, second) => {
      const filesystem = await open({ files });
      expect(await conflictsOf(filesystem, first, second)).toEqual([]);
    });

    const dependent: readonly (readonly [string, Action, Action])[] = [
      ['file notes.md', (view) => view.write('notes.md', '1'), (view) => view.read('notes.md')],
      ['file notes.md', (view) => view.write('notes.md', 'note'), (view) => view.stat('notes.md')],
      [
        'file notes.md',
        (view) => view.write('notes.md', '1'),
        (view) => view.write('notes.md', '2', { mode: 'append' }),
      ],
      [
        'file notes.md',
        (view) => view.write('notes.md', '1'),
        (view) => view.edit('notes.md', [{ oldText: 'x', newText: 'y' }]),
      ],
      ['file absent', (view) => view.write('absent', '1'), (view) => view.read('absent')],
      ['file a/b', (view) => view.write('a', '1'), (view) => view.stat('a/b')],
      ['kind new', (view) => view.write('new', '1'), (view) => view.write('new', '2')],
      ['kind new', (view) => view.write('new', '1'), (view) => view.mkdir('new')],
      ['kind a/b', (view) => view.write('a', '1'), (view) => view.write('a/b', '2')],
      ['kind notes.md', (view) => view.remove('notes.md'), (view) => view.write('notes.md', '2')],
      ['kind new', (view) => view.write('new', '1'), (view) => view.copy('notes.md', 'new')],
      ['listing src', (view) => view.write('src/c', ''), (view) => view.list('src')],
      ['listing src', (view) => view.write('src/a.ts', 'longer'), (view) => view.list('src')],
      ['listing .', (view) => view.write('new/c', ''), (view) => view.list()],
      ['glob **/*.ts', (view) => view.write('c.ts', ''), (view) => view.glob('**/*.ts')],
      [
        'glob src/*.ts',
        (view) => view.remove('src', { recursive: true }),
        (view) => view.glob('*.ts', { path: 'src' }),
      ],
      ['kind src/[a].ts', (view) => view.write('src/[a].ts', ''), (view) => view.glob('src/[a].ts')],
      ['grep src', (view) => view.write('src/a.ts', ''), (view) => view.grep('x', { path: 'src' })],
      ['grep notes.md', (view) => view.write('notes.md', ''), (view) => view.grep('x', { path: 'notes.md' })],
      ['tree notes.md', (view) => view.write('notes.md', ''), (view) => view.move('notes.md', 'x')],
      ['tree src', (view) => view.write('src/a.ts', ''), (view) => view.copy('src', 'x')],
      ['names src', (view) => view.write('src/c', ''), (view) => view.remove('src', { recursive: true })],
    ];

    it.each(dependent)('name %s', async (conflict, first, second) => {
      const filesystem = await open({ files });
      expect(await conflictsOf(filesystem, first, second)).toContain(conflict);
    });

    it('name an empty folder that is no longer empty', async () => {
      const filesystem = await open({ files });
      await filesystem.mkdir('bare');
      expect(
        await conflictsOf(
          filesystem,
          (view) => view.write('bare/x', ''),
          (view) => view.remove('bare'),
        ),
      ).toContain('emptiness bare');
    });

    it('name a folder that stays when the file made in it is removed again', async () => {
      const filesystem = await open({ files });
      await filesystem.mkdir('bare');
      const [first, second] = [filesystem.fork(), filesystem.fork()];
      await first.view.remove('bare');
      await second.view.write('bare/x', '');
      await second.view.remove('bare/x');
      expect(second.changes()).toEqual([]);
      filesystem.apply(first.patch());
      // One after the other, the write would have made the folder anew.
      expect(second.conflicts()).toContain('kind bare');
    });

    it('name quotas that both calls cannot keep to', async () => {
      const filesystem = await open({ files: { a: '1' }, maxBytes: 10, maxFiles: 3 });
      const write =
        (path: string, bytes: number): Action =>
        (view) =>
          view.write(path, 'x'.repeat(bytes));
      expect(await conflictsOf(filesystem, write('b', 3), write('c', 7))).toEqual(['quota']);
      await filesystem.remove('b');
      expect(await conflictsOf(filesystem, write('b', 3), write('c', 6))).toEqual([]);
      // A write that was refused may be possible now.
      expect(await conflictsOf(filesystem, (view) => view.remove('b'), write('c', 9))).toEqual([
        'quota-refusal',
      ]);
    });

    it('count a quota that was touched only for a while', async () => {
      const filesystem = await open({ maxBytes: 10 });
      const lateRemoval: Action = async (view) => {
        await view.write('big', 'x'.repeat(8));
        await view.remove('big');
      };
      expect(await conflictsOf(filesystem, (view) => view.write('a', 'xxx'), lateRemoval)).toEqual(['quota']);
    });

    it('count what is seen of former content through the changes', async () => {
      const filesystem = await open({ files });
      const [first, second] = [filesystem.fork(), filesystem.fork()];
      await first.view.write('notes.md', '1');
      await second.view.write('notes.md', '2');
      const [change] = second.changes();
      filesystem.apply(first.patch());
      expect(second.conflicts()).toEqual([]);
      expect(change?.before?.text()).toBe('note');
      expect(second.conflicts()).toEqual(['file notes.md']);
    });
  });
}

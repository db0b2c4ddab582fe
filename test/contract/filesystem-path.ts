import { describe, expect, it } from 'vitest';
import { contentOf, expectCode, type OpenFilesystem, textOf } from './filesystem-setup.ts';

/** Names that mean something elsewhere, and are plain names here. */
const oddNames = [
  '__proto__',
  'constructor',
  'toString',
  ' leading and trailing ',
  '-rf',
  '*',
  'a?b',
  '[x]',
  '{a,b}',
  '$HOME',
  '%2e%2e',
  '...',
  '.hidden',
  'CON',
  'tab\there',
  'ä'.normalize('NFC'),
  'ä'.normalize('NFD'),
  '日本語',
  '👩‍👩‍👧‍👦.txt',
  '\u202egnp.exe',
  'n'.repeat(255),
  'é'.repeat(127),
];

export function describePaths(open: OpenFilesystem): void {
  describe('paths', () => {
    it('are normalised, and come back normalised', async () => {
      const filesystem = await open({ files: { 'a/b': 'x' } });
      for (const path of ['a/b', '/a/b', './a/b', 'a//b', 'a/./b/', 'a/c/../b', '//a/b', 'x/../a/b']) {
        expect(await filesystem.read(path)).toMatchObject({ path: 'a/b', text: 'x' });
      }
      expect((await filesystem.write('/new/../n', 'y')).path).toBe('n');
      expect((await filesystem.list('/a/'))[0]?.path).toBe('a/b');
    });

    it.each(['..', '../x', '/..', 'a/../..', 'a/../../x', './../x', 'a/b/../../../etc/passwd'])(
      'never leave the root: %s',
      async (path) => {
        const filesystem = await open({ files: { 'a/b': 'x' } });
        await expectCode(filesystem.read(path), 'path-outside-root');
        await expectCode(filesystem.readBytes(path), 'path-outside-root');
        await expectCode(filesystem.write(path, 'x'), 'path-outside-root');
        await expectCode(filesystem.edit(path, [{ oldText: 'x', newText: 'y' }]), 'path-outside-root');
        await expectCode(filesystem.stat(path), 'path-outside-root');
        await expectCode(filesystem.list(path), 'path-outside-root');
        await expectCode(filesystem.glob('**', { path }), 'path-outside-root');
        await expectCode(filesystem.grep('x', { path }), 'path-outside-root');
        await expectCode(filesystem.mkdir(path), 'path-outside-root');
        await expectCode(filesystem.remove(path, { recursive: true }), 'path-outside-root');
        await expectCode(filesystem.move('a', path), 'path-outside-root');
        await expectCode(filesystem.move(path, 'c'), 'path-outside-root');
        await expectCode(filesystem.copy('a', path), 'path-outside-root');
        await expectCode(filesystem.copy(path, 'c'), 'path-outside-root');
        expect(await contentOf(filesystem)).toEqual({ 'a/': '', 'a/b': 'x' });
      },
    );

    it.each([
      ['empty', ''],
      ['with NUL', 'a\0b'],
      ['with NUL at the end', 'a\0'],
      ['with a backslash', 'a\\b'],
      ['up through backslashes', '..\\..\\etc'],
      ['with half a surrogate pair', 'a\ud83d'],
      ['with a segment of 256 bytes', 'n'.repeat(256)],
      ['with a segment of 256 bytes in 128 characters', 'é'.repeat(128)],
      ['of 65 segments', Array.from({ length: 65 }, () => 'n').join('/')],
      ['of endless length', 'n/'.repeat(100_000)],
    ])('are refused when %s', async (_what, path) => {
      const filesystem = await open({ files: { a: 'x' } });
      const message = await expectCode(filesystem.read(path), 'path-invalid');
      expect(message.length).toBeLessThan(400);
      await expectCode(filesystem.write(path, 'x'), 'path-invalid');
      await expectCode(filesystem.stat(path), 'path-invalid');
      await expectCode(filesystem.mkdir(path), 'path-invalid');
      await expectCode(filesystem.copy('a', path), 'path-invalid');
      expect(await contentOf(filesystem)).toEqual({ a: 'x' });
    });

    it.each([undefined, null, 42, {}])('are refused when no text: %s', async (path) => {
      const filesystem = await open();
      // @ts-expect-error -- Not a path.
      await expectCode(filesystem.write(path, 'x'), 'path-invalid');
    });

    it.each(oddNames)('may be called %j', async (name) => {
      const filesystem = await open();
      await filesystem.write(`d/${name}`, name);
      expect((await filesystem.list('d')).map((entry) => entry.name)).toEqual([name]);
      expect((await filesystem.glob('d/**')).paths).toEqual([`d/${name}`]);
      expect(await textOf(filesystem, `d/${name}`)).toBe(name);
      expect(await filesystem.stat('__proto__x')).toBeUndefined();
    });

    it('keep letter case and composition apart', async () => {
      const names = ['a', 'A', 'ä'.normalize('NFC'), 'ä'.normalize('NFD')];
      const filesystem = await open();
      for (const name of names) await filesystem.write(name, name, { mode: 'create' });
      expect((await filesystem.list()).map(({ name }) => name)).toEqual([...names].sort());
    });

    it('may have 64 segments', async () => {
      const path = Array.from({ length: 64 }, () => 'n').join('/');
      const filesystem = await open();
      await filesystem.write(path, 'x');
      expect((await filesystem.glob('**')).paths).toEqual([path]);
    });
  });
}

import { describe, expect, it } from 'vitest';
import { expectCode, type OpenFilesystem, textOf } from './filesystem-setup.ts';

export function describeText(open: OpenFilesystem): void {
  describe('windows of text', () => {
    const numbered = Array.from({ length: 1000 }, (_, index) => `line ${index}`).join('\n');

    it.each([
      { offset: 0, limit: 1, text: 'a\r\n', lines: 1, truncated: true },
      { offset: 1, limit: 2, text: 'b\n\n', lines: 2, truncated: true },
      { offset: 3, limit: 1, text: 'c', lines: 1, truncated: false },
      { offset: 2, limit: 99, text: '\nc', lines: 2, truncated: false },
      { offset: 4, limit: 1, text: '', lines: 0, truncated: false },
      { offset: 99, limit: 1, text: '', lines: 0, truncated: false },
    ])('offset $offset, limit $limit', async ({ offset, limit, ...expected }) => {
      const filesystem = await open({ files: { f: 'a\r\nb\n\nc' } });
      expect(await filesystem.read('f', { offset, limit })).toEqual({
        path: 'f',
        offset,
        totalLines: 4,
        endsWithNewline: false,
        ...expected,
      });
    });

    it('split lines at line feeds alone, and give back the exact text', async () => {
      const text = '\ufeffa\rb\u2028c\u0085d\ve\ff\r\n\n';
      const filesystem = await open({ files: { f: text, empty: '', newline: '\n' } });
      expect(await filesystem.read('f')).toMatchObject({
        text,
        lines: 2,
        totalLines: 2,
        endsWithNewline: true,
      });
      expect(await filesystem.read('empty')).toMatchObject({
        text: '',
        totalLines: 0,
        endsWithNewline: false,
      });
      expect(await filesystem.read('newline')).toMatchObject({
        text: '\n',
        totalLines: 1,
        endsWithNewline: true,
      });
    });

    it('are right anywhere in a long file, read again and again', async () => {
      const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}`);
      const filesystem = await open({ files: { f: `${lines.join('\n')}\n` } });
      for (const offset of [0, 255, 256, 257, 511, 512, 9999, 19_967, 19_968, 19_999]) {
        const { text, totalLines } = await filesystem.read('f', { offset, limit: 3 });
        expect(text).toBe(
          lines
            .slice(offset, offset + 3)
            .map((line) => `${line}\n`)
            .join(''),
        );
        expect(totalLines).toBe(20_000);
      }
    });

    it.each([
      { offset: -1 },
      { offset: 0.5 },
      { offset: Number.NaN },
      { limit: 0 },
      { limit: -1 },
      { limit: 1.5 },
    ])('refuse %j', async (options) => {
      const filesystem = await open({ files: { f: numbered } });
      await expectCode(filesystem.read('f', options), 'argument-invalid');
    });
  });

  describe('binary files', () => {
    it.each([
      ['a NUL', new Uint8Array([65, 0, 66])],
      ['no valid UTF-8', new Uint8Array([0xff, 0xfe, 65])],
      ['half a character at the end', new Uint8Array([65, 0xc3])],
      ['a surrogate in UTF-8', new Uint8Array([0xed, 0xa0, 0x80])],
    ])('are no text but stay as they are: %s', async (_what, bytes) => {
      const filesystem = await open({ files: { f: bytes } });
      await expectCode(filesystem.read('f'), 'file-not-text');
      await expectCode(filesystem.edit('f', [{ oldText: 'A', newText: 'B' }]), 'file-not-text');
      expect(await filesystem.readBytes('f')).toEqual(bytes);
      await filesystem.write('f', bytes.slice(0, 1), { mode: 'append' });
      expect((await filesystem.readBytes('f')).length).toBe(bytes.length + 1);
    });

    it('may have a NUL after their first 8 KB and be text', async () => {
      const filesystem = await open({ files: { f: `${'x'.repeat(8192)}\0` } });
      expect((await textOf(filesystem, 'f')).length).toBe(8193);
    });
  });

  describe('edit', () => {
    it('replaces pieces of the original text and counts them', async () => {
      const filesystem = await open({ files: { f: 'one two three two' } });
      expect(
        await filesystem.edit('f', [
          { oldText: 'one', newText: 'two' },
          { oldText: 'two', newText: '2', replaceAll: true },
          { oldText: 'three', newText: '' },
        ]),
      ).toEqual({ path: 'f', replacements: 4, bytes: 8 });
      expect(await textOf(filesystem, 'f')).toBe('two 2  2');
    });

    it.each([
      ['a missing final newline', 'a\nb', 'a\nc'],
      ['a final newline', 'a\nb\n', 'a\nc\n'],
      ['CRLF', 'a\r\nb\r\n', 'a\r\nc\r\n'],
      ['mixed endings', 'a\r\nx\nb\n', 'a\r\nx\nc\n'],
      ['a byte order mark', '\ufeffa\r\nb', '\ufeffa\r\nc'],
      ['a lone carriage return', 'a\rb', 'a\rc'],
    ])('keeps %s', async (_what, before, after) => {
      const filesystem = await open({ files: { f: before } });
      await filesystem.edit('f', [{ oldText: 'b', newText: 'c' }]);
      expect(await textOf(filesystem, 'f')).toBe(after);
    });

    it.each([
      ['in both texts', '\ufeffa', '\ufeffx', '\ufeffx\nb\n'],
      ['in the old text', '\ufeffa', 'x', '\ufeffx\nb\n'],
      ['in the new text', 'a', '\ufeffx', '\ufeffx\nb\n'],
      ['in none', 'a\n', '', '\ufeffb\n'],
      ['where the old text is elsewhere', '\ufeffb', '\ufeffc', '\ufeffa\nc\n'],
      ['of everything', '\ufeffa\nb\n', '\ufeff', '\ufeff'],
    ])('keeps the byte order mark at the start, once: %s', async (_what, oldText, newText, after) => {
      const filesystem = await open({ files: { f: '\ufeffa\nb\n', plain: 'a\nb\n' } });
      await filesystem.edit('f', [{ oldText, newText }]);
      expect(await textOf(filesystem, 'f')).toBe(after);
      // The file without one gets none from texts that were copied with it.
      if (!oldText.startsWith('\ufeff')) return;
      await filesystem.edit('plain', [{ oldText, newText }]);
      expect(await textOf(filesystem, 'plain')).toBe(after.slice(1));
    });

    it('refuses to change nothing but the byte order mark, and says how to be rid of it', async () => {
      const filesystem = await open({ files: { f: '\ufeffa\n' } });
      for (const [oldText, newText] of [
        ['\ufeffa', 'a'],
        ['a', '\ufeffa'],
        ['\ufeff', ''],
      ] as const) {
        const message = await expectCode(filesystem.edit('f', [{ oldText, newText }]), 'argument-invalid');
        expect(message).toContain('remove the file and write it anew');
      }
    });

    it('matches lines of any ending, and inserts lines with that of the file', async () => {
      const filesystem = await open({ files: { windows: '1\r\n2\r\n3\r\n', unix: '1\n2\n3\n', none: '1' } });
      const edits = [{ oldText: '1\n2', newText: 'a\nb\r\nc' }];
      await filesystem.edit('windows', edits);
      await filesystem.edit('unix', edits);
      await filesystem.edit('none', [{ oldText: '1', newText: 'x\r\ny' }]);
      expect(await textOf(filesystem, 'windows')).toBe('a\r\nb\r\nc\r\n3\r\n');
      expect(await textOf(filesystem, 'unix')).toBe('a\nb\nc\n3\n');
      expect(await textOf(filesystem, 'none')).toBe('x\r\ny');
    });

    it('takes newText as it is, with no special characters', async () => {
      const filesystem = await open({ files: { f: 'a (b) $1' } });
      await filesystem.edit('f', [
        { oldText: '(b)', newText: "$& $` $' $1 $$" },
        { oldText: ' $1', newText: '\\n' },
      ]);
      expect(await textOf(filesystem, 'f')).toBe("a $& $` $' $1 $$\\n");
    });

    it('refuses what is not certain, names the edit, and changes nothing', async () => {
      const filesystem = await open({ files: { f: 'aaa\nbb\nbb\n', 'd/x': '' } });
      const edit = (
        ...edits: readonly { oldText: string; newText: string; replaceAll?: boolean }[]
      ): Promise<unknown> => filesystem.edit('f', edits);
      expect(await expectCode(edit({ oldText: 'x', newText: 'y' }), 'edit-not-found')).toContain('Edit 1');
      expect(await expectCode(edit({ oldText: 'bb', newText: 'y' }), 'edit-ambiguous')).toContain(
        'lines 2 and 3',
      );
      // Two places, though they overlap.
      await expectCode(edit({ oldText: 'aa', newText: 'y' }), 'edit-ambiguous');
      await expectCode(
        edit({ oldText: 'aaa', newText: 'x' }, { oldText: 'x', newText: 'y' }),
        'edit-not-found',
      );
      await expectCode(
        edit({ oldText: 'aaa\nbb', newText: 'x' }, { oldText: 'bb\nbb', newText: 'y' }),
        'argument-invalid',
      );
      await expectCode(
        edit({ oldText: 'aaa\nbb', newText: 'x' }, { oldText: 'aaa', newText: 'y' }),
        'argument-invalid',
      );
      await expectCode(edit({ oldText: '', newText: 'x' }), 'argument-invalid');
      await expectCode(edit({ oldText: 'aaa', newText: 'aaa' }), 'argument-invalid');
      await expectCode(edit(), 'argument-invalid');
      await expectCode(edit({ oldText: 'aaa', newText: '\udc00' }), 'argument-invalid');
      await expectCode(filesystem.edit('absent', [{ oldText: 'a', newText: 'b' }]), 'path-not-found');
      await expectCode(filesystem.edit('d', [{ oldText: 'a', newText: 'b' }]), 'path-is-directory');
      await expectCode(filesystem.edit('f/below', [{ oldText: 'a', newText: 'b' }]), 'path-not-directory');
      expect(await textOf(filesystem, 'f')).toBe('aaa\nbb\nbb\n');
    });
  });
}

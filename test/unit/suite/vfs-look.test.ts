import { describe, expect, it } from 'vitest';
import { MemoryFilesystem } from 'weakincentives';
import { createVfsTools } from '../../../src/suite/vfs/vfs-tools.ts';
import { runTool } from './run-tool.ts';

const vfsTools = createVfsTools();

const numbered = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

describe('ls', () => {
  const files = new MemoryFilesystem({
    files: { 'b.txt': 'bb', 'a/x.txt': '', 'a/y/z.txt': '', 'empty.txt': '' },
  });

  it('shows directories with a slash and files with their size, sorted by name', async () => {
    const answer = await runTool(vfsTools.ls, files, {});
    expect(answer.message).toBe('. - 2 files, 1 directory');
    expect(answer.text).toBe('a/\nb.txt (2 bytes)\nempty.txt (0 bytes)');
  });

  it('takes any spelling of a path and shows the normalised one', async () => {
    const answer = await runTool(vfsTools.ls, files, { path: '/a//./y/..' });
    expect(answer.message).toBe('a - 1 file, 1 directory');
  });

  it('says so when there is nothing', async () => {
    expect((await runTool(vfsTools.ls, new MemoryFilesystem(), { path: '/' })).message).toBe('. is empty.');
  });

  it('shows no more entries than the limit, and says how many there are beside', async () => {
    const { ls } = createVfsTools({ limits: { maxEntries: 2 } });
    const answer = await runTool(ls, files, {});
    expect(answer.text).toBe(
      'a/\nb.txt (2 bytes)\n1 more entry not shown. Use glob with a pattern to find the rest.',
    );
    expect(answer.value).toMatchObject({ total: 3 });
  });

  it.each([
    ['missing', 'There is no "missing". Use ls or glob to see which files there are.'],
    [
      'b.txt',
      '"b.txt" cannot be used as a directory: it, or a part of its path, is a file. Use read_file for a file',
    ],
    ['../x', '"../x" leaves the workspace.'],
    ['a\\b', 'backslash'],
  ])('answers %s with what to do', async (path, message) => {
    const answer = await runTool(vfsTools.ls, files, { path });
    expect(answer.success).toBe(false);
    expect(answer.message).toContain(message);
  });
});

describe('read_file', () => {
  const files = new MemoryFilesystem({
    files: {
      'ten.txt': numbered(10),
      'open.txt': 'a\nb',
      'empty.txt': '',
      'blank.txt': '\n',
      'windows.txt': '\uFEFFone\r\ntwo\r\n',
      'breaks.txt': 'a\u2028b\u0085c\fd\n',
      'data.bin': Uint8Array.of(1, 0, 2, 255),
      'latin1.txt': Uint8Array.of(0x67, 0xfc, 0x6e),
      'dir/x.txt': '',
    },
  });

  it('numbers the lines and says which they are', async () => {
    const answer = await runTool(vfsTools.read_file, files, { file_path: 'ten.txt' });
    expect(answer.message).toBe('ten.txt - lines 1-10 of 10');
    expect(answer.text.split('\n')).toHaveLength(10);
    expect(answer.text.split('\n')[0]).toBe(' 1 | line 1');
    expect(answer.text.split('\n')[9]).toBe('10 | line 10');
    expect(answer.text).not.toContain('continue');
  });

  it('shows a window and how to continue, until the end', async () => {
    const first = await runTool(vfsTools.read_file, files, { file_path: 'ten.txt', offset: 4, limit: 2 });
    expect(first.message).toBe('ten.txt - lines 5-6 of 10');
    expect(first.text).toBe('5 | line 5\n6 | line 6\n[4 more lines; continue with offset=6]');
    const last = await runTool(vfsTools.read_file, files, { file_path: 'ten.txt', offset: 6, limit: 4 });
    expect(last.text.endsWith('10 | line 10')).toBe(true);
    expect(last.value).not.toHaveProperty('nextOffset');
  });

  it('clamps a limit that is too high', async () => {
    const { read_file } = createVfsTools({ limits: { maxLines: 3 } });
    const answer = await runTool(read_file, files, { file_path: 'ten.txt', limit: 5000 });
    expect(answer.message).toBe('ten.txt - lines 1-3 of 10');
    expect(answer.text).toContain('[7 more lines; continue with offset=3]');
  });

  it('reads a whole file by following the offsets under any output limit', async () => {
    for (const maxOutputCharacters of [1, 7, 20, 33, 1000]) {
      const { read_file } = createVfsTools({ limits: { maxOutputCharacters } });
      let text = '';
      let offset: number | undefined = 0;
      while (offset !== undefined) {
        const { value } = await runTool(read_file, files, { file_path: 'ten.txt', offset });
        // The schema of the result was checked by the call.
        const window = value as { text: string; nextOffset?: number };
        text += `${window.text}\n`;
        offset = window.nextOffset;
      }
      expect(text).toBe(numbered(10));
    }
  });

  it('cuts over-long lines, never within a character, and says how much is missing', async () => {
    const long = new MemoryFilesystem({
      files: { 'long.txt': `${'x'.repeat(9)}👋${'y'.repeat(20)}\nshort\n` },
    });
    const { read_file } = createVfsTools({ limits: { maxLineCharacters: 10 } });
    const answer = await runTool(read_file, long, { file_path: 'long.txt' });
    expect(answer.text).toBe(
      `1 | ${'x'.repeat(9)}… [22 more characters]\n2 | short\n[1 line is cut; continue it with offset=0, character_offset=9]`,
    );
  });

  it('shows the rest of over-long lines, by the arguments that its answers end with', async () => {
    const line = (at: number): string => `${at}`.repeat(at * 7) + '👋'.repeat(40) + `end ${at}`;
    const lines = [1, 2, 3, 4].map(line);
    const long = new MemoryFilesystem({ files: { f: `\uFEFF${lines.join('\r\n')}\nshort\n` } });
    for (const [maxLineCharacters, maxOutputCharacters] of [
      [10, 30],
      [1, 1],
      [13, 200],
    ] as const) {
      const { read_file } = createVfsTools({ limits: { maxLineCharacters, maxOutputCharacters } });
      let offset: number | undefined = 0;
      const found: string[] = [];
      while (offset !== undefined) {
        const { value } = await runTool(read_file, long, { file_path: 'f', offset, limit: 1 });
        // The schema of the result was checked by the call.
        const shown = value as { text: string; nextOffset?: number; cutLines?: { characters: number }[] };
        let character = shown.cutLines?.[0]?.characters;
        let text = character === undefined ? shown.text : shown.text.slice(0, character);
        while (character !== undefined) {
          const part = await runTool(read_file, long, {
            file_path: 'f',
            offset,
            character_offset: character,
          });
          const rest = part.value as { text: string; nextCharacterOffset?: number };
          expect(rest.text).not.toMatch(/\p{Surrogate}/u);
          text += rest.text;
          character = rest.nextCharacterOffset;
          const last = part.text.split('\n').at(-1);
          if (character !== undefined)
            expect(last).toContain(`continue with offset=${offset}, character_offset=${character}]`);
        }
        found.push(text);
        offset = shown.nextOffset;
      }
      expect(found).toEqual([...lines, 'short']);
    }
  });

  it('says which lines are cut, and where a part of a line is', async () => {
    const long = new MemoryFilesystem({ files: { f: `${'x'.repeat(30)}\nshort\n${'👋'.repeat(15)}\n` } });
    const { read_file } = createVfsTools({ limits: { maxLineCharacters: 10, maxOutputCharacters: 80 } });
    expect((await runTool(read_file, long, { file_path: 'f' })).text).toContain(
      '[2 lines are cut; continue the first with offset=0, character_offset=10]',
    );
    const part = await runTool(read_file, long, { file_path: 'f', offset: 2, character_offset: 7 });
    // Within a pair, so one before.
    expect(part).toMatchObject({
      message: 'f - line 3 of 3, characters 7-30 of 30',
      text: `3 | ${'👋'.repeat(12)}`,
    });
    const past = await runTool(read_file, long, { file_path: 'f', offset: 1, character_offset: 5 });
    expect(past).toMatchObject({
      success: true,
      message: 'f - line 2 of 3, the line has 5 characters, there are none left',
    });
  });

  it('handles a missing final newline, an empty file, a blank line', async () => {
    expect((await runTool(vfsTools.read_file, files, { file_path: 'open.txt' })).text).toBe('1 | a\n2 | b');
    const empty = await runTool(vfsTools.read_file, files, { file_path: 'empty.txt' });
    expect(empty).toMatchObject({ success: true, message: 'empty.txt is empty.', text: '' });
    expect((await runTool(vfsTools.read_file, files, { file_path: 'blank.txt' })).text).toBe('1 | ');
  });

  it('shows no carriage returns or byte order mark, but names them', async () => {
    const answer = await runTool(vfsTools.read_file, files, { file_path: 'windows.txt' });
    expect(answer.message).toBe('windows.txt - lines 1-2 of 2 (byte order mark, CRLF line ends)');
    expect(answer.text).toBe('1 | one\n2 | two');
  });

  it('counts line feeds only as line ends', async () => {
    const answer = await runTool(vfsTools.read_file, files, { file_path: 'breaks.txt' });
    expect(answer.text).toBe('1 | a\u2028b\u0085c\fd');
  });

  it.each([10, 11, 500])(
    'shows nothing past the end, at offset %s, and says how many lines there are',
    async (offset) => {
      const answer = await runTool(vfsTools.read_file, files, { file_path: 'ten.txt', offset });
      expect(answer).toEqual({
        success: true,
        message: `ten.txt has 10 lines; there are none after an offset of ${offset}.`,
        text: '',
        value: { path: 'ten.txt', text: '', firstLine: 0, lastLine: 0, totalLines: 10 },
        attachments: [],
      });
      const empty = await runTool(vfsTools.read_file, files, { file_path: 'empty.txt', offset });
      expect(empty).toMatchObject({ success: true, message: 'empty.txt is empty.', text: '' });
    },
  );

  it('shows what a directory holds, as ls does', async () => {
    const tree = new MemoryFilesystem({ files: { 'd/b.txt': 'bb', 'd/a/x.txt': '', 'd/c.txt': '' } });
    const read = async (params: object) => runTool(vfsTools.read_file, tree, params);
    const listed = await runTool(vfsTools.ls, tree, { path: 'd' });
    const answer = await read({ file_path: './d/' });
    expect([answer.message, answer.text]).toEqual([listed.message, listed.text]);
    expect(answer.value).toEqual({
      path: 'd',
      text: '',
      firstLine: 0,
      lastLine: 0,
      totalLines: 0,
      entries: [
        { name: 'a', kind: 'directory' },
        { name: 'b.txt', kind: 'file', bytes: 2 },
        { name: 'c.txt', kind: 'file', bytes: 0 },
      ],
      totalEntries: 3,
    });
    expect((await read({ file_path: '.' })).message).toBe('. - 0 files, 1 directory');
    expect((await read({ file_path: 'd', character_offset: 2 })).message).toContain(
      '"d" is a directory, a file is needed here.',
    );
    await tree.mkdir('empty');
    expect(await read({ file_path: 'empty' })).toMatchObject({ message: 'empty is empty.', text: '' });
  });

  it('shows a part of a long directory, and how to continue', async () => {
    const tree = new MemoryFilesystem({ files: { a: '', b: '', c: '', d: '', e: '' } });
    const { read_file } = createVfsTools({ limits: { maxEntries: 2 } });
    const read = async (params: object) => runTool(read_file, tree, { file_path: '.', ...params });
    const first = await read({});
    expect(first.message).toBe('. - 5 files, 0 directories, entries 1-2 of 5');
    expect(first.text).toBe('a (0 bytes)\nb (0 bytes)\n[3 more entries; continue with offset=2]');
    expect(first.value).toMatchObject({ nextOffset: 2, totalEntries: 5 });
    const second = await read({ offset: 2, limit: 1 });
    expect(second.text).toBe('c (0 bytes)\n[2 more entries; continue with offset=3]');
    const last = await read({ offset: 3, limit: 9 });
    expect(last.message).toBe('. - 5 files, 0 directories, entries 4-5 of 5');
    expect(last.value).not.toHaveProperty('nextOffset');
    const beyond = await read({ offset: 5 });
    expect(beyond.message).toBe('. - 5 files, 0 directories, there are none after an offset of 5');
    expect(beyond.value).not.toHaveProperty('nextOffset');
  });

  it.each([
    ['data.bin', '"data.bin" is a binary file of 4 bytes, not UTF-8 text'],
    ['latin1.txt', '"latin1.txt" is a binary file of 3 bytes, not UTF-8 text'],
    ['missing.txt', 'There is no "missing.txt". Use ls or glob'],
    ['ten.txt/x', '"ten.txt/x" cannot be used as a directory'],
    ['..', '".." leaves the workspace'],
    ['x'.repeat(300), 'Use a path from the workspace root'],
  ])('answers %s with what to do', async (file_path, message) => {
    const answer = await runTool(vfsTools.read_file, files, { file_path });
    expect(answer.success).toBe(false);
    expect(answer.message).toContain(message);
    expect(answer.message.length).toBeLessThan(500);
  });

  it.each([{ offset: -1 }, { limit: 0 }, { offset: 0.5 }, { limit: '5' }, { path: 'x' }])(
    'has a schema that refuses %j',
    async (extra) => {
      await expect(runTool(vfsTools.read_file, files, { file_path: 'ten.txt', ...extra })).rejects.toThrow(
        'invalid arguments',
      );
    },
  );
});

describe('glob', () => {
  const files = new MemoryFilesystem({
    files: { 'a.ts': '', 'src/b.ts': '', 'src/deep/c.ts': '', 'src/d.js': '', 'README.md': '' },
  });

  it('finds files at every depth, also at the top, sorted', async () => {
    const answer = await runTool(vfsTools.glob, files, { pattern: '**/*.ts' });
    expect(answer.message).toBe('3 files for "**/*.ts"');
    expect(answer.text).toBe('a.ts\nsrc/b.ts\nsrc/deep/c.ts');
  });

  it('keeps a star within its directory', async () => {
    expect((await runTool(vfsTools.glob, files, { pattern: '*.ts' })).text).toBe('a.ts');
    expect((await runTool(vfsTools.glob, files, { pattern: '*.ts', path: 'src' })).text).toBe('src/b.ts');
  });

  it('says what to try when nothing matches', async () => {
    const answer = await runTool(vfsTools.glob, files, { pattern: 'c.ts' });
    expect(answer).toMatchObject({ success: true, text: '' });
    expect(answer.message).toContain('Put "**/" in front');
  });

  it('shows no more paths than the limits allow, and says that there are more', async () => {
    for (const limits of [{ maxPaths: 2 }, { maxOutputCharacters: 15 }]) {
      const answer = await runTool(createVfsTools({ limits }).glob, files, { pattern: '**/*.ts' });
      expect(answer.message).toBe('More than 2 files match "**/*.ts"');
      expect(answer.text).toBe('a.ts\nsrc/b.ts\nThere are more. Use a narrower pattern, or a path.');
      expect(answer.value).toMatchObject({ truncated: true });
    }
  });

  it.each([
    [{ pattern: '../*' }, 'contains ".."'],
    [{ pattern: 'src/' }, 'ends with "/"'],
    [{ pattern: '*', path: 'missing' }, 'There is no "missing"'],
    [{ pattern: '*', path: 'a.ts' }, '"a.ts" cannot be used as a directory'],
  ])('answers %j with what to do', async (params, message) => {
    const answer = await runTool(vfsTools.glob, files, params);
    expect(answer.success).toBe(false);
    expect(answer.message).toContain(message);
  });
});

describe('grep', () => {
  const files = new MemoryFilesystem({
    files: {
      'a.ts': 'const one = 1;\r\nconst two = (2);\n',
      'docs/b.md': 'One\nconst in prose\n',
      'data.bin': Uint8Array.of(0, 1, 2),
    },
  });

  it('shows path, line and text, without line ends, and counts what it could not search', async () => {
    const answer = await runTool(vfsTools.grep, files, { pattern: '^const' });
    expect(answer.message).toBe('3 lines in 2 files for "^const" (1 binary file not searched)');
    expect(answer.text).toBe('a.ts:1: const one = 1;\na.ts:2: const two = (2);\ndocs/b.md:2: const in prose');
  });

  it('narrows by path, by one file and by glob, takes plain text and ignores case', async () => {
    const text = async (params: object): Promise<string> =>
      (await runTool(vfsTools.grep, files, params)).text;
    expect(await text({ pattern: 'const', path: 'docs' })).toBe('docs/b.md:2: const in prose');
    expect(await text({ pattern: 'two', path: 'a.ts' })).toBe('a.ts:2: const two = (2);');
    expect(await text({ pattern: 'const', glob: '*.md' })).toBe('docs/b.md:2: const in prose');
    expect(await text({ pattern: '(2)', literal: true })).toBe('a.ts:2: const two = (2);');
    expect(await text({ pattern: 'ONE', ignore_case: true })).toBe(
      'a.ts:1: const one = 1;\ndocs/b.md:1: One',
    );
  });

  it('says so when no line matches', async () => {
    const answer = await runTool(vfsTools.grep, files, { pattern: 'absent', glob: '*.md' });
    expect(answer).toMatchObject({ success: true, message: 'No line matches "absent".', text: '' });
  });

  it('shows no more lines or characters than the limits allow', async () => {
    const many = new MemoryFilesystem({
      files: { 'm.txt': numbered(50), 'long.txt': `${'x'.repeat(5000)}\n` },
    });
    for (const limits of [{ maxMatches: 2 }, { maxOutputCharacters: 35 }]) {
      const answer = await runTool(createVfsTools({ limits }).grep, many, { pattern: 'line' });
      expect(answer.message).toBe('The first 2 lines in 1 file for "line"');
      expect(answer.text).toBe(
        'm.txt:1: line 1\nm.txt:2: line 2\nThere are more. Use a narrower pattern, a path or a glob.',
      );
    }
    const cut = await runTool(vfsTools.grep, many, { pattern: 'xx' });
    expect(
      cut.text
        .split('\n')
        .slice(0, 5)
        .every((line) => line.length < 560),
    ).toBe(true);
    expect(cut.message).toBe('1 line in 1 file for "xx"');
    expect(cut.text).toMatch(
      /^long\.txt:1:1: x+…\n(long\.txt:1:\d+: …x+…\n){3}long\.txt:1:\d+: …x+… \[more matches in this line\]\nOf long lines/,
    );
  });

  it('shows what it found of a long line with its position', async () => {
    const line = `${'a();'.repeat(2000)}startServer(4711);${'b();'.repeat(2000)}`;
    const bundle = new MemoryFilesystem({ files: { 'bundle.js': line } });
    const answer = await runTool(vfsTools.grep, bundle, { pattern: 'startServer\\(\\d+' });
    const [match, note] = answer.text.split('\n');
    expect(match).toMatch(/^bundle\.js:1:8001: …(a\(\);)*a?.*startServer\(4711\);(b\(\);)+/);
    expect(note).toMatch(/offset and character_offset/);
    const near = await runTool(vfsTools.read_file, bundle, {
      file_path: 'bundle.js',
      character_offset: 8000,
    });
    expect(near.text).toMatch(/^1 \| startServer\(4711\);b/);
  });

  it.each([
    [{ pattern: '(' }, 'literal'],
    [{ pattern: '(?=x)' }, 'RE2'],
    [{ pattern: 'x', glob: '../*' }, 'contains ".."'],
    [{ pattern: 'x', path: 'missing' }, 'There is no "missing"'],
  ])('answers %j with what to do', async (params, message) => {
    const answer = await runTool(vfsTools.grep, files, params);
    expect(answer.success).toBe(false);
    expect(answer.message).toContain(message);
  });
});

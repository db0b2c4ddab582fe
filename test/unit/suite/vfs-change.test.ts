import { describe, expect, it } from 'vitest';
import { MemoryFilesystem } from 'weakincentives';
import { anthropicDialect } from 'weakincentives/anthropic';
import { openaiDialect } from 'weakincentives/openai';
import { projectSchema } from 'weakincentives/provider';
import { createVfsTools } from '../../../src/suite/vfs/vfs-tools.ts';
import { runTool } from './run-tool.ts';

const vfsTools = createVfsTools();

const textOf = async (files: MemoryFilesystem, path: string): Promise<string> =>
  (await files.read(path)).text;

describe('write_file', () => {
  it('creates a file and its directories, and says how large it is', async () => {
    const files = new MemoryFilesystem();
    const answer = await runTool(vfsTools.write_file, files, { file_path: '/a/b/ü.txt', content: 'grün' });
    expect(answer.message).toBe('Created a/b/ü.txt (5 bytes).');
    expect(answer.value).toEqual({ path: 'a/b/ü.txt', created: true, bytes: 5 });
    expect(await textOf(files, 'a/b/ü.txt')).toBe('grün');
  });

  it('replaces what was there, and never repeats content', async () => {
    const files = new MemoryFilesystem({ files: { 'a.txt': 'before' } });
    const answer = await runTool(vfsTools.write_file, files, { file_path: 'a.txt', content: 'afterwards' });
    expect(answer.message).toBe('Replaced the content of a.txt (10 bytes).');
    expect(JSON.stringify(answer)).not.toContain('afterwards');
    expect(await textOf(files, 'a.txt')).toBe('afterwards');
  });

  it('writes an empty file, and keeps line ends as they are given', async () => {
    const files = new MemoryFilesystem();
    await runTool(vfsTools.write_file, files, { file_path: 'empty', content: '' });
    await runTool(vfsTools.write_file, files, { file_path: 'crlf', content: 'a\r\nb' });
    expect((await files.stat('empty'))?.bytes).toBe(0);
    expect(await textOf(files, 'crlf')).toBe('a\r\nb');
  });

  it('keeps the byte order mark of a file that has one, and says so', async () => {
    const files = new MemoryFilesystem({
      files: { 'a.cs': '\uFEFFold', 'plain.cs': 'old', binary: new Uint8Array([0]) },
    });
    const write = async (file_path: string, content: string): Promise<readonly [string, string]> => {
      const { message } = await runTool(vfsTools.write_file, files, { file_path, content });
      return [await textOf(files, file_path), message];
    };
    expect(await write('a.cs', 'new')).toEqual([
      '\uFEFFnew',
      'Replaced the content of a.cs (6 bytes, with the byte order mark that the file had).',
    ]);
    expect(await write('a.cs', '\uFEFFnewer')).toEqual([
      '\uFEFFnewer',
      'Replaced the content of a.cs (8 bytes, with a byte order mark).',
    ]);
    expect(await write('a.cs', '')).toEqual(['', 'Replaced the content of a.cs (0 bytes).']);
    expect(await write('plain.cs', '\uFEFFnew')).toEqual([
      '\uFEFFnew',
      'Replaced the content of plain.cs (6 bytes, with a byte order mark).',
    ]);
    expect(await write('new.cs', '\uFEFFnew')).toEqual([
      '\uFEFFnew',
      'Created new.cs (6 bytes, with a byte order mark).',
    ]);
    expect(await write('binary', 'text')).toEqual(['text', 'Replaced the content of binary (4 bytes).']);
  });

  it.each([
    ['dir', '"dir" is a directory, a file is needed here.'],
    ['a.txt/x', 'cannot be used as a directory: it, or a part of its path, is a file'],
    ['../x', '"../x" leaves the workspace.'],
    ['.', 'is a directory'],
    ['nul\0', 'NUL'],
  ])('refuses %s and says what to do', async (file_path, message) => {
    const files = new MemoryFilesystem({ files: { 'a.txt': 'a', 'dir/x': '' } });
    const answer = await runTool(vfsTools.write_file, files, { file_path, content: 'x' });
    expect(answer.success).toBe(false);
    expect(answer.message).toContain(message);
  });

  it('refuses what is too large, alone or in all', async () => {
    const small = new MemoryFilesystem({ maxFileBytes: 10, maxBytes: 15 });
    const tooLarge = await runTool(vfsTools.write_file, small, { file_path: 'a', content: 'x'.repeat(11) });
    expect(tooLarge).toMatchObject({ success: false });
    expect(tooLarge.message).toContain('Split the content');
    expect(
      (await runTool(vfsTools.write_file, small, { file_path: 'a', content: 'x'.repeat(10) })).success,
    ).toBe(true);
    const full = await runTool(vfsTools.write_file, small, { file_path: 'b', content: 'x'.repeat(10) });
    expect(full).toMatchObject({ success: false });
    expect(full.message).toContain('Nothing was changed. Write less');
  });
});

describe('edit_file', () => {
  const edit = async (content: string | Uint8Array, params: object) => {
    const files = new MemoryFilesystem({ files: { 'f.txt': content } });
    const answer = await runTool(vfsTools.edit_file, files, { file_path: 'f.txt', ...params });
    return {
      answer,
      after: await files
        .readBytes('f.txt')
        .then((bytes) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)),
    };
  };

  it('replaces the one occurrence, and never repeats content', async () => {
    const { answer, after } = await edit('alpha\nbeta\n', { old_string: 'beta', new_string: 'gamma' });
    expect(answer.message).toBe('Edited f.txt: 1 replacement, now 12 bytes.');
    expect(answer.value).toEqual({ path: 'f.txt', replacements: 1, bytes: 12 });
    expect(JSON.stringify(answer)).not.toContain('gamma');
    expect(after).toBe('alpha\ngamma\n');
  });

  it('replaces every occurrence with replace_all', async () => {
    const { answer, after } = await edit('a b a b a', {
      old_string: 'a',
      new_string: 'xx',
      replace_all: true,
    });
    expect(answer.message).toContain('3 replacements');
    expect(after).toBe('xx b xx b xx');
  });

  it('keeps byte order mark, CRLF and the end of the file as they are', async () => {
    const { after } = await edit('\uFEFFone\r\ntwo\r\nthree', {
      old_string: 'one\ntwo',
      new_string: '1\n2\n2b',
    });
    expect(after).toBe('\uFEFF1\r\n2\r\n2b\r\nthree');
    expect((await edit('a\n', { old_string: 'a', new_string: 'b' })).after).toBe('b\n');
    expect((await edit('a', { old_string: 'a', new_string: 'b' })).after).toBe('b');
  });

  it('takes dollar signs literally', async () => {
    const { after } = await edit('price', { old_string: 'price', new_string: '$& $1 $$' });
    expect(after).toBe('$& $1 $$');
  });

  it('names the lines of an ambiguous text', async () => {
    const { answer, after } = await edit('x\r\ny\r\nx\r\nx\r\n', { old_string: 'x', new_string: 'z' });
    expect(answer.success).toBe(false);
    expect(answer.message).toBe(
      'old_string occurs 3 times in "f.txt" (lines 1, 3, 4). Add lines around it until it is unique, or set replace_all to change every one. Nothing was changed.',
    );
    expect(after).toBe('x\r\ny\r\nx\r\nx\r\n');
  });

  it('counts overlapping places, and no more than 1,000', async () => {
    const overlap = await edit('aaa', { old_string: 'aa', new_string: 'b' });
    expect(overlap.answer.message).toContain('occurs 2 times');
    const many = await edit('x\n'.repeat(5000), { old_string: 'x', new_string: 'y' });
    expect(many.answer.message).toContain(
      'occurs 1,000 times or more in "f.txt" (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and further on)',
    );
  });

  it('says when only white space differs, and where', async () => {
    const { answer } = await edit('a\n  if (x) {\n    y();  \n  }\n', {
      old_string: 'if (x) {\n  y();\n}',
      new_string: 'z',
    });
    expect(answer.success).toBe(false);
    expect(answer.message).toContain('from line 2 on differs only in white space');
  });

  it('says when line numbers were copied with the text', async () => {
    const { answer } = await edit('one\ntwo\n', { old_string: '1 | one\n2 | two', new_string: 'z' });
    expect(answer.message).toContain('holds the line numbers that read_file shows');
  });

  it('says to read again when the text is nowhere', async () => {
    const { answer } = await edit('one\n', { old_string: 'absent', new_string: 'z' });
    expect(answer.message).toBe(
      'old_string does not occur in "f.txt". Read the file again and copy the text exactly, with its indentation. Nothing was changed.',
    );
    expect((await edit('', { old_string: ' \n', new_string: 'z' })).answer.message).toContain(
      'does not occur',
    );
  });

  it('refuses an edit that changes nothing', async () => {
    const { answer } = await edit('one', { old_string: 'one', new_string: 'one' });
    expect(answer).toMatchObject({ success: false, message: expect.stringContaining('nothing to change') });
  });

  it.each([
    ['missing', 'There is no "missing"'],
    ['dir', 'is a directory'],
    ['data.bin', 'is a binary file of 2 bytes'],
    ['../x', 'leaves the workspace'],
  ])('refuses %s and says what to do', async (file_path, message) => {
    const files = new MemoryFilesystem({ files: { 'data.bin': Uint8Array.of(0, 1), 'dir/x': '' } });
    const answer = await runTool(vfsTools.edit_file, files, { file_path, old_string: 'a', new_string: 'b' });
    expect(answer.success).toBe(false);
    expect(answer.message).toContain(message);
  });

  it('applies a list of edits to the file as it was, all or none', async () => {
    const { answer, after } = await edit('one\r\ntwo\nthree\r\n', {
      edits: [
        { old_string: 'two', new_string: 'one' },
        { old_string: 'one\n', new_string: '1\n1b\n' },
        { old_string: 'three', new_string: '' },
      ],
    });
    expect(answer.message).toBe('Edited f.txt: 3 replacements, now 13 bytes.');
    expect(after).toBe('1\r\n1b\r\none\n\r\n');
  });

  it.each<readonly [string, object, string]>([
    [
      'one text that does not occur',
      {
        edits: [
          { old_string: 'a', new_string: 'b' },
          { old_string: 'absent', new_string: '' },
        ],
      },
      'old_string of edit 2 does not occur in "f.txt"',
    ],
    [
      'one text that occurs twice',
      {
        edits: [
          { old_string: 'a', new_string: 'b' },
          { old_string: 'x', new_string: '' },
        ],
      },
      'old_string of edit 2 occurs 2 times in "f.txt" (lines 2, 3). Add lines around it until it is unique. Nothing',
    ],
    [
      'edits that overlap',
      {
        edits: [
          { old_string: 'a\nx', new_string: 'b' },
          { old_string: 'a', new_string: '' },
        ],
      },
      'overlap',
    ],
    [
      'an edit that changes nothing',
      { edits: [{ old_string: 'a', new_string: 'a' }] },
      'of edit 1 are the same',
    ],
    ['no form', {}, 'give old_string and new_string, or a list of edits, or insert_line and new_string'],
    [
      'an empty list',
      { edits: [] },
      'give old_string and new_string, or a list of edits, or insert_line and new_string',
    ],
    [
      'half a form',
      { old_string: 'a' },
      'give old_string and new_string, or a list of edits, or insert_line and new_string',
    ],
    [
      'both forms',
      { old_string: 'a', new_string: 'b', edits: [{ old_string: 'a', new_string: 'b' }] },
      'together with old_string, new_string or replace_all',
    ],
    [
      'replace_all for a list',
      { replace_all: true, edits: [{ old_string: 'x', new_string: 'b' }] },
      'together with old_string, new_string or replace_all',
    ],
  ])('refuses %s and changes nothing', async (_what, params, message) => {
    const { answer, after } = await edit('a\nx\nx\n', params);
    expect(answer.success).toBe(false);
    expect(answer.message).toContain(message);
    expect(after).toBe('a\nx\nx\n');
  });

  it.each<readonly [string, string, number, string, string]>([
    ['at the start', 'a\nb\n', 0, 'x', 'x\na\nb\n'],
    ['in the middle', 'a\nb\n', 1, 'x\ny', 'a\nx\ny\nb\n'],
    ['at the end', 'a\nb\n', 2, 'x', 'a\nb\nx\n'],
    ['with a newline of its own', 'a\nb\n', 1, 'x\n', 'a\nx\nb\n'],
    ['an empty line', 'a\nb\n', 1, '\n', 'a\n\nb\n'],
    ['after a last line without newline', 'a\nb', 2, 'x', 'a\nb\nx'],
    ['after a last line without newline, with one', 'a\nb', 2, 'x\n', 'a\nb\nx\n'],
    ['before a last line without newline', 'a\nb', 1, 'x', 'a\nx\nb'],
    ['into an empty file', '', 0, 'x', 'x'],
    ['into a file of CRLF', 'a\r\nb\r\n', 1, 'x\ny', 'a\r\nx\r\ny\r\nb\r\n'],
    ['of CRLF into a file of LF', 'a\nb\n', 0, 'x\r\ny', 'x\ny\na\nb\n'],
    ['after a line of CRLF among others', 'a\n\nb\r\nc\n', 3, 'x', 'a\n\nb\r\nx\r\nc\n'],
    ['before a line of CRLF among others', 'a\r\nb\nc\n', 0, 'x', 'x\r\na\r\nb\nc\n'],
    ['at the end of CRLF without newline', 'a\r\nb', 2, 'x', 'a\r\nb\r\nx'],
    ['behind the byte order mark', '\uFEFFa\n', 0, 'x', '\uFEFFx\na\n'],
    ['what stands there already', 'a\na\n', 0, 'a', 'a\na\na\n'],
  ])('inserts lines %s', async (_what, content, insert_line, new_string, expected) => {
    const { answer, after } = await edit(content, { insert_line, new_string });
    expect(answer).toMatchObject({ success: true });
    expect(after).toBe(expected);
    expect(answer.value).toMatchObject({ bytes: new TextEncoder().encode(expected).length });
  });

  it('says how many lines it has inserted, and where', async () => {
    const { answer } = await edit('a\n', { insert_line: 1, new_string: 'x\ny\n' });
    expect(answer.message).toBe('Edited f.txt: 2 lines inserted after line 1, now 6 bytes.');
    expect(answer.value).toEqual({ path: 'f.txt', replacements: 1, bytes: 6, insertedLines: 2 });
    const first = await edit('a\n', { insert_line: 0, new_string: 'x', edits: [], replace_all: false });
    expect(first.answer.message).toBe('Edited f.txt: 1 line inserted at the start, now 4 bytes.');
  });

  it.each<readonly [string, object, string]>([
    [
      'a line beyond the end',
      { insert_line: 4, new_string: 'z' },
      'insert_line is 4, and "f.txt" has 3 lines.',
    ],
    ['no text', { insert_line: 1 }, 'There is nothing to insert'],
    ['an empty text', { insert_line: 1, new_string: '' }, 'There is nothing to insert'],
    [
      'old_string beside it',
      { insert_line: 1, old_string: 'a', new_string: 'b' },
      'together with old_string',
    ],
    [
      'edits beside it',
      { insert_line: 1, new_string: 'b', edits: [{ old_string: 'a', new_string: 'b' }] },
      'together with old_string, replace_all or edits',
    ],
    [
      'replace_all beside it',
      { insert_line: 1, new_string: 'b', replace_all: true },
      'together with old_string',
    ],
  ])('inserts nothing with %s', async (_what, params, message) => {
    const { answer, after } = await edit('a\nx\nx\n', params);
    expect(answer.success).toBe(false);
    expect(answer.message).toContain(message);
    expect(answer.message).toContain('Nothing was changed.');
    expect(after).toBe('a\nx\nx\n');
  });

  it('inserts nothing into what is not text, a directory or nothing', async () => {
    const files = new MemoryFilesystem({ files: { 'd/b': new Uint8Array([0, 255]) } });
    const insert = async (file_path: string): Promise<string> =>
      (await runTool(vfsTools.edit_file, files, { file_path, insert_line: 0, new_string: 'x' })).message;
    expect(await insert('d/b')).toContain('is a binary file');
    expect(await insert('d')).toContain('is a directory, a file is needed');
    expect(await insert('e')).toContain('There is no "e"');
  });

  it('takes defaults that a model spells out', async () => {
    const list = await edit('a', { replace_all: false, edits: [{ old_string: 'a', new_string: 'b' }] });
    expect(list.after).toBe('b');
    expect((await edit('a', { old_string: 'a', new_string: 'b', edits: [] })).after).toBe('b');
  });

  it('has a schema that strict providers hold a model to', () => {
    const { inputSchema } = vfsTools.edit_file;
    if (inputSchema === undefined) throw new Error('no schema');
    expect(projectSchema(inputSchema, openaiDialect)).toMatchObject({ strict: true });
    expect(projectSchema(inputSchema, anthropicDialect)).toMatchObject({ strict: true });
  });

  it('has a schema that refuses an empty old_string', async () => {
    await expect(edit('a', { old_string: '', new_string: 'b' })).rejects.toThrow('invalid arguments');
  });
});

describe('rm', () => {
  const tree = () => new MemoryFilesystem({ files: { 'a.txt': '', 'd/b.txt': '', 'd/e/c.txt': '' } });

  it('removes a file', async () => {
    const files = tree();
    const answer = await runTool(vfsTools.rm, files, { path: 'a.txt' });
    expect(answer.message).toBe('Removed a.txt: 1 file.');
    expect(await files.stat('a.txt')).toBeUndefined();
  });

  it('removes a directory with all it holds, and counts', async () => {
    const files = tree();
    const answer = await runTool(vfsTools.rm, files, { path: 'd' });
    expect(answer.message).toBe('Removed d: 2 files, 2 directories.');
    expect(await files.stat('d')).toBeUndefined();
    expect(await files.stat('a.txt')).toBeDefined();
  });

  it('counts an empty directory', async () => {
    const files = tree();
    await files.mkdir('empty');
    expect((await runTool(vfsTools.rm, files, { path: 'empty' })).message).toBe(
      'Removed empty: 1 directory.',
    );
  });

  it.each(['.', '/', './', 'd/..', '//'])('refuses the root, written %s', async (path) => {
    const files = tree();
    const answer = await runTool(vfsTools.rm, files, { path });
    expect(answer).toMatchObject({
      success: false,
      message: 'The workspace root cannot be removed. Name a file or directory in it.',
    });
    expect((await files.glob('**')).paths).toHaveLength(3);
  });

  it.each([
    ['missing', 'There is no "missing"'],
    ['a.txt/x', 'cannot be used as a directory'],
    ['../..', 'leaves the workspace'],
  ])('refuses %s and says what to do', async (path, message) => {
    const answer = await runTool(vfsTools.rm, tree(), { path });
    expect(answer.success).toBe(false);
    expect(answer.message).toContain(message);
  });
});

describe('mv and cp', () => {
  const tree = () => new MemoryFilesystem({ files: { 'a.txt': 'a', 'd/b.txt': 'b', 'd/e/c.txt': 'c' } });

  it('move and copy a file into a new directory', async () => {
    const files = tree();
    const moved = await runTool(vfsTools.mv, files, { from: './a.txt', to: 'new/x.txt' });
    expect(moved.message).toBe('Moved a.txt to new/x.txt.');
    const copied = await runTool(vfsTools.cp, files, { from: 'new/x.txt', to: 'y z.txt' });
    expect(copied.message).toBe('Copied new/x.txt to "y z.txt".');
    expect(copied.value).toEqual({ from: 'new/x.txt', to: 'y z.txt', kind: 'file', files: 1 });
    expect((await files.glob('**')).paths).toEqual(['d/b.txt', 'd/e/c.txt', 'new/x.txt', 'y z.txt']);
  });

  it('take a directory with all it holds', async () => {
    const files = tree();
    expect((await runTool(vfsTools.cp, files, { from: 'd', to: 'f' })).message).toBe(
      'Copied d to f (a directory with 2 files).',
    );
    expect((await runTool(vfsTools.mv, files, { from: 'd', to: 'g' })).success).toBe(true);
    expect((await files.glob('**')).paths).toEqual(['a.txt', 'f/b.txt', 'f/e/c.txt', 'g/b.txt', 'g/e/c.txt']);
  });

  it.each([
    ['a.txt', 'd/b.txt', '"d/b.txt" exists already.'],
    ['a.txt', 'd', '"d" exists already.'],
    ['d', 'd/x', 'into itself'],
    ['missing', 'x', 'There is no "missing"'],
    ['a.txt', 'a.txt/x', 'into itself'],
    ['a.txt', 'd/b.txt/x', 'cannot be used as a directory'],
    ['a.txt', '../x', '"../x" leaves the workspace'],
    ['../x', 'y', '"../x" leaves the workspace'],
    ['.', 'x', 'The workspace root cannot be'],
  ])('refuse %s to %s and change nothing', async (from, to, message) => {
    for (const tool of [vfsTools.mv, vfsTools.cp]) {
      const files = tree();
      const before = await files.snapshot();
      const answer = await runTool(tool, files, { from, to });
      expect(answer.success).toBe(false);
      expect(answer.message).toContain(message);
      expect(files.changesSince(before)).toEqual([]);
    }
  });
});

describe('the file tools', () => {
  it('change nothing through a view that may only be read, and say so', async () => {
    const files = new MemoryFilesystem({ files: { 'a.txt': 'a' } });
    const { view } = files.fork({ readOnly: true });
    const answers = await Promise.all([
      runTool(vfsTools.write_file, view, { file_path: 'a.txt', content: 'b' }),
      runTool(vfsTools.edit_file, view, { file_path: 'a.txt', old_string: 'a', new_string: 'b' }),
      runTool(vfsTools.rm, view, { path: 'a.txt' }),
      runTool(vfsTools.mv, view, { from: 'a.txt', to: 'b.txt' }),
      runTool(vfsTools.cp, view, { from: 'a.txt', to: 'b.txt' }),
    ]);
    for (const answer of answers) {
      expect(answer).toMatchObject({ success: false, message: expect.stringContaining('can only be read') });
    }
  });

  it('say what they change: four look, five change state', () => {
    const effects = Object.values(vfsTools).map((tool) => `${tool.name}: ${tool.effects}`);
    expect(effects).toEqual([
      'ls: read',
      'read_file: read',
      'write_file: state',
      'edit_file: state',
      'glob: read',
      'grep: read',
      'rm: state',
      'mv: state',
      'cp: state',
    ]);
  });

  it('bring examples that their schemas accept, and render them', () => {
    for (const tool of Object.values(vfsTools)) {
      expect(tool.examples.length).toBeGreaterThan(0);
      expect(tool.render).toBeDefined();
    }
  });
});

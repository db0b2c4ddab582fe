import { describe, expect, it } from 'vitest';
import { expectCode, type OpenFilesystem } from './filesystem-setup.ts';

const files = {
  'README.md': 'Hello\nworld\n',
  '.hidden/x.ts': 'hidden',
  'src/a.ts': 'const a = 1;\r\nconst b = 2;\r\n',
  'src/a.test.ts': 'test(a)',
  'src/deep/b.ts': 'const c = 3;',
  'src/deep/er/c.js': 'CONST',
  'src.ts': 'const top = 0;',
  'image.png': new Uint8Array([0x89, 0, 1]),
};

export function describeSearch(open: OpenFilesystem): void {
  describe('glob', () => {
    it.each<readonly [string, readonly string[]]>([
      ['*.ts', ['src.ts']],
      ['**/*.ts', ['.hidden/x.ts', 'src.ts', 'src/a.test.ts', 'src/a.ts', 'src/deep/b.ts']],
      ['src/*', ['src/a.test.ts', 'src/a.ts']],
      ['src/**', ['src/a.test.ts', 'src/a.ts', 'src/deep/b.ts', 'src/deep/er/c.js']],
      ['src/**/*.{js,test.ts}', ['src/a.test.ts', 'src/deep/er/c.js']],
      ['**/deep/**/?.[jt]s', ['src/deep/b.ts', 'src/deep/er/c.js']],
      ['src', []],
      ['absent/**', []],
      ['README.md/**', []],
    ])('%s', async (pattern, expected) => {
      const filesystem = await open({ files });
      expect(await filesystem.glob(pattern)).toEqual({ paths: expected, truncated: false });
    });

    it('takes names at the start of a pattern that exist as they are written for these names', async () => {
      const filesystem = await open({
        files: {
          'app/[id]/x.ts': 'x',
          'app/i/x.ts': 'x',
          'app/[id].ts': 'x',
          'app/i.ts': 'x',
          '{a}': 'x',
          '!b': 'x',
        },
      });
      const found = async (pattern: string, path = '.'): Promise<readonly string[]> =>
        (await filesystem.glob(pattern, { path })).paths;
      expect(await found('app/[id]/x.ts')).toEqual(['app/[id]/x.ts']);
      expect(await found('./app//[id]/*.ts')).toEqual(['app/[id]/x.ts']);
      expect(await found('[id]/**', 'app')).toEqual(['app/[id]/x.ts']);
      expect(await found('[di].ts', 'app')).toEqual(['app/i.ts']);
      expect(await found('\\[id].ts', 'app')).toEqual(['app/[id].ts']);
      expect(await found('**/[id].ts')).toEqual(['app/[id].ts', 'app/i.ts']);
      expect(await found('{a}')).toEqual(['{a}']);
      expect(await found('!b')).toEqual(['!b']);
      expect((await filesystem.grep('x', { glob: 'app/[id].ts' })).matches.map(({ path }) => path)).toEqual([
        'app/[id].ts',
      ]);
      expect((await filesystem.grep('x', { glob: '[id].ts' })).matches.map(({ path }) => path)).toEqual([
        'app/[id].ts',
        'app/i.ts',
      ]);
    });

    it('is relative to a directory, and gives paths from the root', async () => {
      const filesystem = await open({ files });
      expect((await filesystem.glob('*.ts', { path: 'src' })).paths).toEqual(['src/a.test.ts', 'src/a.ts']);
      expect((await filesystem.glob('er/*', { path: '/src/deep/' })).paths).toEqual(['src/deep/er/c.js']);
    });

    it('sorts by the whole path and stops at its limit', async () => {
      const filesystem = await open({ files: { 'a/b': '', 'a.b': '', a0: '', 'a/-': '' } });
      expect((await filesystem.glob('**')).paths).toEqual(['a.b', 'a/-', 'a/b', 'a0']);
      expect(await filesystem.glob('**', { limit: 2 })).toEqual({ paths: ['a.b', 'a/-'], truncated: true });
      expect(await filesystem.glob('**', { limit: 4 })).toMatchObject({ truncated: false });
    });

    it('refuses bad patterns, paths and limits', async () => {
      const filesystem = await open({ files });
      for (const pattern of ['', '/', '.', 'src/', '../*', 'a/../b', 'x'.repeat(1025), '{a,b}'.repeat(7)]) {
        await expectCode(filesystem.glob(pattern), 'pattern-invalid');
      }
      await expectCode(filesystem.glob('**', { path: 'absent' }), 'path-not-found');
      await expectCode(filesystem.glob('**', { path: 'src.ts' }), 'path-not-directory');
      await expectCode(filesystem.glob('**', { path: 'src.ts/x' }), 'path-not-directory');
      await expectCode(filesystem.glob('**', { limit: 0 }), 'argument-invalid');
    });
  });

  describe('grep', () => {
    it('takes a byte order mark for no part of the first line, unless the pattern names it', async () => {
      const filesystem = await open({ files: { f: '\ufeffone\ntwo\n', blank: '\ufeff\n' } });
      const found = async (pattern: string, options = {}): Promise<readonly string[]> =>
        (await filesystem.grep(pattern, options)).matches.map(
          ({ path, line, text }) => `${path}:${line}:${text}`,
        );
      expect(await found('^one$')).toEqual(['f:1:one']);
      expect(await found('^ONE$', { ignoreCase: true })).toEqual(['f:1:one']);
      expect(await found('one', { literal: true })).toEqual(['f:1:one']);
      expect(await found('\ufeffone', { literal: true })).toEqual(['f:1:one']);
      expect(await found('^\ufeffone')).toEqual(['f:1:one']);
      expect(await found('^two')).toEqual(['f:2:two']);
      expect(await found('^.')).toEqual(['f:1:one', 'f:2:two']);
    });

    it('finds lines, and skips what is no text', async () => {
      const filesystem = await open({ files });
      expect(await filesystem.grep('^const \\w+ = \\d;$')).toEqual({
        matches: [
          { path: 'src.ts', line: 1, text: 'const top = 0;' },
          { path: 'src/a.ts', line: 1, text: 'const a = 1;' },
          { path: 'src/a.ts', line: 2, text: 'const b = 2;' },
          { path: 'src/deep/b.ts', line: 1, text: 'const c = 3;' },
        ],
        truncated: false,
        skippedBinary: 1,
      });
    });

    it('narrows by path and glob', async () => {
      const filesystem = await open({ files });
      const paths = async (options: { path?: string; glob?: string }): Promise<readonly string[]> =>
        (await filesystem.grep('const', { ...options, ignoreCase: true })).matches.map(({ path }) => path);
      expect(await paths({ path: 'src/deep' })).toEqual(['src/deep/b.ts', 'src/deep/er/c.js']);
      expect(await paths({ path: 'src.ts' })).toEqual(['src.ts']);
      expect(await paths({ path: 'src.ts', glob: '*.js' })).toEqual([]);
      // Without a slash: names at any depth. With one: from the path down.
      expect(await paths({ glob: '*.js' })).toEqual(['src/deep/er/c.js']);
      expect(await paths({ path: 'src', glob: 'deep/*' })).toEqual(['src/deep/b.ts']);
    });

    it('takes patterns literally and without case when asked to', async () => {
      const filesystem = await open({ files: { f: 'a.c\nabc\nA.C\n' } });
      const lines = async (options: object): Promise<readonly number[]> =>
        (await filesystem.grep('a.c', options)).matches.map(({ line }) => line);
      expect(await lines({})).toEqual([1, 2]);
      expect(await lines({ literal: true })).toEqual([1]);
      expect(await lines({ ignoreCase: true })).toEqual([1, 2, 3]);
      expect(await lines({ literal: true, ignoreCase: true })).toEqual([1, 3]);
    });

    it('numbers lines by line feeds, also for plain text', async () => {
      const filesystem = await open({ files: { f: 'x\r\n\n\u2028x y x\n\nx' } });
      for (const literal of [true, false]) {
        expect((await filesystem.grep('x', { literal })).matches).toEqual([
          { path: 'f', line: 1, text: 'x' },
          { path: 'f', line: 3, text: '\u2028x y x' },
          { path: 'f', line: 5, text: 'x' },
        ]);
      }
    });

    it('searches the files as they are when it is called', async () => {
      const filesystem = await open({ files: { 'a.txt': 'before' } });
      const search = filesystem.grep('before|after');
      await filesystem.write('a.txt', 'after');
      expect((await search).matches.map(({ text }) => text)).toEqual(['before']);
    });

    it('bounds its answer', async () => {
      const filesystem = await open({ files: { f: `${'x'.repeat(50)}\nxx👍x\nx\n` } });
      expect(await filesystem.grep('x', { limit: 6, maxLineLength: 3 })).toEqual({
        matches: [
          { path: 'f', line: 1, column: 1, text: 'xxx…' },
          { path: 'f', line: 1, column: 4, text: '…xxx…' },
          { path: 'f', line: 1, column: 7, text: '…xxx…' },
          { path: 'f', line: 1, column: 10, text: '…xxx…' },
          { path: 'f', line: 1, column: 13, text: '…xxx…', more: true },
          { path: 'f', line: 2, column: 1, text: 'xx…' },
        ],
        truncated: true,
        skippedBinary: 0,
      });
      expect((await filesystem.grep('x', { limit: 3 })).truncated).toBe(false);
    });

    it.each([true, false])(
      'shows the matches of a long line where they are (literal: %s)',
      async (literal) => {
        const line = `${'a();'.repeat(2000)}find(1);${'b();'.repeat(2000)}👍find(2);👍${'c();'.repeat(2000)}find(3);`;
        const filesystem = await open({ files: { 'bundle.js': `short find(0);\n${line}\n` } });
        const { matches } = await filesystem.grep(literal ? 'find(' : 'find\\(\\d', {
          literal,
          maxLineLength: 60,
        });
        expect(matches).toHaveLength(4);
        expect(matches[0]).toEqual({ path: 'bundle.js', line: 1, text: 'short find(0);' });
        for (const [index, match] of matches.slice(1).entries()) {
          const { column = 0, text } = match;
          expect(line.indexOf(`find(${index + 1})`) + 1).toBe(column);
          expect(text).toContain(`find(${index + 1});`);
          expect(text).not.toMatch(/\p{Surrogate}/u);
          expect(text.length).toBeLessThanOrEqual(62);
          expect(line).toContain(text.replace(/^…/, '').replace(/…$/, ''));
          expect(match).not.toHaveProperty('more');
        }
      },
    );

    it('shows every match of a long line, each once, also at the border of a part', async () => {
      for (let gap = 1; gap < 40; gap += 1) {
        const line = Array.from({ length: 5 }, (_, index) => `<${index}>`)
          .join('-'.repeat(gap))
          .padEnd(200, '.');
        const filesystem = await open({ files: { f: line } });
        const { matches } = await filesystem.grep('<\\d>', { maxLineLength: 20 });
        const shown = matches.map(({ text }) => text).join(' ');
        for (let index = 0; index < 5; index += 1) expect(shown).toContain(`<${index}>`);
      }
    });

    it('refuses bad patterns, paths and limits', async () => {
      const filesystem = await open({ files });
      for (const pattern of [
        '',
        '(',
        '[a',
        'a{1001}',
        '(?=a)',
        '(a)\\1',
        '*',
        'x'.repeat(2001),
        '(x{30}){200}',
        '(abcdefghij){500}',
      ]) {
        await expectCode(filesystem.grep(pattern), 'pattern-invalid');
      }
      expect((await filesystem.grep('(', { literal: true })).matches).toHaveLength(1);
      await expectCode(filesystem.grep('x', { glob: 'src/' }), 'pattern-invalid');
      await expectCode(filesystem.grep('x', { path: 'absent' }), 'path-not-found');
      await expectCode(filesystem.grep('x', { path: 'src.ts/x' }), 'path-not-directory');
      await expectCode(filesystem.grep('x', { limit: 0 }), 'argument-invalid');
      await expectCode(filesystem.grep('x', { maxLineLength: 0 }), 'argument-invalid');
    });
  });

  describe('respectGitignore', () => {
    const ignoring = {
      '.gitignore': '*.log\n/build/\nnode_modules\n',
      'a.log': 'x',
      'a.txt': 'x',
      'build/out.txt': 'x',
      'src/.gitignore': '!keep.log\ngenerated/*\n!generated/index.ts\n',
      'src/build/b.txt': 'x',
      'src/keep.log': 'x',
      'src/lost.log': 'x',
      'src/generated/index.ts': 'x',
      'src/generated/other.ts': 'x',
      'src/node_modules/m/index.js': 'x',
      'src/node_modules/m/.gitignore': '!*\n',
      '.git/config': 'x',
    };
    const kept = [
      '.gitignore',
      'a.txt',
      'src/.gitignore',
      'src/build/b.txt',
      'src/generated/index.ts',
      'src/keep.log',
    ];

    it('leaves out what the files name, and counts it, a directory once', async () => {
      const filesystem = await open({ files: ignoring });
      // a.log, build/, src/lost.log, src/generated/other.ts, src/node_modules/
      const all = { truncated: false, ignored: 5 };
      expect(await filesystem.glob('**', { respectGitignore: true })).toEqual({ paths: kept, ...all });
      const { matches, ...rest } = await filesystem.grep('^x$', { respectGitignore: true });
      expect(matches.map(({ path }) => path)).toEqual(kept.filter((path) => !path.endsWith('.gitignore')));
      expect(rest).toEqual({ ...all, skippedBinary: 0 });
      expect((await filesystem.glob('**')).paths).toContain('src/node_modules/m/index.js');
      expect(await filesystem.glob('**')).not.toHaveProperty('ignored');
    });

    it('counts only what the pattern could have found', async () => {
      const filesystem = await open({ files: ignoring });
      const found = (pattern: string, path = '.') =>
        filesystem.glob(pattern, { path, respectGitignore: true });
      expect(await found('*.txt')).toMatchObject({ paths: ['a.txt'], ignored: 0 });
      expect(await found('*.{log,txt}')).toMatchObject({ paths: ['a.txt'], ignored: 1 });
      expect(await found('build/*')).toMatchObject({ paths: [], ignored: 1 });
      expect(await found('*', 'src')).toMatchObject({
        paths: ['src/.gitignore', 'src/keep.log'],
        ignored: 1,
      });
    });

    it('searches a path that is ignored itself, and what is named in it', async () => {
      const filesystem = await open({ files: ignoring });
      const found = async (path: string) =>
        (await filesystem.glob('**', { path, respectGitignore: true })).paths;
      expect(await found('build')).toEqual(['build/out.txt']);
      expect(await found('src/node_modules/m')).toHaveLength(2);
      const search = await filesystem.grep('x', { path: 'a.log', respectGitignore: true });
      expect(search).toMatchObject({ matches: [{ path: 'a.log' }], ignored: 0 });
    });

    it('takes an ignore file that is a directory or not text as empty', async () => {
      const filesystem = await open({
        files: { '.gitignore/x': '*', 'a/.gitignore': new Uint8Array([0x2a, 0]), 'a/b': '' },
      });
      const { paths } = await filesystem.glob('**', { respectGitignore: true });
      expect(paths).toEqual(['.gitignore/x', 'a/.gitignore', 'a/b']);
    });

    it.each([
      ['a*'.repeat(300), 'b'],
      [`${'**/'.repeat(60)}b`, 'c'],
      [`/${'*a'.repeat(200)}/**/x`, 'y'],
      [`${'[a-z]*'.repeat(150)}!`, 'b'],
    ])('ends for the pattern %s', async (pattern, end) => {
      const deep = Array.from({ length: 20 }, () => 'a'.repeat(120)).join('/');
      const filesystem = await open({ files: { '.gitignore': `${pattern}\n`, [`${deep}/${end}`]: '' } });
      expect((await filesystem.glob(`**/${end}`, { respectGitignore: true })).paths).toHaveLength(1);
    });
  });

  // A matcher that backtracks does not come back from these within the lifetime of a test run.
  describe('hostile patterns', () => {
    const longName = 'a'.repeat(250);

    it.each([
      '*a'.repeat(30),
      `${'*a'.repeat(200)}*b`,
      `${'**/*a*/'.repeat(60)}b`,
      '[a-z]*'.repeat(60),
      `${'*?'.repeat(100)}b`,
    ])('glob %s ends', async (pattern) => {
      const filesystem = await open({ files: { [`${longName}/${longName}`]: '', [longName.slice(1)]: '' } });
      expect((await filesystem.glob(`${pattern}z`)).paths).toEqual([]);
    });

    it.each([
      '(a+)+$',
      '(a|a)*b',
      '(a|aa)+$',
      '(.*)(.*)(.*)(.*)(.*)(.*)(.*)x',
      '([a-z]+)*[0-9]',
      '(a?){300}a{300}c',
    ])('expression %s ends', async (pattern) => {
      const filesystem = await open({ files: { f: `${'a'.repeat(20_000)}!` } });
      expect((await filesystem.grep(pattern)).matches).toEqual([]);
    });
  });
}

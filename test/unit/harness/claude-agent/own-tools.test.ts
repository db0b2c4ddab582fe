import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { judgeOwnTool } from '../../../../src/harness/claude-agent/own-tools.ts';
import { draws } from '../../../support/draws.ts';

const builtinTools = [
  ...['Read', 'Write', 'Edit', 'MultiEdit', 'NotebookRead', 'NotebookEdit', 'LS', 'Glob', 'Grep', 'Bash'],
  ...['EnterWorktree', 'Upload', 'Workflow'],
];
let root = '';
let folder = '';

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'wink-own-tools-'));
  folder = join(root, 'work');
  await mkdir(join(folder, 'src'), { recursive: true });
  await symlink('/etc', join(folder, 'out'));
  await symlink('src', join(folder, 'in'));
  await symlink(join(root, 'made-later'), join(folder, 'nowhere'));
});

afterAll(() => rm(root, { recursive: true, force: true }));

test.each<readonly [tool: string, input: object]>([
  ['Read', { file_path: 'a.md' }],
  ['Write', { file_path: 'new/folder/a.md' }],
  ['Read', { file_path: 'in/a.md' }],
  ['Read', { file_path: '..a/b' }],
  ['Read', { file_path: 'app/[...slug]/$id (copy)/~a {1,2}.tsx' }],
  ['LS', { path: 'src/' }],
  ['Glob', { pattern: '**/*.{ts,md}' }],
  ['Glob', { pattern: '{src,test}/**/[a-z]*.ts' }],
  ['Glob', { pattern: '*.md', path: 'src' }],
  ['Grep', { pattern: '../etc', glob: '*.md' }],
  ['Grep', { pattern: ' /etc', glob: '*.{ts,tsx}, !dist/** *.md', path: '.' }],
  ['Bash', { command: 'cat ../a.md' }],
  ['MultiEdit', { file_path: 'a.md', edits: [{ old_string: '/etc', new_string: '~' }] }],
  ['Read', {}],
])('%s may use %j', async (tool, input) => {
  expect(await judgeOwnTool(tool, input, { builtinTools, folder })).toMatchObject({ isAllowed: true });
});

test.each<readonly [tool: string, input: object]>([
  ['Read', { file_path: '/etc/passwd' }],
  ['Read', { file_path: '../a.md' }],
  ['Write', { file_path: 'src/../../a.md' }],
  ['Read', { file_path: 'out/passwd' }],
  ['Write', { file_path: 'out/new/a.md' }],
  ['Write', { file_path: 'nowhere' }],
  ['Write', { file_path: 'nowhere/a.md' }],
  ['NotebookEdit', { notebook_path: '/a.ipynb' }],
  ['Bash', { command: 'ls', cwd: '/etc' }],
  ['MultiEdit', { edits: [{ file_path: '/etc/passwd' }] }],
  ['Upload', { file_paths: ['a.md', '/etc/passwd'] }],
  ['Workflow', { scriptPath: '/etc/passwd' }],
  ['Glob', { pattern: '/etc/*' }],
  ['Glob', { pattern: ' /etc/*' }],
  ['Glob', { pattern: '~/*' }],
  ['Glob', { pattern: '*/../../*' }],
  ['Glob', { pattern: '{/etc/passwd,a}' }],
  ['Glob', { pattern: '{a,}/etc/*' }],
  ['Glob', { pattern: '{,a}/etc/*' }],
  ['Glob', { pattern: '{..,a}/*' }],
  ['Glob', { pattern: '{.,a}./*' }],
  ['Glob', { pattern: '.{.,a}/*' }],
  ['Glob', { pattern: '{a,{b,..}}/*' }],
  ['Glob', { pattern: '[.][.]/*' }],
  ['Glob', { pattern: '[.]./*' }],
  ['Glob', { pattern: '@(..)/*' }],
  ['Glob', { pattern: '\\/etc/*' }],
  ['Glob', { pattern: 'out/*' }],
  ['Glob', { pattern: '*.md', path: '..' }],
  ['Grep', { pattern: 'a', path: '/etc' }],
  ['Grep', { pattern: 'a', glob: '../*' }],
  ['Grep', { pattern: 'a', glob: '*.md /etc/*' }],
  ['Grep', { pattern: 'a', glob: '*.md,../*' }],
  ['Grep', { pattern: 'a', glob: '!../*' }],
])('%s must not use %j', async (tool, input) => {
  expect(await judgeOwnTool(tool, input, { builtinTools, folder })).toMatchObject({
    isAllowed: false,
    reason: expect.stringContaining('Only paths inside of the working directory can be used'),
  });
});

/** Ways to write a path that somebody may read as that path, or as another one. */
const disguises: readonly (readonly [name: string, write: (path: string) => string])[] = [
  ...[
    ' ',
    '\t',
    '\n',
    '\r\n',
    '\v',
    '\f',
    '\u{a0}',
    '\u{2003}',
    '\u{feff}',
    '\u{85}',
    '\u{200b}',
    '\0',
  ].flatMap((blank): (readonly [string, (path: string) => string])[] => [
    [`${escape(blank)} before`, (path) => blank + path],
    [`${escape(blank)} after`, (path) => path + blank],
  ]),
  ['a doubled slash', (path) => path.replace('/', '//')],
  ['a backslash', (path) => path.replace('/', '\\')],
  ['"./" before', (path) => `./${path}`],
  ['"/." after', (path) => `${path}/.`],
  ['a way out and in', (path) => `src/../${path}`],
  ['quotes', (path) => `"${path}"`],
  ['an apostrophe', (path) => `'${path}'`],
  ['an address', (path) => `file:${path}`],
  ['an address with slashes', (path) => `FILE://${path}`],
  ['a drive', (path) => `C:${path}`],
  ['the home folder', (path) => `~/${path}`],
  ['the home folder of a user', (path) => `~root/${path}`],
  ['a variable', (path) => `$HOME/${path}`],
  ['a variable in braces', (path) => `\${HOME}/${path}`],
  ['a variable of Windows', (path) => `%USERPROFILE%/${path}`],
  ['a mention', (path) => `@/${path}`],
  ['letters that can be composed', (path) => `${path}/e\u{301}`],
  ['half of a pair', (path) => `\u{d800}${path}`],
];

/** Every argument of a tool of Claude Code that names a path. */
const places: readonly (readonly [tool: string, name: string])[] = [
  ...['Read', 'Write', 'Edit', 'MultiEdit'].map((tool) => [tool, 'file_path'] as const),
  ['NotebookRead', 'notebook_path'],
  ['NotebookEdit', 'notebook_path'],
  ...['LS', 'Glob', 'Grep', 'EnterWorktree'].map((tool) => [tool, 'path'] as const),
  ['Glob', 'pattern'],
  ['Bash', 'cwd'],
];

test.each(places)('%s takes a path in %s in one way of writing only', async (tool, name) => {
  const decide = async (path: string) =>
    (await judgeOwnTool(tool, { [name]: path }, { builtinTools, folder }))?.isAllowed;
  const paths = ['src', 'src/a.md', '/etc/passwd', join(folder, 'src')];
  expect(await Promise.all(paths.map(decide))).toEqual([true, true, false, true]);
  for (const path of paths)
    for (const [disguise, write] of disguises)
      if (write(path) !== path)
        expect([disguise, path, await decide(write(path))]).toEqual([disguise, path, false]);
});

test('a path is allowed only when what a harness that trims and resolves it reads is inside', async () => {
  const part = fc.constantFrom(
    'src',
    'out',
    'in',
    'nowhere',
    'new',
    '..',
    '.',
    '',
    '~',
    ' ',
    '\t',
    '/',
    '\\',
    'a.md',
    'etc',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
      const path = parts.join('/');
      const decision = await judgeOwnTool('Read', { file_path: path }, { builtinTools, folder });
      if (decision?.isAllowed !== true) return;
      const read = resolve(folder, path.trim());
      const way = relative(await realpath(folder), await existing(read));
      expect([path, way.startsWith('..')]).toEqual([path, false]);
    }),
    { numRuns: draws(1000) },
  );
});

/** The real path of what exists of a path. */
async function existing(path: string): Promise<string> {
  return realpath(path).catch(() => existing(dirname(path)));
}

test('what cannot be judged is denied', async () => {
  const input = { file_path: 'a.md' };
  const options = { builtinTools, folder: join(root, 'gone') };
  expect(await judgeOwnTool('Read', input, options)).toMatchObject({ isAllowed: false });
  for (const long of [{ path: `${'a/'.repeat(2_500)}a` }, { glob: `a,${'a,'.repeat(1_000_000)}` }])
    expect(await judgeOwnTool('Grep', long, { builtinTools, folder })).toMatchObject({ isAllowed: false });
});

test('a path that is absolute may be inside', async () => {
  const input = { file_path: join(folder, 'src/a.md') };
  expect(await judgeOwnTool('Read', input, { builtinTools, folder })).toMatchObject({ isAllowed: true });
});

test('tools that were not named are denied, and those of the run are left to it', async () => {
  const options = { builtinTools: ['Read'], folder };
  expect(await judgeOwnTool('Bash', {}, options)).toMatchObject({ isAllowed: false });
  expect(await judgeOwnTool('mcp__other__note', {}, options)).toMatchObject({ isAllowed: false });
  expect(await judgeOwnTool('mcp__wink__note', {}, options)).toBeUndefined();
  expect(await judgeOwnTool('StructuredOutput', {}, options)).toBeUndefined();
});

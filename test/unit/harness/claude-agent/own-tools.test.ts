import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { judgeOwnTool } from '../../../../src/harness/claude-agent/own-tools.ts';

const builtinTools = ['Read', 'Write', 'Glob', 'Grep', 'Bash'];
let root = '';
let folder = '';

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'wink-own-tools-'));
  folder = join(root, 'work');
  await mkdir(join(folder, 'src'), { recursive: true });
  await symlink('/etc', join(folder, 'out'));
  await symlink('src', join(folder, 'in'));
});

afterAll(() => rm(root, { recursive: true, force: true }));

test.each<readonly [tool: string, input: object]>([
  ['Read', { file_path: 'a.md' }],
  ['Read', { file_path: 'src/../a.md' }],
  ['Write', { file_path: 'new/folder/a.md' }],
  ['Read', { file_path: 'in/a.md' }],
  ['Read', { file_path: '..a/b' }],
  ['Glob', { pattern: '**/*.{ts,md}' }],
  ['Glob', { pattern: '*.md', path: 'src' }],
  ['Grep', { pattern: '../etc', glob: '*.md' }],
  ['Bash', { command: 'cat ../a.md' }],
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
  ['Read', { notebook_path: '/a.ipynb' }],
  ['Glob', { pattern: '/etc/*' }],
  ['Glob', { pattern: '*/../../*' }],
  ['Glob', { pattern: '{/etc/passwd,a}' }],
  ['Glob', { pattern: '*.md', path: '..' }],
  ['Grep', { pattern: 'a', path: '/etc' }],
  ['Grep', { pattern: 'a', glob: '../*' }],
])('%s must not use %j', async (tool, input) => {
  expect(await judgeOwnTool(tool, input, { builtinTools, folder })).toMatchObject({
    isAllowed: false,
    reason: 'Only paths inside of the working directory can be used.',
  });
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

import { describe, expect, it } from 'vitest';
import { type Filesystem, MemoryFilesystem, promptTemplate } from 'weakincentives';
import { type VfsToolsSectionOptions, vfsToolsSection } from 'weakincentives/tools';
import { createVfsTools } from '../../../src/suite/vfs/vfs-tools.ts';
import { runTool } from './run-tool.ts';

const vfsTools = createVfsTools();

const files = new MemoryFilesystem({
  files: {
    '.gitignore': '*.log\ndist/\n',
    'main.ts': 'let x = 1;\n',
    'debug.log': 'x\n',
    'dist/main.js': 'x\n',
    'lib/.gitignore': '/*\n!.gitignore\n',
    'lib/a.ts': 'x\n',
    '.git/HEAD': 'x\n',
  },
});
const tools = createVfsTools({ respectGitignore: true });

describe('the file tools with respectGitignore', () => {
  it('leave out what is ignored, and say how much', async () => {
    const listed = await runTool(tools.ls, files, {});
    expect(listed.message).toBe('. - 2 files, 1 directory (2 ignored by .gitignore)');
    expect(listed.text.split('\n').map((line) => line.split(' ')[0])).toEqual([
      '.gitignore',
      'lib/',
      'main.ts',
    ]);
    expect(listed.value).toMatchObject({ total: 3, ignored: 2 });
    const read = await runTool(tools.read_file, files, { file_path: '.' });
    expect([read.message, read.text]).toEqual([listed.message, listed.text]);
    expect(read.value).toMatchObject({ totalEntries: 3, ignored: 2 });
    const found = await runTool(tools.glob, files, { pattern: '**/*.{ts,log}' });
    expect(found.message).toBe('1 file for "**/*.{ts,log}" (3 ignored by .gitignore)');
    const searched = await runTool(tools.grep, files, { pattern: 'x' });
    expect(searched.message).toBe('1 line in 1 file for "x" (3 ignored by .gitignore)');
  });

  it('say so when all of it is ignored', async () => {
    const listed = await runTool(tools.ls, files, { path: 'lib' });
    expect(listed.message).toBe('lib - 1 file, 0 directories (1 ignored by .gitignore)');
    const none = await runTool(tools.glob, files, { pattern: '*.log' });
    expect(none.message).toBe(
      'No file matches "*.log" (1 ignored by .gitignore). Put "**/" in front to look in every directory.',
    );
    const noLine = await runTool(tools.grep, files, { pattern: 'x', glob: '*.log' });
    expect(noLine.message).toBe('No line matches "x" (2 ignored by .gitignore).');
  });

  it('reach everything by name', async () => {
    expect((await runTool(tools.ls, files, { path: 'dist' })).message).toBe('dist - 1 file, 0 directories');
    expect((await runTool(tools.ls, files, { path: './.git' })).message).toContain('1 file');
    expect((await runTool(tools.glob, files, { pattern: '*', path: 'dist' })).text).toBe('dist/main.js');
    expect((await runTool(tools.grep, files, { pattern: 'x', path: 'debug.log' })).text).toBe(
      'debug.log:1: x',
    );
    expect((await runTool(tools.read_file, files, { file_path: 'lib/a.ts' })).text).toBe('1 | x');
  });

  it('follow the rules as they are in the call', async () => {
    const changing = new MemoryFilesystem({ files: { 'a.txt': '', 'b.txt': '' } });
    const names = async () => (await runTool(tools.glob, changing, { pattern: '**' })).text;
    expect(await names()).toBe('a.txt\nb.txt');
    await changing.write('.gitignore', 'a.*\n');
    expect(await names()).toBe('.gitignore\nb.txt');
    await changing.write('.gitignore', new Uint8Array([0x2a, 0]));
    expect(await names()).toBe('.gitignore\na.txt\nb.txt');
    expect((await runTool(tools.ls, changing, {})).value).toMatchObject({ total: 3, ignored: 0 });
  });

  it('depend on the rules that they read', async () => {
    const looks: readonly ((view: Filesystem) => Promise<unknown>)[] = [
      (view) => runTool(tools.ls, view, { path: 'd' }),
      (view) => runTool(tools.read_file, view, { file_path: 'd' }),
      (view) => runTool(tools.glob, view, { pattern: '**', path: 'd' }),
      (view) => runTool(tools.grep, view, { pattern: 'x', path: 'd' }),
    ];
    for (const look of looks) {
      const base = new MemoryFilesystem({ files: { 'd/a.txt': 'x' } });
      const call = base.fork();
      await look(call.view);
      await base.write('.gitignore', '*.txt');
      expect(call.conflicts()).toContain('file .gitignore');
    }
  });

  it('show everything by default', async () => {
    expect((await runTool(vfsTools.ls, files, {})).value).not.toHaveProperty('ignored');
    expect((await runTool(vfsTools.glob, files, { pattern: '**' })).message).toBe('7 files for "**"');
  });
});

describe('vfsToolsSection with respectGitignore', () => {
  const textOf = async (options: VfsToolsSectionOptions) => {
    const sections = [vfsToolsSection({ filesystem: files, ...options })];
    return (await promptTemplate({ ns: 'tests', key: 'ignoring', sections }).bind().render()).text;
  };

  it('explains it, naming only the tools that are offered', async () => {
    expect(await textOf({ respectGitignore: true })).toContain(
      '- `ls`, `glob`, `grep`: what `.gitignore` files name is left out, and the result says how many entries were. To look into an ignored directory, name it as `path`. Ignored files can be read by name.',
    );
    const few = await textOf({ respectGitignore: true, tools: ['grep', 'rm'] });
    expect(few).toContain('- `grep`: what `.gitignore` files name is left out');
    expect(few).not.toMatch(/`ls`|`glob`|read by name/);
    expect(await textOf({ respectGitignore: true, tools: ['rm'] })).not.toContain('gitignore');
    expect(await textOf({})).not.toContain('gitignore');
  });
});

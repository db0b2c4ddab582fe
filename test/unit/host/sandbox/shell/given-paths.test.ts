import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  binding,
  Filesystem,
  MemoryFilesystem,
  PolicyDecision,
  promptTemplate,
  Session,
  ToolCallLog,
  type ToolPolicy,
} from 'weakincentives';
import { openHostFilesystem } from 'weakincentives/node';
import { shellSection } from 'weakincentives/sandbox';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';
import { fakeBackend, outcome } from './fake-backend.ts';

interface Calling {
  readonly filesystem: Filesystem;
  readonly hasShell?: boolean;
}

/** One call, with what a policy, the record and the event of its start have of it. */
async function callOnce(
  { filesystem, hasShell = true }: Calling,
  name: string,
  params: Record<string, unknown>,
) {
  const asked: unknown[] = [];
  const policy: ToolPolicy = {
    name: 'note',
    check: (call) => {
      asked.push(call.params);
      return PolicyDecision.allow();
    },
  };
  const tools = ['ls', 'read_file', 'write_file', 'edit_file', 'glob', 'grep', 'rm', 'mv', 'cp'] as const;
  const template = promptTemplate({
    ns: 'test',
    key: 'paths',
    policies: [policy],
    sections: [
      vfsToolsSection({ policies: [], tools }),
      ...(hasShell ? [shellSection({ backend: fakeBackend(() => outcome()) })] : []),
    ],
  });
  await using session = new Session();
  await scriptedAdapter([{ toolCalls: [{ name, arguments: params }] }, { text: 'done' }]).evaluate(
    template.bind({}, { resources: [binding(Filesystem, { instance: filesystem })] }),
    { session },
  );
  const [call] = session.slice(ToolCallLog).all();
  if (call === undefined) throw new Error('There was no call.');
  return { success: call.success, reason: call.reason, text: call.modelText, params: call.params, asked };
}

const memory = (files: Record<string, string> = {}): MemoryFilesystem =>
  new MemoryFilesystem({ files: { 'src/a.ts': 'a\n', 'src/b.ts': 'b\n', ...files } });

describe('a path as the shell shows it', () => {
  it.each([
    ['read_file', { file_path: '/workspace/src/a.ts' }, { file_path: 'src/a.ts' }],
    ['write_file', { file_path: '/workspace/new.ts', content: 'x' }, { file_path: 'new.ts', content: 'x' }],
    ['rm', { path: '/workspace/src' }, { path: 'src' }],
    ['ls', { path: '/workspace' }, { path: '.' }],
    ['mv', { from: '/workspace/src/a.ts', to: '/workspace/c.ts' }, { from: 'src/a.ts', to: 'c.ts' }],
    ['glob', { pattern: '/workspace/src/*.ts' }, { pattern: 'src/*.ts' }],
    ['glob', { pattern: '/workspace/src/*.ts', path: '/workspace/src' }, { pattern: '*.ts', path: 'src' }],
    ['glob', { pattern: '/workspace' }, { pattern: '**' }],
    ['grep', { pattern: '/workspace', glob: '/workspace/*.ts' }, { pattern: '/workspace', glob: './*.ts' }],
    [
      'shell_execute',
      { command: 'cat /workspace/x', cwd: '/workspace/src' },
      { command: 'cat /workspace/x', cwd: 'src' },
    ],
  ])('is the path in the workspace for %s, its policies and its record: %j', async (name, given, meant) => {
    const call = await callOnce({ filesystem: memory() }, name, given);
    expect(call).toMatchObject({ success: true, params: meant, asked: [meant] });
  });

  it('makes no second tree', async () => {
    const filesystem = memory();
    await callOnce({ filesystem }, 'write_file', { file_path: '/workspace/src/a.ts', content: 'new\n' });
    expect((await filesystem.glob('**')).paths).toEqual(['src/a.ts', 'src/b.ts']);
    expect((await filesystem.read('src/a.ts')).text).toBe('new\n');
  });

  it.each([
    ['/etc/x', 'etc/x'],
    ['/src/a.ts', 'src/a.ts'],
    ['/workspaces/a', 'workspaces/a'],
    ['~/x', 'x'],
    ['c:/x', 'x'],
    ['file:///workspace/src/a.ts', 'src/a.ts'],
  ])('is refused outside: %s, with the path to use', async (file_path, path) => {
    const filesystem = memory();
    const call = await callOnce({ filesystem }, 'write_file', { file_path, content: 'x' });
    expect(call).toMatchObject({ success: false, reason: 'invalid-arguments', asked: [] });
    expect(call.text).toContain(`use ${JSON.stringify(path)} if that is what you mean`);
    expect((await filesystem.glob('**')).paths).toEqual(['src/a.ts', 'src/b.ts']);
    for (const [name, params] of [
      ['glob', { pattern: `${file_path}/**` }],
      ['grep', { pattern: 'x', glob: `${file_path}/**` }],
      ['cp', { from: 'src/a.ts', to: file_path }],
    ] as const) {
      expect(await callOnce({ filesystem }, name, params)).toMatchObject({ reason: 'invalid-arguments' });
    }
  });

  it('is refused with both names where both could be meant', async () => {
    const files = {
      'workspace/a.ts': 'other\n',
      'workspace/only.ts': '',
      'a.ts': '',
      'workspace/src/b.ts': '',
    };
    const refused = async (
      name: string,
      params: Record<string, unknown>,
      both: readonly string[],
    ): Promise<void> => {
      const call = await callOnce({ filesystem: memory(files) }, name, params);
      expect(call).toMatchObject({ success: false, reason: 'invalid-arguments' });
      for (const path of both) expect(call.text).toContain(JSON.stringify(path));
    };
    await refused('read_file', { file_path: '/workspace/a.ts' }, ['a.ts', 'workspace/a.ts']);
    await refused('read_file', { file_path: '/workspace/only.ts' }, ['only.ts', 'workspace/only.ts']);
    await refused('write_file', { file_path: '/workspace/new.ts', content: '' }, [
      'new.ts',
      'workspace/new.ts',
    ]);
    await refused('ls', { path: '/workspace' }, ['.', 'workspace']);
    await refused('glob', { pattern: '/workspace/**/*.ts' }, ['**/*.ts', 'workspace/**/*.ts']);
    // Only one of them exists, or has a place to be in.
    for (const [file_path, path] of [
      ['/workspace/src/a.ts', 'src/a.ts'],
      ['workspace/a.ts', 'workspace/a.ts'],
      ['/workspace/workspace/a.ts', 'workspace/a.ts'],
    ]) {
      const call = await callOnce({ filesystem: memory(files) }, 'read_file', { file_path });
      expect(call).toMatchObject({ success: true, params: { file_path: path } });
    }
  });

  it('is one from the root of the workspace where no section shows another root', async () => {
    const filesystem = memory();
    const call = await callOnce({ filesystem, hasShell: false }, 'read_file', { file_path: '/src/a.ts' });
    expect(call).toMatchObject({ success: true, params: { file_path: '/src/a.ts' } });
  });
});

describe('a path of the host', () => {
  it('is the path in the workspace, and no message names the folder', async () => {
    const home = realpathSync(mkdtempSync(join(tmpdir(), 'given-')));
    const root = join(home, 'secret-project');
    mkdirSync(join(root, 'src'), { recursive: true });
    writeFileSync(join(root, 'src/a.ts'), 'a\n');
    await using filesystem = await openHostFilesystem({ root, stateDirectory: join(home, 'state') });
    const call = async (name: string, params: Record<string, unknown>) =>
      callOnce({ filesystem, hasShell: false }, name, params);
    expect(await call('read_file', { file_path: join(root, 'src/a.ts') })).toMatchObject({
      success: true,
      params: { file_path: 'src/a.ts' },
      asked: [{ file_path: 'src/a.ts' }],
    });
    expect(await call('glob', { pattern: `${root}/**` })).toMatchObject({
      success: true,
      params: { pattern: '**' },
    });
    for (const file_path of [join(home, 'other/x'), '/etc/x', `${root}2/x`, '~/x']) {
      const { text, success } = await call('write_file', { file_path, content: 'x' });
      expect(success).toBe(false);
      expect(text.replaceAll(file_path, '').replaceAll(file_path.slice(1), '')).not.toContain(
        'secret-project',
      );
    }
    expect((await filesystem.glob('**')).paths).toEqual(['src/a.ts']);
  });
});

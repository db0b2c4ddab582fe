import { realpathSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type Filesystem,
  MemoryFilesystem,
  promptTemplate,
  Session,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { type GitSectionOptions, gitSection, openHostFilesystem } from 'weakincentives/node';
import { type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';
import { tempFolder } from '../temp-folder.ts';
import { noGit, TestRepository } from './git-repository.ts';

async function play(
  filesystem: Filesystem,
  turns: readonly ScriptedTurn[],
  options: GitSectionOptions = {},
): Promise<readonly string[]> {
  await using session = new Session();
  const template = promptTemplate({
    ns: 'tests',
    key: 'git',
    sections: [vfsToolsSection({ filesystem }), gitSection(options)],
  });
  const adapter = scriptedAdapter([...turns, { text: 'done' }]);
  const { conversation } = await adapter.evaluate(template.bind(), { session });
  return conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
}

async function openFolder(root: string): Promise<Filesystem> {
  const filesystem = await openHostFilesystem({
    root,
    stateDirectory: tempFolder(),
    exclude: ['**/.git/**'],
  });
  onTestFinished(() => filesystem[Symbol.asyncDispose]());
  return filesystem;
}

describe('gitSection', () => {
  it('offers the tools that are named, in a fixed order', () => {
    const namesOf = (options?: GitSectionOptions) => gitSection(options).tools?.map(({ name }) => name);
    expect(namesOf()).toStrictEqual(['git_log', 'git_diff', 'git_show', 'git_blame']);
    expect(namesOf({ tools: ['git_show', 'git_log'] })).toStrictEqual(['git_log', 'git_show']);
    expect(gitSection().tools?.every(({ effects }) => effects === 'read')).toBe(true);
  });

  it.each([
    [{ tools: [] }, 'at least one, each once; received []'],
    [{ tools: ['git_log', 'git_log'] }, 'at least one, each once'],
    // A name that the type does not allow.
    [{ tools: ['git_push' as 'git_log'] }, 'received ["git_push"]'],
    [{ limits: { maxCommits: 0 } }, 'limits.maxCommits must be a whole number of at least 1; received 0'],
    [{ limits: { maxAge: 1 } as object }, 'no option "limits.maxAge"'],
    [{ limits: { timeoutMs: 2 ** 32 } }, 'timeoutMs'],
    [{ git: '' }, 'git must be the name or the path of a program'],
    [{ git: '--version' }, 'git must be the name or the path of a program'],
  ] satisfies readonly [GitSectionOptions, string][])('refuses %j', (options, message) => {
    expect(() => gitSection(options)).toThrow(message);
  });

  it('works on the folder that handlers find as context.workspace', async () => {
    const seen: unknown[] = [];
    const look = tool({
      name: 'look',
      description: 'Look at the workspace.',
      effects: 'read',
      execute: (_params, { workspace, filesystem }) => {
        seen.push(workspace, filesystem.fork().view.hostPath);
        return ToolResult.ok(null, 'Seen.');
      },
    });
    const root = realpathSync(tempFolder());
    for (const filesystem of [await openFolder(root), new MemoryFilesystem()]) {
      const files = vfsToolsSection({ filesystem });
      const template = promptTemplate({
        ns: 'tests',
        key: 'workspace',
        sections: [files, section({ title: 'Look', key: 'look', template: 'Look.', tools: [look] })],
      });
      const adapter = scriptedAdapter([{ toolCalls: [{ name: 'look', arguments: {} }] }, { text: 'done' }]);
      await adapter.evaluate(template.bind());
    }
    expect(seen).toStrictEqual([root, root, undefined, undefined]);
  });

  it('ends the evaluation at its start without a repository on disk', async () => {
    await expect(play(new MemoryFilesystem(), [])).rejects.toThrow('is not a folder on disk');
    await expect(play(await openFolder(tempFolder()), [])).rejects.toThrow('contains no directory ".git"');
  });

  describe.skipIf(noGit !== undefined)(`with git${noGit ?? ''}`, () => {
    it('ends the evaluation at its start when the program is missing', async () => {
      const repository = TestRepository.create();
      const filesystem = await openFolder(repository.path);
      await expect(play(filesystem, [], { git: '/nowhere/git' })).rejects.toThrow(
        'The program git was not found',
      );
    });

    it('shows what is committed beside the file tools, not what the agent has changed', async () => {
      const repository = TestRepository.create();
      repository.commit('First', { 'a.txt': 'one\n' });
      const results = await play(await openFolder(repository.path), [
        { toolCalls: [{ name: 'read_file', arguments: { file_path: 'a.txt' } }] },
        { toolCalls: [{ name: 'write_file', arguments: { file_path: 'a.txt', content: 'two\n' } }] },
        { toolCalls: [{ name: 'git_show', arguments: { path: 'a.txt' } }] },
        { toolCalls: [{ name: 'git_log', arguments: { revision: '--all' } }] },
        { toolCalls: [{ name: 'git_show', arguments: { path: '.git/config' } }] },
      ]);
      expect(results[2]).toContain('1 | one');
      expect(results[3]).toContain('not a revision');
      expect(results[4]).toContain('excluded from this workspace');
      expect(results.join()).not.toContain(repository.path);
    });
  });
});

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { defineAgent, promptTemplate, section } from 'weakincentives';
import { z } from 'zod';
import type { CommandParts } from '../../../../src/cli/agent/command-parts.ts';
import { openFolder } from '../../../../src/cli/folder/open-folder.ts';
import { MemoryJournals } from '../journal/journals.ts';
import { ofAgent } from '../support.ts';
import { servedCommand } from './served-command.ts';

let folder: string;
let root: string;
let journals: MemoryJournals;
let parts: Partial<CommandParts>;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'wink-serve-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  root = join(folder, 'work');
  for (const [path, text] of [
    ['a.txt', 'alpha\n'],
    ['src/main.ts', 'let x;\n'],
    ['.git/config', 'secret'],
    ['node_modules/x/index.js', 'secret'],
    ['../outside.txt', 'secret'],
  ] as const) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  symlinkSync(join(folder, 'outside.txt'), join(root, 'link.txt'));
  journals = new MemoryJournals();
  const stateDirectory = join(folder, 'state');
  parts = {
    journals,
    open: (name, workspace, mode, options) =>
      openFolder(name, workspace, mode, { ...options, stateDirectory }),
  };
});

describe('what wink serve offers to people', () => {
  it('are the files that the tools show, and no other ones', async () => {
    const served = await servedCommand(['--workspace', root], parts);
    const { resources } = await served.client.listResources();
    expect(resources.map(({ name }) => name).filter((name) => name !== 'link.txt')).toEqual([
      'a.txt',
      'src/main.ts',
    ]);
    const read = async (path: string) =>
      (await served.client.readResource({ uri: `workspace:///${path}` })).contents;
    expect(await read('src/main.ts')).toMatchObject([{ text: 'let x;\n' }]);
    for (const path of [
      '.git/config',
      'node_modules/x/index.js',
      '../outside.txt',
      '%2e%2e/outside.txt',
      'link.txt',
      `${folder}/outside.txt`,
      'none.txt',
      'src',
    ]) {
      const refused = read(path).then(
        () => 'read',
        (error: Error) => error.message,
      );
      expect([path, await refused]).not.toEqual([path, 'read']);
      expect(await refused).not.toContain('secret');
      // But for what the client has said itself.
      if (!path.startsWith('/')) expect(await refused).not.toContain(folder);
    }
    // Reads are calls, which the journal keeps.
    expect(await served.leave()).toBe(0);
    expect(served.stderr.text()).toMatch(/the server has ended after \d\d? calls/);
  });

  it('are the sections of an agent with params', async () => {
    const agent = defineAgent({
      name: 'review',
      template: promptTemplate({
        ns: 'test',
        key: 'review',
        sections: [
          section({
            title: 'Task',
            key: 'task',
            params: z.object({ language: z.string() }),
            template: (params) => `Report in ${params.language}.`,
          }),
        ],
      }),
      params: { language: 'English' },
    });
    const served = await servedCommand(['agent.ts'], { ...parts, load: async () => ofAgent(agent) });
    expect((await served.client.listPrompts()).prompts).toMatchObject([
      { name: 'task', arguments: [{ name: 'language', required: false }] },
    ]);
    const { messages } = await served.client.getPrompt({ name: 'task', arguments: { language: 'German' } });
    expect(messages).toMatchObject([{ content: { text: expect.stringContaining('Report in German.') } }]);
    expect(served.client.getServerCapabilities()).not.toHaveProperty('resources');
    await served.leave();
  });
});

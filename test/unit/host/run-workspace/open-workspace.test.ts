import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type AnyAgent,
  type AnyTool,
  defineAgent,
  type Filesystem,
  jsonSchema,
  MemoryFilesystem,
  promptTemplate,
  type RunObserver,
  runAgent,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { openWorkspace } from 'weakincentives/node';
import { scriptedAdapter } from 'weakincentives/testing';
import { bareTemplate, notes, notesModel } from '../../agent/agents.ts';

function folderOf(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'workspace-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** An agent whose first two calls work with files that somebody else changes in each of their attempts. */
function disturbed(folder: string, isMended: boolean): AnyAgent {
  let change = 0;
  const meddle = (name: string, use: (files: Filesystem) => Promise<unknown>): AnyTool =>
    tool({
      name,
      description: 'Works with a file that others change.',
      inputSchema: jsonSchema<object>({ type: 'object', properties: {}, additionalProperties: false }),
      effects: 'state',
      execute: async (_params, { filesystem }) => {
        await use(filesystem);
        for (const path of ['notes.md', 'seen.md']) {
          change += 1;
          writeFileSync(join(folder, path), `theirs ${change}`);
        }
        return ToolResult.ok(undefined);
      },
    });
  const writing = tool({
    name: 'write',
    description: 'Writes a file.',
    inputSchema: jsonSchema<{ path: string }>({
      type: 'object',
      properties: { path: { type: 'string' } },
      required: ['path'],
      additionalProperties: false,
    }),
    effects: 'state',
    execute: async ({ path }, { filesystem }) => {
      await filesystem.write(path, 'ours');
      return ToolResult.ok(undefined);
    },
  });
  const tools = [
    meddle('append', async (files) => files.write('notes.md', `${(await files.read('notes.md')).text}ours`)),
    meddle('copy', async (files) => files.write('copy.md', (await files.read('seen.md')).text)),
    writing,
  ];
  const calls = [
    { name: 'append' },
    { name: 'copy' },
    { name: 'write', arguments: { path: 'other.md' } },
    ...(isMended ? [{ name: 'write', arguments: { path: 'notes.md' } }] : []),
  ];
  return defineAgent({
    template: promptTemplate({
      ns: 'tests',
      key: 'disturbed',
      sections: [section({ title: 'Work', key: 'work', template: 'Work.', tools })],
    }),
    adapter: scriptedAdapter([...calls.map((call) => ({ toolCalls: [call] })), { text: 'Done.' }]),
  });
}

describe('a folder as the workspace of a run', () => {
  it('is not written by default; its changes and its name are there', async () => {
    const folder = folderOf({ 'a.txt': 'a' });
    await using workspace = await openWorkspace({ agent: notes, folder });
    const run = await runAgent(notes, { workspace });
    expect(run.changes).toMatchObject([{ path: 'NOTES.md', kind: 'created' }]);
    expect(run.application).toEqual({ kind: 'kept' });
    expect(existsSync(join(folder, 'NOTES.md'))).toBe(false);
    expect((await workspace.filesystem.read('NOTES.md')).text).toBe(`${basename(folder)}\n`);
  });

  it('is written at the end, all or nothing', async () => {
    const folder = folderOf();
    await using workspace = await openWorkspace({ agent: notes, folder, apply: 'end' });
    const run = await runAgent(notes, { workspace, params: { topic: 'bees' } });
    expect(run.application).toEqual({ kind: 'applied' });
    expect(readFileSync(join(folder, 'NOTES.md'), 'utf8')).toBe('bees\n');
  });

  it('keeps what another process has written meanwhile, as a value', async () => {
    const folder = folderOf();
    await using workspace = await openWorkspace({ agent: notes, folder, apply: 'end' });
    const agent = defineAgent({
      template: notes.template,
      params: { topic: 'bees' },
      adapter: notesModel('bees'),
      conclude: () => {
        writeFileSync(join(folder, 'NOTES.md'), 'theirs');
        return undefined;
      },
    });
    const run = await runAgent(agent, { workspace });
    expect(run.application).toEqual({ kind: 'conflict', paths: ['NOTES.md'] });
    expect(readFileSync(join(folder, 'NOTES.md'), 'utf8')).toBe('theirs');
    expect(run.output).toEqual({ file: 'NOTES.md' });
  });

  it('is written with each call, also those of a run that fails', async () => {
    const folder = folderOf();
    await using workspace = await openWorkspace({ agent: notes, folder, apply: 'each' });
    const failing = runAgent(notes, { workspace, limits: { maxTurns: 1 } });
    await expect(failing).rejects.toMatchObject({ code: 'evaluation-turns-exceeded' });
    expect(existsSync(join(folder, 'NOTES.md'))).toBe(true);
    expect(workspace.changes()).toHaveLength(1);
  });

  it('names the files on which calls lost against another process, unless a later call wrote them', async () => {
    for (const isMended of [false, true]) {
      const folder = folderOf({ 'notes.md': 'old', 'seen.md': 'old' });
      await using workspace = await openWorkspace({ folder, apply: 'each' });
      const run = await runAgent(disturbed(folder, isMended), { workspace });
      const lost = isMended ? ['seen.md'] : ['notes.md', 'seen.md'];
      expect(run.application).toEqual({ kind: 'conflict', paths: lost });
      expect(run.changes.map(({ path }) => path)).toEqual(isMended ? ['notes.md', 'other.md'] : ['other.md']);
      expect(readFileSync(join(folder, 'other.md'), 'utf8')).toBe('ours');
      expect(readFileSync(join(folder, 'notes.md'), 'utf8')).toMatch(isMended ? /^ours$/ : /^theirs/);
    }
  });

  it('gives the events of a run to a workspace, before those who observe the run', async () => {
    const order: string[] = [];
    const observer = (name: string): RunObserver => ({
      eventTypes: ['run-end'],
      onEvent: ({ type }) => order.push(`${name}: ${type}`),
    });
    const workspace = { filesystem: new MemoryFilesystem(), observer: observer('workspace') };
    const agent = defineAgent({
      template: notes.template,
      params: { topic: 'bees' },
      adapter: notesModel('bees'),
      observers: [observer('agent')],
    });
    await runAgent(agent, { workspace, observers: [observer('option')] });
    expect(order).toEqual(['workspace: run-end', 'agent: run-end', 'option: run-end']);
  });

  it('shows what the rules of the agent show', async () => {
    const folder = folderOf({ 'a.md': 'a', 'secret/b.md': 'b', '.git/c': 'c', 'node_modules/d': 'd' });
    const agent = defineAgent({ template: notes.template, workspace: { exclude: ['secret/**'] } });
    await using workspace = await openWorkspace({ agent, folder });
    const found = await workspace.filesystem.glob('**/*');
    expect(found.paths).toEqual(['a.md']);
    await using open = await openWorkspace({ folder, agent: { workspace: { defaultExcludes: false } } });
    expect((await open.filesystem.glob('**/*')).paths).toHaveLength(4);
  });

  it('refuses an agent without files, and an option of the wrong kind', async () => {
    const agent = defineAgent({ template: bareTemplate, workspace: false });
    const folder = folderOf();
    await expect(openWorkspace({ agent, folder })).rejects.toMatchObject({ details: { option: 'agent' } });
    // @ts-expect-error there is no such mode
    await expect(openWorkspace({ folder, apply: 'flush' })).rejects.toMatchObject({
      details: { option: 'apply' },
    });
    await expect(openWorkspace({ folder: join(folder, 'none') })).rejects.toMatchObject({
      code: 'path-not-found',
    });
  });
});

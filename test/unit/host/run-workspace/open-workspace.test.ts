import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defineAgent, runAgent } from 'weakincentives';
import { openWorkspace } from 'weakincentives/node';
import { bareTemplate, notes, notesModel } from '../../agent/agents.ts';

function folderOf(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'workspace-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
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

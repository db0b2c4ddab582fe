import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type AnyTool,
  PolicyDecision,
  readBeforeWritePolicy,
  type ToolPolicy,
  ToolResult,
  TransactionClosedError,
  tool,
} from 'weakincentives';
import { openStagedFolder, type StagedFolder } from 'weakincentives/node';
import { contentOf } from '../../../contract/filesystem-setup.ts';
import { only, runCalls } from '../../../support/run-calls.ts';
import { tempFolder } from '../temp-folder.ts';

const files = { 'a.txt': 'one\n', 'b.txt': 'two\n' };
const script = `import fs from 'node:fs'; fs.writeFileSync('a.txt', 'edited'); fs.writeFileSync('new', 'x'); fs.rmSync('b.txt');`;
const edited = { 'a.txt': 'edited', new: 'x' };

/** A tool that runs a process on the files of its call, collects, and then ends with the given result. */
function runTool(
  tempRoot: string,
  setup: { readonly effects?: 'read' | 'state' | 'external'; readonly end?: () => ToolResult<null> } = {},
): AnyTool {
  const { effects = 'external', end = () => ToolResult.ok(null, 'ran') } = setup;
  return tool({
    name: 'run',
    description: 'Run a process.',
    effects,
    execute: async (_params, { filesystem, signal }) => {
      await using staged = await openStagedFolder(filesystem, { signal, tempRoot });
      execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
        cwd: staged.path,
        env: {},
      });
      await staged.collect();
      return end();
    },
  });
}

describe('a process in a call', () => {
  it('has its changes kept when the call succeeds', async () => {
    const tempRoot = tempFolder();
    const { filesystem, texts } = await runCalls({
      files,
      tools: [runTool(tempRoot)],
      calls: [{ name: 'run' }],
    });
    expect(texts).toEqual(['ran']);
    expect(await contentOf(filesystem)).toEqual(edited);
    expect(readdirSync(tempRoot)).toEqual([]);
  });

  it.each([
    ['answers with an error', () => ToolResult.error('The tests fail.')],
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
  ])('has its changes taken back when the tool %s', async (_what, end) => {
    const tempRoot = tempFolder();
    const tools = [runTool(tempRoot, { end })];
    const { filesystem, invocations } = await runCalls({ files, tools, calls: [{ name: 'run' }] });
    expect(only(invocations).outcome).toBe('rolled-back');
    expect(await contentOf(filesystem)).toEqual(files);
    expect(readdirSync(tempRoot)).toEqual([]);
  });

  it('is judged by what it changed', async () => {
    const seen: string[] = [];
    const watch: ToolPolicy = {
      name: 'watch',
      check: () => PolicyDecision.allow(),
      checkChanges: (_call, changes) => {
        seen.push(...changes.map(({ kind, path }) => `${kind} ${path}`));
        return changes.some(({ kind }) => kind === 'removed')
          ? PolicyDecision.deny('Nothing may be removed.')
          : PolicyDecision.allow();
      },
    };
    const tools = [runTool(tempFolder())];
    const { filesystem, texts } = await runCalls({
      files,
      tools,
      calls: [{ name: 'run' }],
      policies: [watch],
    });
    expect(seen).toEqual(['modified a.txt', 'removed b.txt', 'created new']);
    expect(only(texts)).toContain('Nothing may be removed.');
    expect(await contentOf(filesystem)).toEqual(files);
  });

  it('may not overwrite what was not read before', async () => {
    const { filesystem, texts } = await runCalls({
      files,
      tools: [runTool(tempFolder())],
      calls: [{ name: 'run' }],
      policies: [readBeforeWritePolicy()],
    });
    expect(only(texts)).toContain('a.txt');
    expect(await contentOf(filesystem)).toEqual(files);
  });

  it('runs again when another call of the turn has changed what it was given', async () => {
    const write = tool({
      name: 'write',
      description: 'Write a file.',
      effects: 'state',
      execute: async (_params, { filesystem }) => {
        await filesystem.write('mine', 'written');
        return ToolResult.ok(null, 'written');
      },
    });
    const { filesystem, invocations } = await runCalls({
      files,
      tools: [write, runTool(tempFolder(), { effects: 'state' })],
      calls: [{ name: 'write' }, { name: 'run' }],
    });
    expect(invocations.map(({ attempts, outcome }) => [attempts, outcome])).toEqual([
      [1, 'committed'],
      [2, 'committed'],
    ]);
    expect(await contentOf(filesystem)).toEqual({ ...edited, mine: 'written' });
  });

  it('may be looked at, not collected, by a tool that only reads', async () => {
    const { filesystem, texts } = await runCalls({
      files,
      tools: [runTool(tempFolder(), { effects: 'read' })],
      calls: [{ name: 'run' }],
    });
    expect(only(texts)).toContain('read');
    expect(await contentOf(filesystem)).toEqual(files);
  });

  it('changes nothing after the end of its call', async () => {
    const tempRoot = tempFolder();
    const kept: StagedFolder[] = [];
    const keep = tool({
      name: 'keep',
      description: 'Keep the folder.',
      execute: async (_params, { filesystem }) => {
        kept.push(await openStagedFolder(filesystem, { tempRoot }));
        return ToolResult.ok(null, 'kept');
      },
    });
    const { filesystem } = await runCalls({ files, tools: [keep], calls: [{ name: 'keep' }] });
    const staged = only(kept);
    execFileSync(process.execPath, ['--input-type=module', '--eval', script], { cwd: staged.path, env: {} });
    await expect(staged.collect()).rejects.toBeInstanceOf(TransactionClosedError);
    expect(await contentOf(filesystem)).toEqual(files);
    await staged[Symbol.asyncDispose]();
    expect(readdirSync(tempRoot)).toEqual([]);
  });
});

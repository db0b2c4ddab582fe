import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type AgentRun, defineAgent, promptTemplate, runAgent } from 'weakincentives';
import { openWorkspace } from 'weakincentives/node';
import { memoryJournal, scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';

const agent = defineAgent({
  template: promptTemplate({ ns: 'agents', key: 'writer', sections: [vfsToolsSection()] }),
});
const write = (path: string, content: string) => ({
  toolCalls: [{ name: 'write_file', arguments: { file_path: path, content } }],
});

let folder = '';
let journal: ReturnType<typeof memoryJournal>;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'wink-meanwhile-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  journal = memoryJournal();
});

/** Runs it, with changes that are written at the end; a model that fails interrupts it. */
async function run(turns: Parameters<typeof scriptedAdapter>[0]): Promise<AgentRun> {
  const workspace = await openWorkspace({ folder, agent, apply: 'end' });
  try {
    return await runAgent(agent, {
      adapter: scriptedAdapter(turns),
      journal,
      runId: 'job',
      workspace,
      retry: false,
    });
  } finally {
    await workspace[Symbol.asyncDispose]();
  }
}

const text = (path: string): string => readFileSync(join(folder, path), 'utf8');
const turns = [write('a.md', 'of the run\n'), { text: 'Done.' }];

describe('a run that writes at its end, and was interrupted', () => {
  beforeEach(async () => {
    await expect(run([write('a.md', 'of the run\n')])).rejects.toThrow();
  });

  it('writes when it has its answer', async () => {
    expect(await run(turns)).toMatchObject({ application: { kind: 'applied' }, text: 'Done.' });
    expect(text('a.md')).toBe('of the run\n');
  });

  it('does not write over what others have changed meanwhile', async () => {
    writeFileSync(join(folder, 'a.md'), 'of another\n');
    expect(await run(turns)).toMatchObject({
      application: { kind: 'conflict', paths: ['a.md'] },
      text: 'Done.',
      changes: [{ path: 'a.md' }],
    });
    expect(text('a.md')).toBe('of another\n');
  });

  it('writes beside what it has not changed', async () => {
    writeFileSync(join(folder, 'b.md'), 'of another\n');
    expect(await run(turns)).toMatchObject({ application: { kind: 'applied' } });
    expect([text('a.md'), text('b.md')]).toEqual(['of the run\n', 'of another\n']);
  });
});

describe('a run that has its answer, and is asked for again', () => {
  it('leaves what others have changed since it wrote', async () => {
    expect(await run(turns)).toMatchObject({ application: { kind: 'applied' } });
    expect(await run([])).toMatchObject({ application: { kind: 'applied' }, text: 'Done.' });
    writeFileSync(join(folder, 'a.md'), 'of a person\n');
    expect(await run([])).toMatchObject({ application: { kind: 'conflict', paths: ['a.md'] } });
    expect(text('a.md')).toBe('of a person\n');
  });
});

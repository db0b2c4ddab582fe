import { chmodSync, lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  binding,
  Filesystem,
  type JournalBatch,
  type Prompt,
  promptTemplate,
  resumeRun,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { openHostFilesystem } from 'weakincentives/node';
import { scriptedAdapter } from 'weakincentives/testing';
import { agentTool } from 'weakincentives/tools';
import { z } from 'zod';
import { journalAfter, watchedJournal } from '../../../support/journals.ts';
import { type TestFolders, testFolders } from '../../host/host-filesystem/host-workspace.ts';

/** An agent that moves and copies in its first turn, and adds to a file in the second. */
function leadOf(filesystem: Filesystem, ran: string[]): Prompt {
  const move = tool({
    name: 'move',
    description: 'Moves files.',
    effects: 'state',
    execute: async (_params, { filesystem: files }) => {
      ran.push('move');
      await files.move('run.sh', 'bin/run.sh');
      await files.write('bin/run.sh', 'run faster\n');
      await files.copy('bin/run.sh', 'copy.sh');
      await files.move('link.md', 'near.md');
      await files.remove('old', { recursive: true });
      await files.write('list.md', `${(await files.read('list.md')).text}moved\n`);
      return ToolResult.ok(null, 'Moved.');
    },
  });
  const add = tool({
    name: 'add',
    description: 'Adds a line.',
    effects: 'state',
    execute: async (_params, { filesystem: files }) => {
      ran.push('add');
      await files.read('bin/run.sh');
      await files.write('list.md', `${(await files.read('list.md')).text}added\n`);
      return ToolResult.ok(null, 'Added.');
    },
  });
  const inner = section({ title: 'Inner', key: 'inner', template: 'Inner.', tools: [move, add] });
  const delegate = agentTool({
    name: 'delegate',
    description: 'Delegates.',
    effects: 'state',
    inputSchema: z.object({}),
    template: promptTemplate({ ns: 'test', key: 'agent', sections: [inner] }),
  });
  return promptTemplate({
    ns: 'test',
    key: 'lead',
    resources: [binding(Filesystem, { instance: filesystem })],
    sections: [section({ title: 'Lead', key: 'lead', template: 'Outer.', tools: [delegate] })],
  }).bind();
}

const adapter = (): ReturnType<typeof scriptedAdapter> =>
  scriptedAdapter((_conversation, { instructions, turn }) => {
    if (!instructions.includes('Inner.'))
      return turn === 1 ? { toolCalls: [{ name: 'delegate', arguments: {} }] } : { text: 'done' };
    if (turn === 3) return { text: 'All is done.' };
    return { toolCalls: [{ name: turn === 1 ? 'move' : 'add', arguments: {} }] };
  });

function foldersOf(): TestFolders {
  const folders = testFolders({ 'run.sh': 'run\n', 'kept.md': 'kept\n', 'old/a.md': 'a\n', 'list.md': '' });
  chmodSync(join(folders.root, 'run.sh'), 0o755);
  symlinkSync('kept.md', join(folders.root, 'link.md'));
  return folders;
}

const typesIn = (batches: readonly JournalBatch[]): readonly string[] =>
  batches.flatMap(({ rows }) => rows.map(({ type }) => type));

/** A run that was killed after so many commits of its agent, resumed in a folder as it was at the start. */
async function resumed(
  commits: number,
  meanwhile: (root: string) => void = () => undefined,
): Promise<{ readonly root: string; readonly ran: readonly string[] }> {
  const journal = watchedJournal();
  {
    await using filesystem = await openHostFilesystem(foldersOf());
    await adapter().evaluate(leadOf(filesystem, []), { journal, runId: 'run' });
  }
  const [run] = await journal.runs();
  const length = journal.batches.findLastIndex(
    (_batch, index) =>
      typesIn(journal.batches.slice(0, index + 1)).filter((type) => type === 'commit').length === commits,
  );
  const killed = await journalAfter(journal.batches.slice(0, length + 1), run?.sessionId ?? '');
  const folders = foldersOf();
  meanwhile(folders.root);
  const ran: string[] = [];
  await using filesystem = await openHostFilesystem(folders);
  const end = await resumeRun({
    adapter: adapter(),
    journal: killed,
    runId: 'run',
    prompt: leadOf(filesystem, ran),
  });
  expect(end).toMatchObject({ finishReason: 'stop', text: 'done' });
  return { root: folders.root, ran };
}

describe('an agent on a folder that is entered again', () => {
  it.each([
    [1, ['add']],
    [2, []],
  ])(
    'has what its first %i calls did, with permissions and links, and does not do it again',
    async (commits, left) => {
      const { root, ran } = await resumed(commits);
      expect(ran).toEqual(left);
      const modeOf = (path: string): number => lstatSync(join(root, path)).mode & 0o777;
      expect([modeOf('bin/run.sh'), modeOf('copy.sh')]).toEqual([0o755, 0o755]);
      expect(lstatSync(join(root, 'near.md')).isSymbolicLink()).toBe(true);
      expect(readdirSync(root).sort()).toEqual(['bin', 'copy.sh', 'kept.md', 'list.md', 'near.md']);
      expect(readFileSync(join(root, 'list.md'), 'utf8')).toBe('moved\nadded\n');
    },
  );

  it('does its calls again when another process has changed what they replace', async () => {
    const { root, ran } = await resumed(2, (folder) => writeFileSync(join(folder, 'list.md'), 'theirs\n'));
    expect(ran).toEqual(['move', 'add']);
    expect(readFileSync(join(root, 'list.md'), 'utf8')).toBe('theirs\nmoved\nadded\n');
  });
});

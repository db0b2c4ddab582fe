import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  binding,
  Filesystem,
  type JournalBatch,
  type Prompt,
  promptTemplate,
  type RunEvent,
  resumeRun,
  Session,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { openHostFilesystem } from 'weakincentives/node';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { journalAfter, watchedJournal } from '../../../support/journals.ts';
import { type TestFolders, testFolders } from '../../host/host-filesystem/host-workspace.ts';

const files = { 'kept.md': 'before\n' };

function promptOf(filesystem: Filesystem, ran: string[] = []): Prompt {
  const write = tool({
    name: 'write',
    description: 'Writes.',
    effects: 'state',
    inputSchema: z.object({}),
    execute: async (_params, context) => {
      ran.push(context.callId);
      await context.filesystem.write('kept.md', 'after\n');
      await context.filesystem.write('made.md', 'made\n');
      return ToolResult.ok(null, 'Written.');
    },
  });
  return promptTemplate({
    ns: 'test',
    key: 'landing',
    resources: [binding(Filesystem, { instance: filesystem })],
    sections: [section({ title: 'Task', key: 'task', template: 'Write.', tools: [write] })],
  }).bind();
}

const adapter = scriptedAdapter([{ toolCalls: [{ name: 'write', arguments: {} }] }, { text: 'done' }]);

const textOf = ({ root }: TestFolders, path: string): string | undefined =>
  existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined;

/** A run in a folder, as a process left it that was killed after the first batch with such a row. */
async function killedAfter(
  type: string,
): Promise<{ readonly folders: TestFolders; readonly batches: readonly JournalBatch[] }> {
  const folders = testFolders(files);
  await using filesystem = await openHostFilesystem(folders);
  const journal = watchedJournal();
  const session = new Session({ id: 'session' });
  await adapter.evaluate(promptOf(filesystem), { journal, runId: 'run', session });
  const holds = ({ rows }: JournalBatch): boolean => rows.some((row) => row.type === type);
  return { folders, batches: journal.batches.slice(0, journal.batches.findIndex(holds) + 1) };
}

/** Resumes it in the folder. @returns what `run-resumed` named, and the calls that were made. */
async function resumeIn(folders: TestFolders, batches: readonly JournalBatch[]) {
  await using filesystem = await openHostFilesystem(folders);
  const events: RunEvent[] = [];
  const ran: string[] = [];
  await resumeRun({
    adapter,
    runId: 'run',
    files: 'as-is',
    prompt: promptOf(filesystem, ran),
    journal: await journalAfter(batches, 'session'),
    observers: [{ onEvent: (event) => void events.push(event) }],
  });
  const resumed = events.find((event) => event.type === 'run-resumed');
  return { ran, changed: resumed?.changed };
}

describe('files of the last commit, when the run is resumed as they are', () => {
  it('that was delivered are left as others have made them', async () => {
    const { folders, batches } = await killedAfter('delivered');
    writeFileSync(join(folders.root, 'kept.md'), 'theirs\n');
    rmSync(join(folders.root, 'made.md'));
    expect(await resumeIn(folders, batches)).toEqual({ ran: [], changed: ['file kept.md', 'file made.md'] });
    expect(textOf(folders, 'kept.md')).toBe('theirs\n');
    expect(textOf(folders, 'made.md')).toBeUndefined();
  });

  it('that was delivered stay as others have put them back', async () => {
    const { folders, batches } = await killedAfter('delivered');
    writeFileSync(join(folders.root, 'kept.md'), files['kept.md']);
    expect(await resumeIn(folders, batches)).toEqual({ ran: [], changed: ['file kept.md'] });
    expect(textOf(folders, 'kept.md')).toBe('before\n');
    expect(textOf(folders, 'made.md')).toBe('made\n');
  });

  it('that was not delivered are brought to the folder, but for what others have changed', async () => {
    const { folders, batches } = await killedAfter('commit');
    writeFileSync(join(folders.root, 'kept.md'), 'theirs\n');
    rmSync(join(folders.root, 'made.md'));
    expect(await resumeIn(folders, batches)).toEqual({ ran: [], changed: ['file kept.md'] });
    expect(textOf(folders, 'kept.md')).toBe('theirs\n');
    expect(textOf(folders, 'made.md')).toBe('made\n');
  });
});

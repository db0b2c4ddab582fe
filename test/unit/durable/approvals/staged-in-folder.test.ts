import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  binding,
  Filesystem,
  type PendingApproval,
  PolicyDecision,
  type Prompt,
  promptTemplate,
  type RunJournal,
  resumeRun,
  type SuspendedRun,
  section,
  suspendApproval,
  ToolResult,
  tool,
} from 'weakincentives';
import { openHostFilesystem } from 'weakincentives/node';
import { memoryJournal, scriptedAdapter } from 'weakincentives/testing';
import { type TestFolders, testFolders } from '../../host/host-filesystem/host-workspace.ts';

/** A prompt with a call that writes something else each time its handler runs, and a policy that asks about it. */
function promptOf(filesystem: Filesystem, ran: string[]): Prompt {
  const summarize = tool({
    name: 'summarize',
    description: 'Summarizes a file.',
    effects: 'state',
    execute: async (_params, { filesystem: files }) => {
      const { text } = await files.read('source.md');
      ran.push(text.trim());
      await files.write('summary.md', `${ran.length}: ${text}`);
      return ToolResult.ok(null, `Summary ${ran.length}.`);
    },
  });
  return promptTemplate({
    ns: 'test',
    key: 'summaries',
    policies: [{ name: 'reviews', checkChanges: () => PolicyDecision.ask('Is this right?') }],
    resources: [binding(Filesystem, { instance: filesystem })],
    sections: [section({ title: 'Task', key: 'task', template: 'Do it.', tools: [summarize] })],
  }).bind();
}

const adapter = (): ReturnType<typeof scriptedAdapter> =>
  scriptedAdapter([{ toolCalls: [{ name: 'summarize' }] }, { text: 'done' }]);

/** A run in a folder whose changes wait for an answer; no process has the folder open. */
interface Waiting {
  readonly folders: TestFolders;
  readonly journal: RunJournal;
  readonly ran: string[];
  readonly pending: readonly PendingApproval[];
}

function assertSuspended(run: { readonly finishReason: string }): asserts run is SuspendedRun {
  expect(run.finishReason).toBe('suspended');
}

async function suspend(): Promise<Waiting> {
  const folders = testFolders({ 'source.md': 'old\n', 'other.md': 'old\n' });
  const journal = memoryJournal();
  const ran: string[] = [];
  await using filesystem = await openHostFilesystem(folders);
  const suspended = await adapter().evaluate(promptOf(filesystem, ran), {
    journal,
    runId: 'run',
    approve: suspendApproval(),
  });
  assertSuspended(suspended);
  expect(ran).toEqual(['old']);
  expect(existsSync(join(folders.root, 'summary.md'))).toBe(false);
  return { folders, journal, ran, pending: suspended.pending };
}

async function approve(
  { folders, journal, ran }: Waiting,
  pending: readonly PendingApproval[],
): ReturnType<typeof resumeRun> {
  await using filesystem = await openHostFilesystem(folders);
  return await resumeRun({
    adapter: adapter(),
    journal,
    runId: 'run',
    prompt: promptOf(filesystem, ran),
    approve: suspendApproval(),
    answers: pending.map(({ id, digest }) => ({ id, digest, approved: true })),
  });
}

const write = ({ folders }: Waiting, path: string, text: string): void =>
  writeFileSync(join(folders.root, path), text);
const read = ({ folders }: Waiting, path: string): string => readFileSync(join(folders.root, path), 'utf8');

describe('changes to a folder that were approved', () => {
  it('are committed as they were shown when the folder is as it was, and the handler does not run again', async () => {
    const waiting = await suspend();
    expect(waiting.pending[0]?.changes).toMatchObject([{ path: 'summary.md', kind: 'created' }]);
    const end = await approve(waiting, waiting.pending);
    expect(end).toMatchObject({ finishReason: 'stop', text: 'done' });
    expect(end.conversation.at(-2)).toMatchObject({ text: expect.stringContaining('Summary 1.') });
    expect(waiting.ran).toEqual(['old']);
    expect(read(waiting, 'summary.md')).toBe('1: old\n');
  });

  it('are committed when another process has changed what the call had not read', async () => {
    const waiting = await suspend();
    write(waiting, 'other.md', 'new\n');
    expect(await approve(waiting, waiting.pending)).toMatchObject({ finishReason: 'stop' });
    expect(waiting.ran).toEqual(['old']);
    expect(read(waiting, 'summary.md')).toBe('1: old\n');
    expect(read(waiting, 'other.md')).toBe('new\n');
  });

  it('are made anew and asked about again when another process has changed what the call had read', async () => {
    const waiting = await suspend();
    write(waiting, 'source.md', 'new\n');
    const again = await approve(waiting, waiting.pending);
    assertSuspended(again);
    expect(waiting.ran).toEqual(['old', 'new']);
    expect(again.pending).toHaveLength(1);
    expect(again.pending[0]?.digest).not.toBe(waiting.pending[0]?.digest);
    expect(existsSync(join(waiting.folders.root, 'summary.md'))).toBe(false);
    expect(await approve(waiting, again.pending)).toMatchObject({ finishReason: 'stop', text: 'done' });
    expect(waiting.ran).toEqual(['old', 'new']);
    expect(read(waiting, 'summary.md')).toBe('2: new\n');
  });
});

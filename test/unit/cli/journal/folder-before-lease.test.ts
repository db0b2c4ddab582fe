import { describe, expect, it } from 'vitest';
import { defineAgent, JournalFencedError, promptTemplate, type RunLease, section } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import type { CommandParts } from '../../../../src/cli/agent/command-parts.ts';
import { readArguments } from '../../../../src/cli/commands/read-arguments.ts';
import { UsageError } from '../../../../src/cli/process/errors.ts';
import { resumeCommand } from '../../../../src/cli/resume-command.ts';
import { runCommand } from '../../../../src/cli/run-command.ts';
import { summaryOf } from '../../../../src/core/runtime/index.ts';
import { fakeEnvironment, ofAgent, openedFolder, parts, request } from '../support.ts';
import { MemoryJournals } from './journals.ts';

const agent = (turns: readonly { readonly text: string }[]) =>
  ofAgent(
    defineAgent({
      template: promptTemplate({
        ns: 'tests',
        key: 'talker',
        sections: [section({ title: 'Task', key: 'task', template: () => 'Talk.' })],
      }),
      name: 'the talker',
      adapter: scriptedAdapter(turns),
    }),
  );

/** A failed run whose owner has ended for its journal: resuming it would take the lease over. */
async function ownedRun(journals: MemoryJournals): Promise<{
  readonly owner: RunLease;
  /** Whether the owner can still write: it was not fenced. */
  readonly write: () => Promise<void>;
}> {
  const asked = request('run', 'agent.ts', 'demo', '--durable', '--run-id', 'one');
  expect(await runCommand(asked, fakeEnvironment(), parts(agent([]), {}, { journals }))).toBe(1);
  const journal = journals.journal();
  const [kept] = await journal.runs();
  if (kept === undefined) throw new Error('The journal has no run.');
  const { runId, sessionId } = kept;
  const lease = await journal.acquire(sessionId);
  journals.ended.set(sessionId, lease);
  const write = async (): Promise<void> => {
    await journal.append({ runId, rows: [], summary: { ...summaryOf(kept), status: 'running' } }, lease);
  };
  await write();
  return { owner: lease, write };
}

function resume(journals: MemoryJournals, open: CommandParts['open']): Promise<number> {
  const asked = readArguments(['resume', 'one']);
  if (asked.kind !== 'resume') throw new Error(JSON.stringify(asked));
  const loaded = agent([{ text: 'Talked.' }]);
  return resumeCommand(asked, fakeEnvironment(), parts(loaded, {}, { journals, open }));
}

describe('wink resume takes the folder first, then the lease', () => {
  it('and one that cannot have the folder has not fenced the owner of the run', async () => {
    const journals = new MemoryJournals();
    const { owner, write } = await ownedRun(journals);
    const resumed = resume(journals, async () => {
      throw new UsageError('the folder "demo" is in use by another process.');
    });
    await expect(resumed).rejects.toThrow('the folder "demo" is in use by another process.');
    expect(owner.signal.aborted).toBe(false);
    await write();
    expect(journals.opened).toBe(0);
  });

  it('and one that has the folder takes the lease over', async () => {
    const journals = new MemoryJournals();
    const { write } = await ownedRun(journals);
    expect(await resume(journals, async () => openedFolder({}))).toBe(0);
    await expect(write()).rejects.toThrow(JournalFencedError);
  });
});

import { describe, expect, it } from 'vitest';
import {
  answerApprovals,
  binding,
  Filesystem,
  MemoryFilesystem,
  PolicyDecision,
  type Prompt,
  pendingApprovals,
  promptTemplate,
  resumeRun,
  section,
  suspendApproval,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { memoryJournal, scriptedAdapter } from 'weakincentives/testing';

/** Asks about the call, and about its changes, each time with the same reason. */
const reviews: ToolPolicy = {
  name: 'reviews',
  check: () => PolicyDecision.ask('Is this right?'),
  checkChanges: () => PolicyDecision.ask('Is this right?'),
};

/** A call that writes something else each time its handler runs. */
function promptOf(ran: string[], filesystem: Filesystem): Prompt {
  const write = tool({
    name: 'write',
    description: 'Writes.',
    effects: 'state',
    execute: async (_params, { filesystem: files }) => {
      ran.push('write');
      await files.read('kept.md');
      await files.write('n.md', `${ran.length}\n`);
      return ToolResult.ok(null, `Written ${ran.length}.`);
    },
  });
  return promptTemplate({
    ns: 'test',
    key: 'reviewed',
    policies: [reviews],
    resources: [binding(Filesystem, { instance: filesystem })],
    sections: [section({ title: 'Task', key: 'task', template: 'Do it.', tools: [write] })],
  }).bind();
}

const adapter = (): ReturnType<typeof scriptedAdapter> =>
  scriptedAdapter([{ toolCalls: [{ name: 'write' }] }, { text: 'done' }]);

describe('a question of a policy that has had an answer before', () => {
  it('waits for an answer of its own when it is about something else', async () => {
    const journal = memoryJournal();
    const ran: string[] = [];
    const resume = (kept = 'kept'): ReturnType<typeof resumeRun> =>
      resumeRun({
        adapter: adapter(),
        journal,
        runId: 'run',
        approve: suspendApproval(),
        prompt: promptOf(ran, new MemoryFilesystem({ files: { 'kept.md': kept } })),
      });
    const approve = async (): Promise<void> => {
      const pending = await pendingApprovals({ journal, runId: 'run' });
      expect(pending).toHaveLength(1);
      const answers = pending.map(({ id, digest }) => ({ id, digest, approved: true }));
      await answerApprovals({ journal, runId: 'run', answers });
    };
    const files = new MemoryFilesystem({ files: { 'kept.md': 'kept' } });
    await adapter().evaluate(promptOf(ran, files), { journal, runId: 'run', approve: suspendApproval() });
    await approve();
    // About the changes of the call, by the same policy.
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await resume()).toMatchObject({ finishReason: 'suspended', pending: [{ changes: [{}] }] });
    }
    await approve();
    // About other changes, since what the call had read has changed.
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await resume('changed')).toMatchObject({ finishReason: 'suspended' });
    }
    await approve();
    expect(await resume('changed')).toMatchObject({ finishReason: 'stop', text: 'done' });
  });
});

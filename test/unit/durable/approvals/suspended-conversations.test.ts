import { describe, expect, it } from 'vitest';
import {
  type ConversationItem,
  PolicyDecision,
  type Prompt,
  promptTemplate,
  resumeRun,
  type SuspendedRun,
  section,
  suspendApproval,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { type WatchedJournal, watchedJournal } from '../../../support/journals.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

/** A prompt whose call needs an approval. */
function promptOf(ran: string[] = []): Prompt {
  const publish = tool({
    name: 'publish',
    description: 'Publishes.',
    effects: 'external',
    inputSchema: z.object({}),
    execute: (_params, { callId }) => {
      ran.push(callId);
      return ToolResult.ok(null, 'Published.');
    },
  });
  return promptTemplate({
    ns: 'test',
    key: 'publishing',
    policies: [{ name: 'asks', check: () => PolicyDecision.ask('Really?') }],
    sections: [section({ title: 'Task', key: 'task', template: 'Publish.', tools: [publish] })],
  }).bind();
}

const adapter = scriptedAdapter([{ toolCalls: [{ name: 'publish', arguments: {} }] }, { text: 'done' }]);

async function suspend(): Promise<{ readonly suspended: SuspendedRun; readonly journal: WatchedJournal }> {
  const journal = watchedJournal();
  const suspended = await adapter.evaluate(promptOf(), {
    journal,
    runId: 'run',
    approve: suspendApproval(),
  });
  if (suspended.finishReason !== 'suspended') throw new Error('It was not suspended.');
  return { suspended, journal };
}

/** What the model reads that gets this history. */
async function readBy(
  history: readonly ConversationItem[],
  options: { readonly pendingCalls?: 'interrupt' | 'refuse' } = {},
): Promise<{ readonly read: string; readonly warnings: string }> {
  let read = '';
  const logger = recordingLogger();
  const other = scriptedAdapter((conversation) => {
    read = JSON.stringify(conversation);
    return { text: 'Hello.' };
  });
  await other.evaluate(promptOf(), { ...options, history, logger });
  return { read, warnings: JSON.stringify(logger.lines) };
}

describe('the conversation of a suspended run as a history', () => {
  it('is refused by name, whatever pendingCalls says, before the model is asked', async () => {
    const { suspended } = await suspend();
    for (const pendingCalls of ['interrupt', 'refuse'] as const) {
      await expect(readBy(suspended.conversation, { pendingCalls })).rejects.toMatchObject({
        name: 'PromptValidationError',
        message: expect.stringMatching(/conversation of the run "run", which waits for answers/),
        details: { option: 'history', runId: 'run' },
      });
    }
  });

  it('is refused again when the run was resumed and waits on', async () => {
    const { journal } = await suspend();
    const again = await resumeRun({ adapter, journal, runId: 'run', prompt: promptOf() });
    expect(again.finishReason).toBe('suspended');
    await expect(readBy(again.conversation)).rejects.toThrow(/waits for answers/);
  });

  it('is like any other as a copy: its calls read as interrupted, or are refused as pendingCalls says', async () => {
    const { suspended } = await suspend();
    const copy = [...suspended.conversation];
    const { read, warnings } = await readBy(copy);
    expect(read).toContain('was interrupted; whether it ran is not known');
    expect(warnings).toContain('call-1-1');
    await expect(readBy(copy, { pendingCalls: 'refuse' })).rejects.toThrow(/"publish" \(call-1-1\)/);
  });

  it('can be gone on from once the run has its answer', async () => {
    const { suspended, journal } = await suspend();
    const ran: string[] = [];
    const answers = suspended.pending.map(({ id, digest }) => ({ id, digest, approved: true }));
    const end = await resumeRun({ adapter, journal, runId: 'run', prompt: promptOf(ran), answers });
    expect(ran).toEqual(['call-1-1']);
    expect((await readBy(end.conversation)).read).toContain('Published.');
  });
});

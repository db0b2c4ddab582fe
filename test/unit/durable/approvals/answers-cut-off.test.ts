import { describe, expect, it } from 'vitest';
import {
  type JournalBatch,
  PolicyDecision,
  type Prompt,
  promptTemplate,
  resumeRun,
  Session,
  section,
  suspendApproval,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { journalAfter, watchedJournal } from '../../../support/journals.ts';

/** A prompt with a call that needs an approval. */
function promptOf(ran: string[]): Prompt {
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
    key: 'answers',
    policies: [{ name: 'asks', check: () => PolicyDecision.ask('Really?') }],
    sections: [section({ title: 'Task', key: 'task', template: 'Publish.', tools: [publish] })],
  }).bind();
}

const adapter = scriptedAdapter([{ toolCalls: [{ name: 'publish', arguments: {} }] }, { text: 'done' }]);

/** A run that was suspended, then resumed with an answer; and where its answer row is. */
async function answered(approved: boolean): Promise<{
  readonly batches: readonly JournalBatch[];
  readonly answer: number;
}> {
  const journal = watchedJournal();
  const suspended = await adapter.evaluate(promptOf([]), {
    journal,
    runId: 'run',
    session: new Session({ id: 'session' }),
    approve: suspendApproval(),
  });
  if (suspended.finishReason !== 'suspended') throw new Error('It was not suspended.');
  const answers = suspended.pending.map(({ id, digest }) => ({ id, digest, approved, note: 'Not today.' }));
  await resumeRun({ adapter, journal, runId: 'run', prompt: promptOf([]), answers });
  const answer = journal.batches.findIndex(({ rows }) => rows.some(({ type }) => type === 'answer'));
  return { batches: journal.batches, answer };
}

describe('an answer of a resume that was cut off', () => {
  it('is a row of its own before anything else of the run', async () => {
    const { batches, answer } = await answered(true);
    expect(batches[answer]?.rows.map(({ type }) => type)).toEqual(['answer']);
    expect(batches[answer]?.summary).toMatchObject({ status: 'suspended', pending: 0 });
  });

  it.each([
    ['yes', true],
    ['no', false],
  ] as const)('counts when the run is resumed without answers: a %s', async (_what, approved) => {
    const { batches, answer } = await answered(approved);
    const ran: string[] = [];
    const end = await resumeRun({
      adapter,
      runId: 'run',
      prompt: promptOf(ran),
      journal: await journalAfter(batches.slice(0, answer + 1), 'session'),
    });
    expect(end.finishReason).toBe('stop');
    expect(ran).toEqual(approved ? ['call-1-1'] : []);
    const result = end.conversation.at(-2);
    expect(result).toMatchObject({ type: 'tool-result', isError: !approved });
    expect(JSON.stringify(result)).toContain(approved ? 'Published.' : 'Not today.');
  });

  it('counts wherever the resume was cut off, and nobody is asked again', async () => {
    const { batches, answer } = await answered(true);
    for (let count = answer + 1; count <= batches.length; count += 1) {
      const part = batches.slice(0, count);
      const hasBegun = part.some(({ rows }) => rows.some(({ type }) => type === 'begin'));
      const ran: string[] = [];
      const journal = await journalAfter(part, 'session');
      const end = await resumeRun({ adapter, journal, runId: 'run', prompt: promptOf(ran) });
      expect(end.finishReason, `after ${count}`).toBe('stop');
      // What had begun outside is never done twice.
      expect(ran.length, `after ${count}`).toBe(hasBegun ? 0 : 1);
    }
  });

  it('does not count for another question: without its row the run waits on', async () => {
    const { batches, answer } = await answered(true);
    const ran: string[] = [];
    const journal = await journalAfter(batches.slice(0, answer), 'session');
    const again = await resumeRun({ adapter, journal, runId: 'run', prompt: promptOf(ran) });
    expect(again.finishReason).toBe('suspended');
    expect(ran).toEqual([]);
  });
});

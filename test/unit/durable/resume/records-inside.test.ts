import { expect, it } from 'vitest';
import {
  type Prompt,
  PromptExecutionLog,
  promptTemplate,
  resumeRun,
  Session,
  section,
  ToolCallLog,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { journalAfter, watchedJournal } from '../../../support/journals.ts';

function leadPrompt(): Prompt {
  const look = tool({
    name: 'look',
    description: 'Looks.',
    effects: 'read',
    inputSchema: z.object({}),
    execute: () => ToolResult.ok(null, 'Looked.'),
  });
  const inner = promptTemplate({
    ns: 'test',
    key: 'inner',
    sections: [section({ title: 'Task', key: 'task', template: 'Look once.', tools: [look] })],
  });
  const delegate = tool({
    name: 'delegate',
    description: 'Delegates.',
    effects: 'state',
    inputSchema: z.object({}),
    execute: async (_params, { adapter }) => {
      const { text } = await adapter.evaluate(inner.bind());
      return ToolResult.ok({ text });
    },
  });
  return promptTemplate({
    ns: 'test',
    key: 'lead',
    sections: [section({ title: 'Task', key: 'task', template: 'Lead.', tools: [delegate] })],
  }).bind();
}

const model = (): ReturnType<typeof scriptedAdapter> =>
  scriptedAdapter((_conversation, { instructions, turn }) => {
    if (turn === 2) return { text: 'done' };
    return {
      toolCalls: [{ name: instructions.includes('Look once.') ? 'look' : 'delegate', arguments: {} }],
    };
  });

/** What the library recorded, without ids and times. */
function recordsOf(session: Session): unknown {
  const calls = session.slice(ToolCallLog).all();
  const runs = session.slice(PromptExecutionLog).all();
  return {
    calls: calls.map(({ toolName, parentCallIds, outcome, turn }) => ({
      toolName,
      parentCallIds,
      outcome,
      turn,
    })),
    runs: runs.map(({ promptName }) => promptName),
  };
}

it('keeps what the library recorded of evaluations inside calls', async () => {
  const journal = watchedJournal();
  const session = new Session({ id: 'session' });
  await model().evaluate(leadPrompt(), { journal, runId: 'run', session });
  const whole = recordsOf(session);
  expect(whole).toMatchObject({ calls: [{ toolName: 'look' }, { toolName: 'delegate' }] });
  for (let count = 1; count <= journal.batches.length; count += 1) {
    const resumed = new Session({ id: 'session' });
    const rows = await journalAfter(journal.batches.slice(0, count), 'session');
    await resumeRun({
      adapter: model(),
      prompt: leadPrompt(),
      journal: rows,
      runId: 'run',
      session: resumed,
    });
    expect(recordsOf(resumed), `after ${count}`).toEqual(whole);
  }
});

import { describe, expect, it } from 'vitest';
import {
  type JournalBatch,
  type Prompt,
  promptTemplate,
  type ResumeRunOptions,
  type RunEvent,
  resumeRun,
  Session,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { agentTool } from 'weakincentives/tools';
import { z } from 'zod';
import { withoutPlaces } from '../../../support/event-places.ts';
import { journalAfter, watchedJournal } from '../../../support/journals.ts';

const look = tool({
  name: 'look',
  description: 'Looks.',
  effects: 'read',
  inputSchema: z.object({}),
  execute: () => ToolResult.ok(null, 'Seen.'),
});
const inner = promptTemplate({
  ns: 'test',
  key: 'inner',
  sections: [section({ title: 'Task', key: 'task', template: 'Look inside.', tools: [look] })],
});
const delegate = agentTool({
  name: 'delegate',
  description: 'Delegates.',
  inputSchema: z.object({}),
  template: inner,
});

const outerPrompt = (): Prompt =>
  promptTemplate({
    ns: 'test',
    key: 'outer',
    sections: [section({ title: 'Task', key: 'task', template: 'Delegate.', tools: [look, delegate] })],
  }).bind();

/** Looks, then delegates to an agent that looks, then answers. */
const adapter = scriptedAdapter((_conversation, { instructions, turn }): ScriptedTurn => {
  const call = (name: string): ScriptedTurn => ({
    text: `Turn ${turn}.`,
    toolCalls: [{ name, arguments: {} }],
  });
  if (instructions.includes('Look inside.')) return turn === 1 ? call('look') : { text: 'Seen inside.' };
  return turn === 1 ? call('look') : turn === 2 ? call('delegate') : { text: 'All is done.' };
});

/** The events of the run, resumed after these batches. */
async function resumedAfter(
  batches: readonly JournalBatch[],
  options: Partial<ResumeRunOptions> = {},
): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  await resumeRun({
    adapter,
    prompt: outerPrompt(),
    runId: 'run',
    streaming: true,
    ...options,
    journal: await journalAfter(batches, 'session'),
    observers: [{ onEvent: (event) => void events.push(event) }],
  });
  return events;
}

async function wholeRun(): Promise<readonly JournalBatch[]> {
  const journal = watchedJournal();
  await adapter.evaluate(outerPrompt(), {
    journal,
    runId: 'run',
    session: new Session({ id: 'session' }),
    streaming: true,
  });
  return journal.batches;
}

/** The last row of a run that says what its model is doing. */
const asksOf = (batches: readonly JournalBatch[]): { readonly type: string; readonly line: string } => {
  const last = batches
    .flatMap(({ rows }) => rows)
    .findLast(({ type }) => type === 'request' || type === 'response' || type === 'commit');
  return last ?? { type: '', line: '' };
};

describe('an answer that was cut off', () => {
  it('is announced once before it begins again, whenever the run was interrupted', async () => {
    const batches = await wholeRun();
    let restarts = 0;
    for (let count = 1; count < batches.length; count += 1) {
      const part = batches.slice(0, count);
      const events = await resumedAfter(part);
      const restarted = events.filter((event) => event.type === 'answer-restarted');
      const { type, line } = asksOf(part);
      expect(restarted.length, `after ${count}`).toBe(type === 'request' ? 1 : 0);
      const [first] = restarted;
      if (first === undefined) continue;
      restarts += 1;
      const isInner = line.includes('"run":1,');
      expect(first.path, `after ${count}`).toHaveLength(isInner ? 1 : 0);
      const next = events.slice(events.indexOf(first));
      const { turn, evaluationId, path } = first;
      expect(next.slice(0, 2)).toMatchObject([
        { type: 'answer-restarted', turn },
        { type: 'text-delta', turn },
      ]);
      if (!isInner)
        expect(events[events.indexOf(first) - 1]).toEqual({
          type: 'model-call-start',
          turn,
          evaluationId,
          path,
        });
    }
    expect(restarts).toBe(5);
  });

  it('is not announced in a run that does not stream', async () => {
    const [first] = await wholeRun();
    const events = await resumedAfter(first === undefined ? [] : [first], { streaming: false });
    expect(events.map(({ type }) => type)).toContain('run-resumed');
    expect(events.map(({ type }) => type)).not.toContain('answer-restarted');
  });

  it('is announced when the provider broke off in it, and the run ended', async () => {
    const journal = watchedJournal();
    const broken = scriptedAdapter(() => {
      throw new Error('The provider is down.');
    });
    const run = broken.evaluate(outerPrompt(), {
      journal,
      runId: 'run',
      session: new Session({ id: 'session' }),
      streaming: true,
      retry: false,
    });
    await expect(run).rejects.toMatchObject({ code: 'evaluation-request-failed' });
    const events = await resumedAfter(journal.batches);
    expect(withoutPlaces(events.filter(({ type }) => type === 'answer-restarted'))).toEqual([
      { type: 'answer-restarted', turn: 1 },
    ]);
  });

  it('leaves no row: the rows of an answer are the same whether it was asked for once or twice', async () => {
    const [first] = await wholeRun();
    const journal = await journalAfter(first === undefined ? [] : [first], 'session');
    await resumeRun({ adapter, prompt: outerPrompt(), runId: 'run', streaming: true, journal });
    const lines = journal.batches.flatMap(({ rows }) => rows.map(({ line }) => line));
    expect(lines.join('\n')).not.toContain('answer-restarted');
  });
});

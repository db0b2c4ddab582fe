import { describe, expect, it } from 'vitest';
import {
  BudgetTracker,
  type JournalBatch,
  type Prompt,
  promptTemplate,
  resumeRun,
  Session,
  section,
  ToolInvocations,
  ToolResult,
  tool,
} from 'weakincentives';
import { agentTool } from 'weakincentives/suite';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { journalAfter, watchedJournal } from '../../../support/journals.ts';

interface Setup {
  /** What the agent is told. */
  readonly task?: string;
  /** What its tool finds. */
  readonly found?: string;
  /** Tokens that the agent may take. */
  readonly ownLimit?: number;
}

/** A lead with an agent that looks twice and answers. */
function leadOf({ task = 'Look well.', found = 'a cat', ownLimit }: Setup = {}): Prompt {
  const look = tool({
    ...{ name: 'look', description: 'Looks.', effects: 'read' },
    execute: () => ToolResult.ok(null, `There is ${found}.`),
  });
  const template = promptTemplate({
    ns: 'test',
    key: 'looker',
    sections: [section({ title: 'Task', key: 'task', template: `Agent: ${task}`, tools: [look] })],
  });
  const agent = agentTool({
    ...{ name: 'agent', description: 'Looks.', inputSchema: z.object({}), effects: 'state', template },
    ...(ownLimit === undefined ? {} : { limits: { budget: { maxInputTokens: ownLimit } } }),
  });
  return promptTemplate({
    ns: 'test',
    key: 'lead',
    sections: [section({ title: 'Task', key: 'task', template: 'Lead.', tools: [agent] })],
  }).bind();
}

/** `asked` gets who asks in which turn, and what the agent read last. */
function modelOf(asked: string[], onAsk: () => void = () => undefined): ReturnType<typeof scriptedAdapter> {
  return scriptedAdapter((conversation, { instructions, turn }) => {
    onAsk();
    const isInner = instructions.includes('Agent:');
    asked.push(`${isInner ? 'agent' : 'lead'} ${turn}`);
    const usage = { inputTokens: 1, outputTokens: 1 };
    if (!isInner) return turn === 1 ? { toolCalls: [{ name: 'agent' }], usage } : { text: 'done', usage };
    const last = conversation.at(-1);
    if (turn <= 2) return { toolCalls: [{ name: 'look' }], usage };
    return { text: last?.type === 'tool-result' ? last.text : '', usage };
  });
}

const isInside = ({ line }: { readonly line: string }): boolean => line.includes('"run":1,');

/** The batches of a run until the agent had given so many answers. */
async function untilAnswer(count: number): Promise<readonly JournalBatch[]> {
  const journal = watchedJournal();
  await modelOf([]).evaluate(leadOf(), { journal, runId: 'run', session: new Session({ id: 'session' }) });
  const { batches } = journal;
  const answersUntil = (end: number): number =>
    batches
      .slice(0, end)
      .flatMap(({ rows }) => rows)
      .filter((row) => row.type === 'response' && isInside(row)).length;
  const end = batches.findIndex((_batch, index) => answersUntil(index + 1) === count);
  return batches.slice(0, end + 1);
}

describe('answers inside a call that is entered again', () => {
  it('are taken over while the requests are the same', async () => {
    const journal = await journalAfter(await untilAnswer(2), 'session');
    const asked: string[] = [];
    const end = await resumeRun({ adapter: modelOf(asked), prompt: leadOf(), journal, runId: 'run' });
    expect(asked).toEqual(['agent 3', 'lead 2']);
    expect(end.usage.inputTokens).toBe(5);
  });

  it('are not taken over when the agent is told something else, and were paid for', async () => {
    const journal = await journalAfter(await untilAnswer(2), 'session');
    const asked: string[] = [];
    const prompt = leadOf({ task: 'Look elsewhere.' });
    const end = await resumeRun({ adapter: modelOf(asked), prompt, journal, runId: 'run' });
    expect(asked).toEqual(['agent 1', 'agent 2', 'agent 3', 'lead 2']);
    expect(end.usage.inputTokens).toBe(7);
  });

  it('are those after the change when the run is killed once more', async () => {
    const first = await journalAfter(await untilAnswer(2), 'session');
    const changed = { task: 'Look elsewhere.', found: 'a dog' };
    await resumeRun({ adapter: modelOf([]), prompt: leadOf(changed), journal: first, runId: 'run' });
    const all = first.batches;
    const answers = all.flatMap(({ rows }) => rows).filter((row) => row.type === 'response' && isInside(row));
    expect(answers).toHaveLength(5);
    const last = all.findIndex(({ rows }) => rows.some((row) => row === answers[4]));
    const journal = await journalAfter(all.slice(0, last + 1), 'session');
    const asked: string[] = [];
    const end = await resumeRun({ adapter: modelOf(asked), prompt: leadOf(changed), journal, runId: 'run' });
    expect(asked).toEqual(['lead 2']);
    expect(JSON.stringify(end.conversation)).toContain('There is a dog.');
    expect(end.usage.inputTokens).toBe(7);
  });

  it('are durable before the agent goes on', async () => {
    let pending = 0;
    const journal = watchedJournal(
      async ({ rows }) => {
        if (!rows.some(({ type }) => type === 'response')) return;
        pending += 1;
        // As an append that waits for a disk.
        for (let count = 0; count < 100; count += 1) await Promise.resolve();
      },
      () => {
        pending = 0;
      },
    );
    const open: number[] = [];
    const asked: string[] = [];
    await modelOf(asked, () => open.push(pending)).evaluate(leadOf(), { journal, runId: 'run' });
    expect(asked).toHaveLength(5);
    expect(open).toEqual([0, 0, 0, 0, 0]);
  });
});

describe('the budget of an agent', () => {
  /** How the call of the agent ends when it may take two tokens. */
  async function endOf(batches: readonly JournalBatch[]): Promise<unknown> {
    const session = new Session({ id: 'session' });
    const budget = new BudgetTracker({ maxInputTokens: 100 });
    const options = { runId: 'run', session, limits: { budget } };
    const prompt = leadOf({ ownLimit: 2 });
    const asked: string[] = [];
    if (batches.length === 0)
      await modelOf(asked).evaluate(prompt, { journal: watchedJournal(), ...options });
    else {
      const journal = await journalAfter(batches, 'session');
      await resumeRun({ adapter: modelOf(asked), prompt, journal, ...options });
    }
    const call = session
      .slice(ToolInvocations)
      .all()
      .find(({ toolName }) => toolName === 'agent');
    const { success, message, usage } = call ?? {};
    return { success, message, usage, spent: budget.usage };
  }

  it('counts what is taken over, and so does the one around it', async () => {
    const whole = await endOf([]);
    expect(whole).toMatchObject({
      success: false,
      message: expect.stringContaining('budget'),
      usage: { inputTokens: 2 },
      spent: { inputTokens: 4 },
    });
    for (const count of [1, 2]) expect(await endOf(await untilAnswer(count))).toEqual(whole);
  });
});

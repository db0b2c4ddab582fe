import { describe, expect, it } from 'vitest';
import {
  BudgetTracker,
  binding,
  Filesystem,
  type JournalBatch,
  MemoryFilesystem,
  type Prompt,
  promptTemplate,
  resumeRun,
  Session,
  section,
  ToolCallLog,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { agentTool } from 'weakincentives/tools';
import { z } from 'zod';
import { journalAfter, watchedJournal } from '../../../support/journals.ts';

interface Setup {
  /** What the agent is told. */
  readonly task?: string;
  /** What its tool finds in a file. */
  readonly found?: string;
  /** What the tool does besides; it has effects outside then. */
  readonly send?: () => void;
  /** Tokens that the agent may take. */
  readonly ownLimit?: number;
}

/** A lead with an agent that looks twice and answers. */
function leadOf({ task = 'Look well.', found = 'a cat', ownLimit, send }: Setup = {}): Prompt {
  const look = tool({
    name: 'look',
    description: 'Looks.',
    effects: send === undefined ? 'read' : 'external',
    execute: async (_params, { filesystem }) => {
      send?.();
      return ToolResult.ok(null, `There is ${(await filesystem.read('found.txt')).text}.`);
    },
  });
  const template = promptTemplate({
    ns: 'test',
    key: 'looker',
    sections: [section({ title: 'Task', key: 'task', template: `Agent: ${task}`, tools: [look] })],
  });
  const agent = agentTool({
    name: 'agent',
    description: 'Looks.',
    inputSchema: z.object({}),
    template,
    effects: send === undefined ? 'state' : 'external',
    ...(ownLimit === undefined ? {} : { limits: { budget: { maxInputTokens: ownLimit } } }),
  });
  return promptTemplate({
    ns: 'test',
    key: 'lead',
    resources: [binding(Filesystem, { instance: new MemoryFilesystem({ files: { 'found.txt': found } }) })],
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
async function untilAnswer(count: number, setup: Setup = {}): Promise<readonly JournalBatch[]> {
  const journal = watchedJournal();
  await modelOf([]).evaluate(leadOf(setup), {
    journal,
    runId: 'run',
    session: new Session({ id: 'session' }),
  });
  return batchesUntil(journal.batches, count);
}

function batchesUntil(batches: readonly JournalBatch[], count: number): readonly JournalBatch[] {
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
    const journal = await journalAfter(batchesUntil(first.batches, 5), 'session');
    const asked: string[] = [];
    const end = await resumeRun({ adapter: modelOf(asked), prompt: leadOf(changed), journal, runId: 'run' });
    expect(asked).toEqual(['lead 2']);
    expect(JSON.stringify(end.conversation)).toContain('There is a dog.');
    expect(end.usage.inputTokens).toBe(7);
  });

  it('are asked for again after a call that had read something else, and only once', async () => {
    const first = await journalAfter(await untilAnswer(3), 'session');
    const changed = { found: 'a dog' };
    const asked: string[] = [];
    const options = { adapter: modelOf(asked), runId: 'run' };
    await resumeRun({ ...options, prompt: leadOf(changed), journal: first });
    expect(asked).toEqual(['agent 2', 'agent 3', 'lead 2']);
    asked.length = 0;
    const journal = await journalAfter(batchesUntil(first.batches, 5), 'session');
    const end = await resumeRun({ ...options, prompt: leadOf(changed), journal });
    expect(asked).toEqual(['lead 2']);
    expect(JSON.stringify(end.conversation)).toContain('There is a dog.');
    expect(end.usage.inputTokens).toBe(7);
  });

  it('are taken over after a call that had effects outside, whatever it had read', async () => {
    const journal = await journalAfter(await untilAnswer(3, { send: () => undefined }), 'session');
    const asked: string[] = [];
    let sent = 0;
    const prompt = leadOf({ found: 'a dog', send: () => (sent += 1) });
    const end = await resumeRun({ adapter: modelOf(asked), prompt, journal, runId: 'run' });
    expect(asked).toEqual(['lead 2']);
    expect(sent).toBe(0);
    expect(JSON.stringify(end.conversation)).toContain('There is a cat.');
  });

  it('have rows that say what calls had read, which observers do not get', async () => {
    const journal = watchedJournal();
    const reads: object[] = [];
    await modelOf([]).evaluate(leadOf(), {
      journal,
      runId: 'run',
      observers: [{ onCommit: (commit) => void reads.push(...commit.reads) }],
    });
    const lines = journal.batches.flatMap(({ rows }) => rows).filter(({ type }) => type === 'commit');
    expect(lines.map(({ line }) => line.includes('resultHash'))).toEqual([true, true, false]);
    expect(reads).not.toHaveLength(0);
    for (const read of reads) expect(read).not.toHaveProperty('result');
  });

  it('are durable before the agent continues', async () => {
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
      .slice(ToolCallLog)
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

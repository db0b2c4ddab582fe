import { describe, expect, it } from 'vitest';
import {
  type AnyTool,
  type FeedbackContext,
  type ForkRunOptions,
  forkRun,
  type Prompt,
  PromptValidationError,
  promptTemplate,
  resumeRun,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { exportRecord, readRunRecord } from 'weakincentives/record';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { type WatchedJournal, watchedJournal } from '../../../support/journals.ts';

function promptOf(ran: string[]): Prompt {
  const make = (name: string, effects: 'state' | 'external'): AnyTool =>
    tool({
      name,
      description: `Does ${name}.`,
      effects,
      inputSchema: z.object({ text: z.string() }),
      execute: ({ text }) => {
        ran.push(`${name} ${text}`);
        return ToolResult.ok(null, `Did ${name} ${text}.`);
      },
    });
  return promptTemplate({
    ns: 'test',
    key: 'forking',
    sections: [
      section({
        title: 'Task',
        key: 'task',
        template: 'Do it.',
        tools: [make('draft', 'state'), make('mail', 'external')],
      }),
    ],
  }).bind();
}

const call = (name: string, text: string): { name: string; arguments: { text: string } } => ({
  name,
  arguments: { text },
});
const model = (): ReturnType<typeof scriptedAdapter> =>
  scriptedAdapter([
    { toolCalls: [call('draft', 'a'), call('mail', 'b')] },
    { toolCalls: [call('draft', 'c'), { name: 'draft', arguments: {} }] },
    { text: 'done' },
  ]);

interface Whole {
  readonly journal: WatchedJournal;
  readonly ids: readonly string[];
}

async function whole(): Promise<Whole> {
  const journal = watchedJournal();
  await model().evaluate(promptOf([]), { journal, runId: 'run', input: 'Begin.' });
  const { calls } = await readRunRecord(exportRecord({ journal, runId: 'run' }));
  return { journal, ids: calls.map(({ id }) => id) };
}

/** What the handlers do that run when a fork is resumed. */
async function resume(journal: WatchedJournal, runId: string, adapter = model()): Promise<readonly string[]> {
  const ran: string[] = [];
  await resumeRun({ adapter, prompt: promptOf(ran), journal, runId });
  return ran;
}

describe('forkRun', () => {
  it('takes over what was committed up to a call, and does again what comes after', async () => {
    const { journal, ids } = await whole();
    const [draft = '', mail = '', last = ''] = ids;
    const forks: (readonly [string | number, readonly string[]])[] = [
      [0, ['draft a', 'mail b', 'draft c']],
      [draft, ['mail b', 'draft c']],
      [mail, ['draft c']],
      [last, []],
      [3, []],
    ];
    for (const [at, ran] of forks) {
      const { runId } = await forkRun({ journal, runId: 'run', at });
      expect(await resume(journal, runId), `at ${at}`).toEqual(ran);
      const record = await readRunRecord(exportRecord({ journal, runId }));
      expect(record.commits.map(({ call: { toolName } }) => toolName)).toEqual(['draft', 'mail', 'draft']);
      expect(record.root).toMatchObject({ outcome: 'finished', text: 'done' });
    }
  });

  it('gives the fork a name and a session of its own, and says what it is of', async () => {
    const { journal } = await whole();
    const before = await journal.read('run');
    const [original] = await journal.runs();
    const fork = await forkRun({ journal, runId: 'run', at: 1, newRunId: 'other', clock: { now: () => 5 } });
    expect(fork).toEqual({ runId: 'other', sessionId: expect.any(String), seq: 1 });
    expect(fork.sessionId).not.toBe(original?.sessionId);
    expect((await journal.runs()).find(({ runId }) => runId === 'other')).toMatchObject({
      status: 'interrupted',
      commits: 1,
      turns: 1,
      pending: 0,
      updatedAtMs: 5,
      promptName: original?.promptName,
      sessionId: fork.sessionId,
    });
    expect(await readRunRecord(exportRecord({ journal, runId: 'other' }))).toMatchObject({
      base: { runId: 'run', seq: 1 },
      runId: 'other',
      sessionId: fork.sessionId,
    });
    expect(await journal.read('run')).toEqual(before);
  });

  it('continues with another model, from the input that the run had', async () => {
    const { journal } = await whole();
    const { runId } = await forkRun({ journal, runId: 'run', at: 0 });
    const asked: unknown[] = [];
    const other = scriptedAdapter((conversation) => {
      asked.push(conversation[0]);
      return { text: 'otherwise' };
    });
    expect(await resume(journal, runId, other)).toEqual([]);
    expect(asked).toMatchObject([{ type: 'user', content: [{ type: 'text', text: 'Begin.' }] }]);
    const record = await readRunRecord(exportRecord({ journal, runId }));
    expect(record.root.text).toBe('otherwise');
  });

  it('takes the delivery of its last call over, and no text of what came after', async () => {
    const long = 'long '.repeat(200);
    const journal = watchedJournal();
    const adapter = scriptedAdapter([
      { toolCalls: [call('draft', 'a')] },
      { toolCalls: [call('draft', 'b')] },
      { text: 'done' },
    ]);
    const counts = {
      name: 'counts',
      triggers: { everyCalls: 1 },
      provide: ({ calls: { length } }: FeedbackContext) => ({ message: `${long}${length}` }),
    };
    await adapter.evaluate(promptOf([]), { journal, runId: 'run', feedback: [counts] });
    const { runId } = await forkRun({ journal, runId: 'run', at: 1 });
    const lines = (await journal.read(runId)).map(({ line }) => line);
    expect(lines.at(-1)).toContain('"type":"delivered"');
    expect(lines.filter((line) => line.includes(`${long}1`)).length).toBeGreaterThan(0);
    expect(lines.filter((line) => line.includes(`${long}2`))).toEqual([]);
    const { calls } = await readRunRecord(exportRecord({ journal, runId }));
    expect(calls[0]?.feedback).toMatchObject([{ outcome: 'given', message: `${long}1` }]);
  });

  it('can be forked again', async () => {
    const { journal } = await whole();
    const first = await forkRun({ journal, runId: 'run', at: 2 });
    await resume(journal, first.runId);
    const second = await forkRun({ journal, runId: first.runId, at: 1 });
    expect(await resume(journal, second.runId)).toEqual(['mail b', 'draft c']);
  });

  it.each<[string, Partial<ForkRunOptions>, string]>([
    ['an unknown run', { runId: 'other' }, 'The journal has no run "other".'],
    ['a commit that it does not have', { at: 4 }, 'it has 3 commits, and none has the number 4'],
    ['half a commit', { at: 0.5 }, 'none has the number 0.5'],
    ['an unknown call', { at: 'x' }, 'it has made no call "x"'],
    ['a name that is taken', { newRunId: 'run' }, 'has a run "run" already'],
  ])('refuses %s', async (_what, options, message) => {
    const { journal } = await whole();
    const forking = forkRun({ journal, runId: 'run', at: 1, ...options });
    await expect(forking).rejects.toThrow(message);
    await expect(forking).rejects.toThrow(PromptValidationError);
    expect(await journal.runs()).toHaveLength(1);
  });

  it('refuses a call that was not committed, and rows that were redacted', async () => {
    const { journal, ids } = await whole();
    await expect(forkRun({ journal, runId: 'run', at: ids[3] ?? '' })).rejects.toThrow('was not committed');
    const lines: string[] = [];
    for await (const line of exportRecord({ journal, runId: 'run', redact: (text) => text }))
      lines.push(line);
    const redacted = { ...journal, read: async () => lines.map((line, seq) => ({ seq, type: 'row', line })) };
    await expect(forkRun({ journal: redacted, runId: 'run', at: 1 })).rejects.toThrow('were redacted');
  });
});

import { describe, expect, it } from 'vitest';
import {
  type ApprovalHandler,
  type JournalBatch,
  PolicyDecision,
  type Prompt,
  promptTemplate,
  resumeRun,
  section,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { journalAfter, watchedJournal } from '../../../support/journals.ts';

const asks: ToolPolicy = { name: 'asks', check: () => PolicyDecision.ask('Really?') };

function promptOf(onRun: () => void = () => undefined): Prompt {
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    effects: 'state',
    execute: () => {
      onRun();
      return ToolResult.ok(null, 'Paid.');
    },
  });
  const task = section({ title: 'Task', key: 'task', template: 'Pay.', tools: [pay] });
  return promptTemplate({ ns: 'test', key: 'paying', policies: [asks], sections: [task] }).bind();
}

const adapter = (): ReturnType<typeof scriptedAdapter> =>
  scriptedAdapter([{ toolCalls: [{ name: 'pay' }] }, { text: 'done' }]);

const typesIn = (batches: readonly JournalBatch[]): readonly string[] =>
  batches.flatMap(({ rows }) => rows.map(({ type }) => type));

/** A run that a function approves, what its journal had when the function was asked, and when the handler ran. */
async function play(answer: ReturnType<ApprovalHandler>) {
  const journal = watchedJournal();
  const seen: (readonly string[])[] = [];
  const look = (): void => void seen.push(typesIn(journal.batches));
  await adapter().evaluate(promptOf(look), {
    journal,
    runId: 'run',
    approve: () => {
      look();
      return answer;
    },
  });
  const [run] = await journal.runs();
  return { batches: journal.batches, seen, sessionId: run?.sessionId ?? '' };
}

/** Resumes the run after each batch that has the answer and not the result. */
async function resumedAfterAnswer(answer: ReturnType<ApprovalHandler>): Promise<readonly string[]> {
  const { batches, sessionId } = await play(answer);
  const texts: string[] = [];
  for (let length = 1; length <= batches.length; length += 1) {
    const types = typesIn(batches.slice(0, length));
    if (!types.includes('answer') || types.includes('delivered')) continue;
    const end = await resumeRun({
      adapter: adapter(),
      runId: 'run',
      prompt: promptOf(),
      journal: await journalAfter(batches.slice(0, length), sessionId),
      approve: () => {
        throw new Error('asked again');
      },
    });
    const result = end.conversation.find((item) => item.type === 'tool-result');
    texts.push(result?.type === 'tool-result' ? result.text : '');
  }
  return texts;
}

describe('the question of a run that a function answers', () => {
  it('is durable before the function is asked, and the answer before the handler runs', async () => {
    const { seen } = await play(true);
    expect(seen).toHaveLength(2);
    expect(seen[0]?.at(-1)).toBe('question');
    expect(seen[1]).toContain('answer');
  });

  it('is not put again when the run was killed after the answer', async () => {
    const texts = await resumedAfterAnswer(true);
    expect(texts.length).toBeGreaterThan(0);
    expect(new Set(texts)).toEqual(new Set(['Paid.']));
  });

  it('keeps a no, with its reason', async () => {
    const texts = await resumedAfterAnswer({ approved: false, reason: 'Not today.' });
    expect(texts.length).toBeGreaterThan(0);
    for (const text of texts) expect(text).toContain('(Really?): Not today.');
  });

  it('is put again when the run was killed before the answer', async () => {
    const { batches, sessionId } = await play(true);
    const length = batches.findIndex(({ rows }) => rows.some(({ type }) => type === 'question')) + 1;
    let asked = 0;
    const end = await resumeRun({
      adapter: adapter(),
      runId: 'run',
      prompt: promptOf(),
      journal: await journalAfter(batches.slice(0, length), sessionId),
      approve: () => {
        asked += 1;
        return true;
      },
    });
    expect(end).toMatchObject({ finishReason: 'stop', text: 'done' });
    expect(asked).toBe(1);
  });

  it('is denied without an approver, and does not wait', async () => {
    const end = await adapter().evaluate(promptOf(), { journal: watchedJournal(), runId: 'run' });
    expect(end).toMatchObject({ finishReason: 'stop' });
  });
});

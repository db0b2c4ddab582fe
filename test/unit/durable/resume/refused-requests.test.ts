import { describe, expect, it } from 'vitest';
import {
  type JournalBatch,
  type Prompt,
  promptTemplate,
  resumeRun,
  Session,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { ModelResponseError } from 'weakincentives/provider';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { journalAfter, watchedJournal } from '../../../support/journals.ts';

const context = { overflow: 'drop-tool-results' } as const;

function readingPrompt(ran: string[] = []): Prompt {
  const read = tool({
    name: 'read',
    description: 'Reads.',
    effects: 'state',
    inputSchema: z.object({}),
    execute: (_params, { callId }) => {
      ran.push(callId);
      return ToolResult.ok(null, `${callId} `.repeat(50));
    },
  });
  return promptTemplate({
    ns: 'test',
    key: 'reading',
    sections: [section({ title: 'Task', key: 'task', template: 'Read.', tools: [read] })],
  }).bind();
}

/** A model that finds the conversation too long in its third turn and answers the sixth request; `asked` gets the turns. */
const narrow = (asked: number[] = []): ReturnType<typeof scriptedAdapter> =>
  scriptedAdapter((_conversation, { turn }) => {
    asked.push(turn);
    if (turn === 3) throw new ModelResponseError('model-context-exceeded', 'Too long.');
    return turn === 6 ? { text: 'done' } : { toolCalls: [{ name: 'read', arguments: {} }] };
  });

async function wholeRun() {
  const journal = watchedJournal();
  const asked: number[] = [];
  const { conversation } = await narrow(asked).evaluate(readingPrompt(), {
    journal,
    runId: 'run',
    session: new Session({ id: 'session' }),
    context,
  });
  expect(asked).toEqual([1, 2, 3, 4, 5, 6]);
  return { conversation, batches: journal.batches };
}

/** The batches without some of their rows, as an owner that lost them would have written them. */
function without(
  batches: readonly JournalBatch[],
  isLost: (row: JournalBatch['rows'][number]) => boolean,
): readonly JournalBatch[] {
  let seq = 0;
  let commits = 0;
  const renumbered = (row: JournalBatch['rows'][number]) => {
    if (row.type === 'commit') commits += 1;
    const line = row.type === 'commit' ? row.line.replace(/"seq":\d+/, `"seq":${commits}`) : row.line;
    const numbered = { ...row, line, seq };
    seq += 1;
    return numbered;
  };
  return batches.map(({ rows, ...batch }) => ({
    ...batch,
    rows: rows.filter((row) => !isLost(row)).map(renumbered),
  }));
}

const isOfTurn = (line: string, turn: number): boolean => line.includes(`"turn":${turn},`);

describe('a request that the model refused as too long', () => {
  it('is answered by its row: the run asks for what is left and reads what it would have read', async () => {
    const { batches, conversation } = await wholeRun();
    const refusals = batches.flatMap(({ rows }) =>
      rows.filter(({ line }) => line.includes('context-exceeded')),
    );
    expect(refusals).toMatchObject([{ type: 'response' }]);
    for (let count = 1; count <= batches.length; count += 1) {
      const part = batches.slice(0, count);
      const rows = part.flatMap((batch) => batch.rows);
      const answered = rows.filter(({ type }) => type === 'response').length;
      const decided = rows.filter(({ type }) => type === 'commit').length;
      const asked: number[] = [];
      const ran: string[] = [];
      const end = await resumeRun({
        adapter: narrow(asked),
        runId: 'run',
        prompt: readingPrompt(ran),
        context,
        journal: await journalAfter(part, 'session'),
      });
      expect(asked, `after ${count}`).toEqual([1, 2, 3, 4, 5, 6].slice(answered));
      expect(ran.length, `after ${count}`).toBe(4 - decided);
      expect(end.conversation, `after ${count}`).toEqual(conversation);
    }
  });

  it('does not lead to a live request while rows of later turns are left', async () => {
    const { batches } = await wholeRun();
    const lost = without(batches, ({ type, line }) => type === 'response' && isOfTurn(line, 3));
    const journal = await journalAfter(lost.slice(0, -1), 'session');
    const before = journal.batches.length;
    const asked: number[] = [];
    const ran: string[] = [];
    const resumed = resumeRun({
      adapter: narrow(asked),
      journal,
      runId: 'run',
      prompt: readingPrompt(ran),
      context,
    });
    await expect(resumed).rejects.toMatchObject({
      code: 'evaluation-diverged',
      message: expect.stringMatching(/asks for model-call .*its rows have an answer of the model of turn 4/),
    });
    expect(asked).toEqual([]);
    expect(ran).toEqual([]);
    const after = journal.batches.slice(before).flatMap(({ rows }) => rows);
    expect(after.map(({ type }) => type)).toEqual(['life', 'life']);
  });

  it('runs no call live while rows of later turns are left', async () => {
    const { batches } = await wholeRun();
    const lost = without(batches, ({ type, line }) => type === 'commit' && isOfTurn(line, 2));
    const journal = await journalAfter(lost.slice(0, -1), 'session');
    const ran: string[] = [];
    const resumed = resumeRun({
      adapter: narrow(),
      journal,
      runId: 'run',
      prompt: readingPrompt(ran),
      context,
    });
    await expect(resumed).rejects.toMatchObject({ code: 'evaluation-diverged' });
    expect(ran).toEqual([]);
  });
});

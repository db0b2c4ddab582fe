import { expect, test } from 'vitest';
import {
  type ConversationItem,
  type EvaluateOptions,
  type JournalBatch,
  type Prompt,
  promptTemplate,
  resumeRun,
  Session,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { type ModelRequest, ModelResponseError } from 'weakincentives/provider';
import { type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { journalAfter, watchedJournal } from '../../../support/journals.ts';
import { opening } from '../../../support/sections.ts';

const turns = 10;

/** A prompt with a section that the model opens: what the turn of that call says stays in every window. */
function promptOf(): Prompt {
  const make = (name: string) =>
    tool({
      name,
      description: 'Makes a step.',
      effects: 'state',
      inputSchema: z.object({}),
      execute: (_params, { callId }) => ToolResult.ok(null, `${callId} `.repeat(20)),
    });
  const details = section({
    title: 'Details',
    key: 'details',
    template: 'All of them.',
    summary: 'Some.',
    visibility: 'summary',
    tools: [make('detail')],
  });
  const task = section({
    title: 'Task',
    key: 'task',
    template: 'Work.',
    tools: [make('step')],
    children: [details],
  });
  return promptTemplate({ ns: 'test', key: 'window', sections: [task] }).bind();
}

/** `asked` gets what is asked, turn by turn; `tooLong` are the turns whose conversation the model refuses. */
function working(asked: Map<number, string>, tooLong: readonly number[]): ReturnType<typeof scriptedAdapter> {
  return scriptedAdapter((conversation, request): ScriptedTurn => {
    asked.set(request.turn, described(conversation, request));
    if (tooLong.includes(request.turn)) throw new ModelResponseError('model-context-exceeded', 'Too long.');
    if (request.turn > turns) return { text: 'done' };
    if (request.turn === 3) return { toolCalls: [opening('task.details'), { name: 'step', arguments: {} }] };
    return { text: `Turn ${request.turn}.`, toolCalls: [{ name: 'step', arguments: {} }] };
  });
}

function described(
  conversation: readonly ConversationItem[],
  { instructions, tools, toolChoice, settings }: ModelRequest,
): string {
  return JSON.stringify([instructions, tools, toolChoice, settings, conversation]);
}

const history: readonly ConversationItem[] = [
  { type: 'user', content: [{ type: 'text', text: 'The first thing that was said.' }] },
  { type: 'assistant', content: [{ type: 'text', text: 'Yes.' }] },
  { type: 'user', content: [{ type: 'text', text: 'And another.' }] },
  { type: 'assistant', content: [{ type: 'text', text: 'Well.' }] },
];

test.each<[string, EvaluateOptions['context'], readonly number[]]>([
  ['whose window moves', { maxTurns: 4 }, []],
  ['whose tool results are dropped', { overflow: 'drop-tool-results' }, [5, 8]],
  ['with both', { maxTurns: 5, overflow: 'drop-tool-results' }, [4, 7, 8]],
])('a run %s asks for each next turn with what it would have asked', async (_what, given, tooLong) => {
  const context = given ?? {};
  const journal = watchedJournal();
  const whole = new Map<number, string>();
  const ended = await working(whole, tooLong).evaluate(promptOf(), {
    journal,
    runId: 'run',
    session: new Session({ id: 'session' }),
    context,
    history,
    input: 'The task.',
  });
  const last = whole.get(turns + 1) ?? '';
  // What is left out and what stays is what the test is about.
  expect(last).toContain('The task.');
  expect(last).toContain('All of them.');
  expect(last).not.toContain('"text":"call-2-1 call-2-1');
  expect(last.includes('The first thing that was said.')).toBe(true);
  expect(last.includes('Turn 2.')).toBe(context.maxTurns === undefined);
  for (let count = 1; count < journal.batches.length; count += 1) {
    const part = journal.batches.slice(0, count);
    const asked = new Map<number, string>();
    const end = await resumeRun({
      adapter: working(asked, tooLong),
      runId: 'run',
      prompt: promptOf(),
      context,
      journal: await journalAfter(part, 'session'),
    });
    expect([...asked.keys()], `after ${count}`).toEqual([...whole.keys()].slice(answersIn(part)));
    for (const [turn, request] of asked) expect(request, `turn ${turn} after ${count}`).toBe(whole.get(turn));
    expect(end.conversation, `after ${count}`).toEqual(ended.conversation);
  }
});

function answersIn(batches: readonly JournalBatch[]): number {
  return batches.flatMap(({ rows }) => rows).filter(({ type }) => type === 'response').length;
}

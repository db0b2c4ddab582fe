import { expect, test } from 'vitest';
import {
  binding,
  type ConversationItem,
  defineSlice,
  type EvaluateOptions,
  Filesystem,
  forkRun,
  type JournalBatch,
  MemoryFilesystem,
  type Prompt,
  promptTemplate,
  type RunEvent,
  resumeRun,
  Session,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { type ModelRequest, ModelResponseError } from 'weakincentives/provider';
import { readRunRecord, replayRun } from 'weakincentives/record';
import { type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { agentTool } from 'weakincentives/tools';
import { z } from 'zod';
import { journalAfter, watchedJournal } from '../../../support/journals.ts';
import { opening } from '../../../support/sections.ts';

const turns = 24;
const context = {
  compact: { atInputTokens: 1_600, toInputTokens: 900 },
  results: { maxCharacters: 1_000 },
} as const;

const step = tool({
  name: 'step',
  description: 'Makes a step.',
  effects: 'state',
  inputSchema: z.object({ number: z.number() }),
  outputSchema: z.object({ number: z.number() }),
  execute: ({ number }) => ToolResult.ok({ number }, `Step ${number}. ${'It took a while. '.repeat(16)}`),
});

/** A prompt whose state grows, with a section that the model opens, files, and a long result. */
function promptOf(prefix = 'Done so far'): Prompt {
  const Steps = defineSlice({
    name: 'steps',
    schema: z.number(),
    reducers: (on) => [on(step.succeeded, (items, { value }) => items.append(value.number))],
    digest: (items) => `${prefix}: ${items.join(' ')}`,
  });
  const look = tool({
    name: 'look',
    description: 'Looks at all of it.',
    effects: 'read',
    inputSchema: z.object({}),
    execute: (_params, { callId }) =>
      ToolResult.error(Array.from({ length: 200 }, (_, index) => `${callId}, line ${index}`).join('\n')),
  });
  const details = section({
    title: 'Details',
    key: 'details',
    template: 'All of the details.',
    summary: 'Some.',
    visibility: 'summary',
    tools: [
      tool({
        name: 'detail',
        description: 'Shows one.',
        effects: 'read',
        execute: () => ToolResult.ok('It.'),
      }),
    ],
  });
  const task = section({
    title: 'Task',
    key: 'task',
    template: 'Work.',
    tools: [step, look],
    slices: [Steps],
    children: [details],
  });
  const read = tool({
    name: 'read_file',
    description: 'Reads a file.',
    effects: 'read',
    inputSchema: z.object({ file_path: z.string() }),
    execute: async ({ file_path: path }, { filesystem }) => ToolResult.ok(await filesystem.read(path)),
  });
  const write = tool({
    name: 'write_file',
    description: 'Writes a file.',
    effects: 'state',
    inputSchema: z.object({ file_path: z.string(), content: z.string() }),
    execute: async ({ file_path: path, content }, { filesystem }) => {
      await filesystem.write(path, content);
      return ToolResult.ok(null, 'Written.');
    },
  });
  const files = section({ title: 'Files', key: 'files', template: 'Files.', tools: [read, write] });
  const filesystem = new MemoryFilesystem({ files: { 'a.txt': 'A.\n' } });
  return promptTemplate({ ns: 'test', key: 'compaction', sections: [task, files] }).bind(
    {},
    { resources: [binding(Filesystem, { instance: filesystem })] },
  );
}

/** `asked` gets what is asked, turn by turn; `tooLong` are the turns whose conversation the model refuses. */
function working(asked: Map<number, string>, tooLong: readonly number[]): ReturnType<typeof scriptedAdapter> {
  return scriptedAdapter((conversation, request): ScriptedTurn => {
    asked.set(request.turn, described(conversation, request));
    const { turn } = request;
    if (tooLong.includes(turn)) throw new ModelResponseError('model-context-exceeded', 'Too long.');
    if (turn > turns) return { text: 'done' };
    const next = { name: 'step', arguments: { number: turn } };
    if (turn === 2) return { toolCalls: [opening('task.details'), next] };
    if (turn === 4) return { toolCalls: [{ name: 'look', arguments: {} }, next] };
    if (turn === 5) return { toolCalls: [{ name: 'read_file', arguments: { file_path: 'a.txt' } }, next] };
    if (turn === 6)
      return { toolCalls: [{ name: 'write_file', arguments: { file_path: 'b.txt', content: 'B.' } }] };
    if (turn === 20)
      return { toolCalls: [{ name: 'read_result', arguments: { id: keptId(conversation), offset: 150 } }] };
    return { text: `Turn ${turn}.`, toolCalls: [next, next] };
  });
}

/** What a digest, or an excerpt, names. */
function keptId(conversation: readonly ConversationItem[]): string {
  const texts = conversation.map((item) => {
    if (item.type === 'tool-result') return item.text;
    const [part] = item.type === 'user' ? item.content : [];
    return part?.type === 'text' ? part.text : '';
  });
  return /([0-9a-f]{12})(?: \(look|" shows)/.exec(texts.join('\n'))?.[1] ?? 'none';
}

function described(
  conversation: readonly ConversationItem[],
  { instructions, tools, toolChoice, settings }: ModelRequest,
): string {
  return JSON.stringify([instructions, tools, toolChoice, settings, conversation]);
}

async function wholeRun(options: EvaluateOptions, tooLong: readonly number[]) {
  const journal = watchedJournal();
  const asked = new Map<number, string>();
  const events: RunEvent[] = [];
  const ended = await working(asked, tooLong).evaluate(promptOf(), {
    ...options,
    journal,
    runId: 'run',
    session: new Session({ id: 'session' }),
    input: 'The task.',
    observers: [{ onEvent: (event) => void events.push(event) }],
  });
  return { journal, asked, ended, compactions: events.filter(({ type }) => type === 'context-compacted') };
}

function answersIn(batches: readonly JournalBatch[]): number {
  return batches.flatMap(({ rows }) => rows).filter(({ type }) => type === 'response').length;
}

test.each<[string, readonly number[]]>([
  ['that is compacted', []],
  ['whose model takes less than it was said to', [7, 16]],
])('a run %s asks for each next turn with what it would have asked', async (_what, tooLong) => {
  const { asked: whole, compactions, ended, journal } = await wholeRun({ context }, tooLong);
  expect(compactions.length).toBeGreaterThan(2);
  const last = whole.get(turns + 1) ?? '';
  expect(last).toContain('The task.');
  expect(last).toContain('All of the details.');
  expect(last).toContain('Done so far: 1 1 2 3 3 4 5');
  expect(last).toContain('created b.txt');
  expect(last).toContain('a.txt');
  expect(last).not.toContain('"text":"Step 8.');
  expect(JSON.stringify([...whole.values()])).toContain('call-4-1, line 160');
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

test.each<[string, EvaluateOptions['context'], string]>([
  ['the text of a digest', context, 'Changed'],
  ['the thresholds', { ...context, compact: { atInputTokens: 3_000, toInputTokens: 1_000 } }, 'Done so far'],
  ['the option', { results: context.results }, 'Done so far'],
])('what was compacted stays so when %s is another one', async (_what, now, prefix) => {
  const { asked: whole, compactions, journal } = await wholeRun({ context }, []);
  const [, second] = compactions;
  const turnOfSecond = second !== undefined && 'turn' in second ? second.turn : 0;
  const count = journal.batches.findIndex(
    (_batch, index) => answersIn(journal.batches.slice(0, index)) === turnOfSecond,
  );
  const asked = new Map<number, string>();
  const events: RunEvent[] = [];
  await resumeRun({
    adapter: working(asked, []),
    runId: 'run',
    prompt: promptOf(prefix),
    context: now ?? {},
    journal: await journalAfter(journal.batches.slice(0, count), 'session'),
    observers: [{ onEvent: (event) => void events.push(event) }],
  });
  expect(asked.get(turnOfSecond + 1)).toBe(whole.get(turnOfSecond + 1));
  const resumed = events.find(({ type }) => type === 'run-resumed');
  expect(resumed).toMatchObject({ changed: [] });
});

test('a replay makes the requests of a run that was compacted', async () => {
  const { journal } = await wholeRun({ context }, []);
  const rows = await journal.read('run');
  const record = await readRunRecord(rows.map(({ line }) => line));
  const report = await replayRun({ record, prompt: promptOf() });
  expect(report).toMatchObject({ isSame: true });
});

test('a fork asks for each next turn with what the run asked', async () => {
  const { asked: whole, journal } = await wholeRun({ context }, []);
  for (const at of [3, 9, 17, 30]) {
    const { runId } = await forkRun({ journal, runId: 'run', at });
    const asked = new Map<number, string>();
    await resumeRun({ adapter: working(asked, []), runId, prompt: promptOf(), context, journal });
    const [first = 0] = [...asked.keys()];
    expect(first).toBeGreaterThan(1);
    // A result is kept under an id of its evaluation, and that of a fork is another one.
    for (const [turn, request] of asked)
      expect(plain(request), `turn ${turn} of the fork at ${at}`).toBe(plain(whole.get(turn) ?? ''));
  }
});

function plain(request: string): string {
  return request.replaceAll(/\b[0-9a-f]{12}\b/g, 'ID').replaceAll(/"sessionId":"[^"]*"/g, '');
}

test('a run inside a call is compacted as it was when the call is entered again', async () => {
  const inner = agentTool({
    name: 'delegate',
    description: 'Has it done.',
    inputSchema: z.object({}),
    template: promptTemplate({
      ns: 'test',
      key: 'inner',
      sections: [section({ title: 'Steps', key: 'steps', template: 'Make steps.', tools: [step] })],
    }),
    limits: { maxTurns: 40 },
  });
  const prompt = promptTemplate({
    ns: 'test',
    key: 'outer',
    sections: [section({ title: 'Task', key: 'task', template: 'Delegate.', tools: [inner] })],
  }).bind();
  const adapterOf = (asked: Map<string, string>) =>
    scriptedAdapter((conversation, request): ScriptedTurn => {
      const isInner = request.tools.some(({ name }) => name === 'step');
      asked.set(`${isInner ? 'inner' : 'outer'} ${request.turn}`, described(conversation, request));
      if (!isInner)
        return request.turn === 1 ? { toolCalls: [{ name: 'delegate', arguments: {} }] } : { text: 'Done.' };
      return request.turn > 20
        ? { text: 'Made.' }
        : { toolCalls: [{ name: 'step', arguments: { number: request.turn } }] };
    });
  const options = { context: { compact: { atInputTokens: 1_200, toInputTokens: 700 } } };
  const journal = watchedJournal();
  const whole = new Map<string, string>();
  await adapterOf(whole).evaluate(prompt, {
    ...options,
    journal,
    runId: 'run',
    session: new Session({ id: 'session' }),
    input: 'Begin.',
  });
  expect(whole.get('inner 21')).toContain('wink-state');
  for (let count = 1; count < journal.batches.length; count += 1) {
    const asked = new Map<string, string>();
    await resumeRun({
      ...options,
      adapter: adapterOf(asked),
      runId: 'run',
      prompt,
      journal: await journalAfter(journal.batches.slice(0, count), 'session'),
    });
    for (const [turn, request] of asked) expect(request, `${turn} after ${count}`).toBe(whole.get(turn));
  }
});

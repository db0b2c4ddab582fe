import { describe, expect, it } from 'vitest';
import {
  type ApprovalHandler,
  binding,
  defineSlice,
  Filesystem,
  MemoryFilesystem,
  PolicyDecision,
  type Prompt,
  promptTemplate,
  Session,
  section,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { type RunRecord, readRunRecord, replayRun } from 'weakincentives/record';
import { type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';
import { z } from 'zod';
import { linesOf, recordOf } from '../../../support/replays.ts';

const Notes = defineSlice({ name: 'notes', schema: z.object({ text: z.string() }) });

interface Variant {
  readonly text?: string;
  readonly description?: string;
  readonly suffix?: string;
  readonly policies?: readonly ToolPolicy[];
  readonly files?: Readonly<Record<string, string>>;
}

/** How often the tool that calls outside was run. */
let outsideCalls = 0;

function promptOf({
  text = 'Do it.',
  description = 'Note a text.',
  suffix = '',
  policies = [],
  files,
}: Variant = {}): Prompt {
  const note = tool({
    name: 'note',
    description,
    inputSchema: z.object({ text: z.string() }),
    effects: 'state',
    pure: true,
    execute: async ({ text: noted }, { session, filesystem }) => {
      session.slice(Notes).append({ text: noted });
      await filesystem.write(`notes/${noted}.md`, noted);
      return ToolResult.ok({ noted: noted + suffix }, 'Noted.');
    },
  });
  const fetch = tool({
    name: 'fetch',
    description: 'Fetch a page.',
    inputSchema: z.object({ url: z.string() }),
    outputSchema: z.object({ body: z.string() }),
    execute: async ({ url }, { session, filesystem }) => {
      outsideCalls += 1;
      if (url === 'broken') throw new Error('It cannot be reached.');
      session.slice(Notes).append({ text: url });
      await filesystem.write('page.html', `<${url} ${outsideCalls}>`);
      return ToolResult.ok({ body: `page ${outsideCalls}` }, 'Fetched.');
    },
  });
  const task = section({ title: 'Task', key: 'task', template: text, tools: [note, fetch], slices: [Notes] });
  return promptTemplate({
    ns: 'test',
    key: 'replay',
    sections: [task, vfsToolsSection({ key: 'files' })],
    policies,
  }).bind(
    {},
    {
      resources: [
        binding(Filesystem, {
          create: () =>
            new MemoryFilesystem({
              files: files ?? {
                'a.md': 'alpha\nbeta\n',
                'b/c.md': 'gamma\n',
                'unread.bin': '12345',
                'd/unread.md': 'x',
              },
            }),
        }),
      ],
    },
  );
}

const turns: readonly ScriptedTurn[] = [
  {
    text: 'First.',
    toolCalls: [
      { name: 'note', arguments: { text: 'one' } },
      { name: 'ls', arguments: { path: '.' } },
      { name: 'read_file', arguments: { file_path: 'a.md' } },
    ],
    usage: { inputTokens: 10, outputTokens: 5 },
  },
  {
    toolCalls: [
      { name: 'fetch', arguments: { url: 'first' } },
      { name: 'fetch', arguments: { url: 'broken' } },
      { name: 'grep', arguments: { pattern: 'gamma' } },
    ],
  },
  {
    toolCalls: [
      { name: 'read_file', arguments: { file_path: 'page.html' } },
      { name: 'nothing', arguments: {} },
    ],
  },
  { text: 'Done.' },
];

const noFiles: Variant = { files: {} };
const recordTurns = (variant: Variant = {}): Promise<RunRecord> =>
  recordOf(scriptedAdapter(turns), promptOf(variant), { input: 'Go.' });

describe('replayRun', () => {
  it('replays a run on the files of its record, and answers for tools that are not pure', async () => {
    const record = await recordTurns();
    const before = outsideCalls;
    const report = await replayRun({ record, prompt: promptOf(noFiles) });
    expect(report.calls.filter(({ status }) => status !== 'same')).toEqual([]);
    expect(report).toMatchObject({ isSame: true, ending: 'complete', notes: [] });
    expect(report.calls.map(({ id, source }) => [id, source])).toEqual([
      ['call-1-1', 'live'],
      ['call-1-2', 'recorded'],
      ['call-1-3', 'live'],
      ['call-2-1', 'recorded'],
      ['call-2-2', 'recorded'],
      ['call-2-3', 'recorded'],
      ['call-3-1', 'live'],
      ['call-3-2', 'none'],
    ]);
    expect(outsideCalls).toBe(before);
    const last = record.commits.length;
    expect(report.record.filesAt(last)).toEqual(record.filesAt(last));
    expect(
      report.record
        .stateAt(last)
        .find(({ name }) => name === 'notes')
        ?.items.map(({ value }) => value),
    ).toEqual(
      record
        .stateAt(last)
        .find(({ name }) => name === 'notes')
        ?.items.map(({ value }) => value),
    );
  });

  it('removes again what a call of the same turn had made', async () => {
    const path = z.object({ path: z.string() });
    const changing = (name: string, act: (files: Filesystem, path: string) => Promise<unknown>) =>
      tool({
        name,
        description: 'Changes a file.',
        inputSchema: path,
        effects: 'state',
        execute: async (input, { filesystem }) => {
          await act(filesystem, input.path);
          return ToolResult.ok(null);
        },
      });
    const tools = [
      changing('make', (files, at) => files.write(at, 'x')),
      changing('remove', (files, at) => files.remove(at)),
    ];
    const both = section({ title: 'Task', key: 'task', template: 'Go.', tools });
    const filesystem = (): MemoryFilesystem => new MemoryFilesystem({ files: { 'old.md': 'o' } });
    const bound = (): Prompt =>
      promptTemplate({ ns: 'test', key: 'both', sections: [both] }).bind(
        {},
        { resources: [binding(Filesystem, { create: filesystem })] },
      );
    const calls = ['make new.md', 'remove new.md', 'make old.md'].map((words) => {
      const [name = '', at = ''] = words.split(' ');
      return { name, arguments: { path: at } };
    });
    const script = [{ toolCalls: calls }, { text: 'Done.' }];
    const record = await recordOf(scriptedAdapter(script), bound(), { input: 'Go.' });
    expect(record.calls.map(({ outcome }) => outcome)).toEqual(['committed', 'committed', 'committed']);
    const report = await replayRun({ record, prompt: bound() });
    expect(report.firstDifference).toBeUndefined();
    expect(report.calls.map(({ source, status }) => [source, status])).toEqual(
      calls.map(() => ['recorded', 'same']),
    );
  });

  it('names a changed prompt, tool text, behavior and policy where they first show', async () => {
    const record = await recordTurns();
    const text = await replayRun({ record, prompt: promptOf({ ...noFiles, text: 'Do it now.' }) });
    expect(text.ending).toBe('stopped');
    expect(text.firstDifference).toMatchObject({
      turn: 1,
      path: [],
      text: expect.stringContaining('instructions'),
    });
    const described = await replayRun({
      record,
      prompt: promptOf({ ...noFiles, description: 'Keep a text.' }),
    });
    expect(described.firstDifference?.text).toContain('The tool "note" differs at description');
    const behavior = await replayRun({ record, prompt: promptOf({ ...noFiles, suffix: '!' }) });
    expect(behavior.firstDifference).toMatchObject({ turn: 1, callId: 'call-1-1' });
    expect(behavior.firstMessage).toMatchObject({
      turn: 2,
      text: expect.stringContaining('Message 2 (tool-result of "note", call-1-1)'),
    });
    const policy: ToolPolicy = {
      name: 'no-notes',
      check: ({ tool: { name: toolName } }) =>
        toolName === 'fetch' ? PolicyDecision.deny('Not outside.') : PolicyDecision.allow(),
    };
    const denied = await replayRun({ record, prompt: promptOf({ ...noFiles, policies: [policy] }) });
    expect(denied.firstDifference).toMatchObject({
      turn: 2,
      callId: 'call-2-1',
      text: 'The call of "fetch": It was committed, and is denied (denied by no-notes) now.',
    });
  });

  it('continues under the recorded answers, so that everything that differs is reported', async () => {
    const record = await recordTurns();
    const prompt = promptOf({ ...noFiles, suffix: '!' });
    const { ending, calls, isSame } = await replayRun({ record, prompt, onDrift: 'force' });
    expect([ending, isSame]).toEqual(['complete', false]);
    expect(calls.map(({ id, status }) => [id, status])).toEqual([
      ['call-1-1', 'changed'],
      ['call-1-2', 'same'],
      ['call-1-3', 'same'],
      ['call-2-1', 'same'],
      ['call-2-2', 'same'],
      ['call-2-3', 'same'],
      ['call-3-1', 'same'],
      ['call-3-2', 'same'],
    ]);
  });

  it('hands over to a live model at the first difference', async () => {
    const record = await recordTurns();
    const asked: number[] = [];
    const adapter = scriptedAdapter((_conversation, { turn }) => {
      asked.push(turn);
      return turn === 2
        ? {
            toolCalls: [
              { name: 'fetch', arguments: { url: 'elsewhere' } },
              { name: 'note', arguments: { text: 'two' } },
            ],
          }
        : { text: 'Done otherwise.' };
    });
    const before = outsideCalls;
    const prompt = promptOf({ ...noFiles, suffix: '!' });
    const report = await replayRun({ record, prompt, onDrift: 'continue', adapter });
    expect(asked).toEqual([2, 3]);
    expect(outsideCalls).toBe(before);
    expect(report).toMatchObject({ ending: 'live', isSame: false });
    expect(report.record.root.text).toBe('Done otherwise.');
    const fetched = report.record.calls.find(({ toolName }) => toolName === 'fetch');
    expect(fetched?.modelText).toBe(
      'The record has no such call of "fetch", and this replay does not run the tool.',
    );
    await expect(replayRun({ record, prompt, onDrift: 'continue' })).rejects.toThrow(/adapter/);
  });

  it('runs the handlers that it is asked to run', async () => {
    const record = await recordTurns();
    const before = outsideCalls;
    const prompt = promptOf(noFiles);
    const live = await replayRun({ record, prompt, tools: { fetch: 'live', note: 'recorded' } });
    expect(outsideCalls).toBe(before + 2);
    expect(live.calls.slice(0, 4).map(({ source }) => source)).toEqual([
      'recorded',
      'recorded',
      'live',
      'live',
    ]);
    expect(live.firstDifference?.callId).toBe('call-2-1');
    const recorded = await replayRun({
      record,
      prompt: promptOf({ ...noFiles, suffix: '!' }),
      tools: 'recorded',
    });
    expect(recorded.isSame).toBe(true);
  });

  it('answers for calls that were redacted, and says so', async () => {
    const redact = (text: string): string => text.replaceAll('one', '***');
    const record = await recordOf(scriptedAdapter(turns), promptOf(), { input: 'Go.', redact });
    const report = await replayRun({
      record,
      prompt: promptOf(noFiles),
      options: { redact },
      onDrift: 'force',
    });
    expect(report.calls[0]).toMatchObject({ id: 'call-1-1', status: 'redacted', source: 'recorded' });
  });

  it('names a change of the record', async () => {
    const lines = await linesOf(scriptedAdapter(turns), promptOf(), { input: 'Go.' });
    const changed = lines.map((line) => line.replaceAll('Noted.', 'Kept.'));
    const record = await readRunRecord(changed);
    const { firstDifference } = await replayRun({ record, prompt: promptOf(noFiles) });
    expect(firstDifference).toMatchObject({ turn: 1, callId: 'call-1-1' });
    expect(firstDifference?.text).toContain('recorded "Kept.');
  });

  it('ends where the record of a killed process ends', async () => {
    const lines = await linesOf(scriptedAdapter(turns), promptOf(), { input: 'Go.' });
    const third = lines.findIndex((line) => line.includes('"type":"request"') && line.includes('"turn":3'));
    const record = await readRunRecord(lines.slice(0, third + 1));
    expect(record.isComplete).toBe(false);
    const report = await replayRun({ record, prompt: promptOf(noFiles) });
    expect(report.firstDifference).toBeUndefined();
    expect(report.calls.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 'same'));
  });

  it('answers approvals as the record does', async () => {
    const asking: ToolPolicy = {
      name: 'asking',
      check: ({ tool: { name } }) =>
        name === 'note' ? PolicyDecision.ask('May it?') : PolicyDecision.allow(),
    };
    for (const approved of [true, false]) {
      const prompt = promptOf({ policies: [asking] });
      const approve = () => ({ approved, reason: 'So it is.' });
      const record = await recordOf(scriptedAdapter(turns), prompt, { input: 'Go.', approve });
      const report = await replayRun({ record, prompt: promptOf({ ...noFiles, policies: [asking] }) });
      expect(report.firstDifference).toBeUndefined();
      expect(record.calls[0]?.outcome).toBe(approved ? 'committed' : 'denied');
      expect(report.isSame).toBe(true);
    }
  });

  it('answers the provider about its hosted tools as the record does', async () => {
    const wiki = { toolName: 'wiki', arguments: '{}' };
    const asking: readonly ScriptedTurn[] = [
      {
        text: 'May I?',
        approvalRequests: [
          { approvalId: 'r1', name: 'read', ...wiki },
          { approvalId: 'e1', name: 'edit', ...wiki },
          { approvalId: 'e2', name: 'edit', ...wiki },
        ],
      },
      { text: 'And this?', approvalRequests: [{ approvalId: 'r2', name: 'read', ...wiki }] },
      { text: 'Done.' },
    ];
    const approve: ApprovalHandler = ({ callId }) =>
      callId === 'r1' || callId === 'e2' ? true : { approved: false, reason: `Not ${callId}.` };
    const record = await recordOf(scriptedAdapter(asking), promptOf(), { input: 'Go.', approve });
    expect(record.turns.map(({ request }) => request?.conversation.at(-1))).toMatchObject([
      { type: 'user' },
      { type: 'approval', approvalId: 'e2', approved: true },
      { type: 'approval', approvalId: 'r2', approved: false, reason: 'Not r2.' },
    ]);
    const report = await replayRun({ record, prompt: promptOf(noFiles) });
    expect(report.firstDifference).toBeUndefined();
    expect(report).toMatchObject({ isSame: true, ending: 'complete' });
    expect(report.record.root.turns.flatMap(({ events }) => events.map(({ event }) => event))).toEqual(
      record.root.turns.flatMap(({ events }) => events.map(({ event }) => event)),
    );
  });

  it('has the state that the run began with, and notes what it cannot take', async () => {
    await using session = new Session({ id: 'given' });
    const Others = defineSlice({ name: 'others', schema: z.object({ text: z.string() }) });
    for (const slice of [Notes, Others]) session.install(slice);
    session.slice(Notes).append({ text: 'before' });
    session.slice(Others).append({ text: 'other' });
    const record = await recordOf(scriptedAdapter(turns), promptOf(), { input: 'Go.', session });
    const report = await replayRun({ record, prompt: promptOf(noFiles) });
    expect(report.isSame).toBe(true);
    expect(report.notes).toEqual([
      'The state of the slice "others" is left out: no section of the prompt has such a slice.',
    ]);
    const notes = report.record.stateAt(0).find(({ name }) => name === 'notes');
    expect(notes?.items.map(({ value }) => value)).toEqual([{ text: 'before' }]);
  });
});

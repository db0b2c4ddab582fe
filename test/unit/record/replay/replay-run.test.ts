import { describe, expect, it } from 'vitest';
import {
  binding,
  defineSlice,
  Filesystem,
  MemoryFilesystem,
  PolicyDecision,
  type Prompt,
  promptTemplate,
  section,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { type RunRecord, replayRun } from 'weakincentives/record';
import { vfsToolsSection } from 'weakincentives/suite';
import { type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { recordOf } from '../../../support/replays.ts';

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
});

import { describe, expect, test } from 'vitest';
import {
  CompletionVerdict,
  type ConversationItem,
  type EvaluateOptions,
  promptTemplate,
  type RunEvent,
  resumeRun,
  Session,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { type ModelRequest, type ModelTurn, providerAdapter } from 'weakincentives/provider';
import { memoryJournal } from 'weakincentives/testing';
import { z } from 'zod';

const half = '\uD83D';
const lone = /\\ud[89a-f]/i;

const show = tool({
  name: 'show',
  description: `Shows${half}.`,
  inputSchema: z.object({ text: z.string().describe(`Text${half}.`) }),
  effects: 'read',
  execute: ({ text }, { callId }) => {
    if (text === 'throw') throw new Error(`Bad ${half}`);
    if (text === 'fail') return ToolResult.error(`No ${half}`, { [half]: half });
    const file = { type: 'file', mediaType: 'text/plain', data: 'YQ==', name: `a${half}.txt` } as const;
    return ToolResult.ok({ [`k${half}`]: [text, half], callId }, `Shown ${half}`, { attachments: [file] });
  },
});
const prompt = promptTemplate({
  ns: 'test',
  key: 'halves',
  sections: [
    // oxlint-disable-next-line no-template-curly-in-string -- A template of a section.
    section({
      title: 'Task',
      key: 'task',
      params: z.object({ name: z.string() }),
      template: 'For ${name}.',
      tools: [show],
    }),
  ],
}).bind({ name: half });

const call = (text: string, callId: string): ModelTurn['content'][number] => ({
  type: 'tool-call',
  callId,
  name: 'show',
  arguments: `{"text":"${text}"}`,
});

/** The requests of a model as their JSON, and an adapter of it. */
function recordedModel(turns: readonly ModelTurn[]) {
  const requests: string[] = [];
  const generate = (request: ModelRequest): ModelTurn => {
    requests.push(JSON.stringify(request));
    return turns[request.turn - 1] ?? { content: [{ type: 'text', text: 'Done.' }], finishReason: 'stop' };
  };
  return { requests, adapter: providerAdapter({ model: { name: 'model', generate } }) };
}

const turns: readonly ModelTurn[] = [
  {
    content: [
      { type: 'text', text: `I show ${half}` },
      call('\\ud83d', 'a'),
      call('throw', 'b'),
      call('fail', 'c'),
    ],
    raw: { provider: 'model', items: [{ input: { text: half }, arguments: '{"text":"\\ud83d"}' }] },
    finishReason: 'tool-calls',
  },
  { content: [{ type: 'text', text: `Almost ${half}` }], finishReason: 'stop' },
];
const history: readonly ConversationItem[] = [
  { type: 'user', content: [{ type: 'text', text: half }] },
  {
    type: 'assistant',
    content: [{ type: 'tool-call', callId: 'h', name: `old${half}`, arguments: '{"a":"\\ud83d"}' }],
  },
  { type: 'tool-result', callId: 'h', toolName: 'old', text: half, isError: false },
];
const options: EvaluateOptions = {
  input: `Go ${half}`,
  history,
  settings: { metadata: { user: half } },
  feedback: [
    { name: 'says', triggers: { everyCalls: 1 }, provide: () => ({ message: half, suggestions: [half] }) },
  ],
  completion: {
    name: 'twice',
    check: ({ check }) =>
      check === 1 ? CompletionVerdict.incomplete(`More ${half}`) : CompletionVerdict.complete(),
  },
};

describe('half of a surrogate pair', () => {
  test('never reaches a provider, whatever it comes from, and the record has what the provider got', async () => {
    const { adapter, requests } = recordedModel(turns);
    const journal = memoryJournal();
    const events: RunEvent[] = [];
    await using session = new Session();
    const response = await adapter.evaluate(prompt, {
      ...options,
      session,
      journal,
      runId: 'run',
      observers: [{ onEvent: (event) => events.push(event) }],
    });
    expect(requests).toHaveLength(3);
    for (const request of requests) expect(request).not.toMatch(lone);
    expect(JSON.stringify(response)).not.toMatch(lone);
    expect(JSON.stringify(session.exportState())).not.toMatch(lone);
    const rows = await journal.read('run');
    for (const { line } of rows) expect(line).not.toMatch(/[^\\]\\ud[89a-f]/i);
    expect(JSON.stringify(events)).not.toMatch(lone);
    expect(requests[1]).toContain('Bad \uFFFD');
  });

  test('is not asked with again when a run is resumed', async () => {
    const { adapter } = recordedModel(turns);
    const journal = memoryJournal();
    await adapter.evaluate(prompt, { ...options, journal, runId: 'run' });
    const again = recordedModel([]);
    const end = await resumeRun({
      ...options,
      adapter: again.adapter,
      prompt,
      journal,
      runId: 'run',
      input: half,
    });
    expect(again.requests).toHaveLength(1);
    expect(again.requests[0]).not.toMatch(lone);
    expect(JSON.stringify(end)).not.toMatch(lone);
  });

  test('is not asked with again when a run of before is resumed, whose rows hold halves', async () => {
    const { adapter } = recordedModel(turns);
    const journal = memoryJournal();
    await adapter.evaluate(prompt, { ...options, journal, runId: 'run' });
    const read = journal.read.bind(journal);
    journal.read = async (runId, from) =>
      (await read(runId, from)).map((row) => ({ ...row, line: row.line.replaceAll('\uFFFD', '\\ud83d') }));
    expect(JSON.stringify(await journal.read('run'))).toMatch(lone);
    const again = recordedModel([]);
    const end = await resumeRun({
      ...options,
      adapter: again.adapter,
      prompt,
      journal,
      runId: 'run',
      input: half,
    });
    expect(again.requests).toHaveLength(1);
    expect(again.requests[0]).not.toMatch(lone);
    expect(JSON.stringify(end)).not.toMatch(lone);
  });

  test('is no piece of a stream: the other half is waited for', async () => {
    const adapter = providerAdapter({
      model: {
        name: 'model',
        generate: async (_request, { onDelta }) => {
          for (const text of ['a\uD83D', '\uDE00b', 'c\uD83D']) await onDelta?.({ type: 'text-delta', text });
          return { content: [{ type: 'text', text: 'a😀bc' }], finishReason: 'stop' };
        },
      },
    });
    const pieces: string[] = [];
    for await (const event of adapter.stream(prompt))
      if (event.type === 'text-delta') pieces.push(event.text);
    expect(pieces).toEqual(['a', '😀b', 'c', '\uFFFD']);
  });

  test('is replaced within a piece of a stream, where nothing can complete it', async () => {
    const adapter = providerAdapter({
      model: {
        name: 'model',
        generate: async (_request, { onDelta }) => {
          await onDelta?.({ type: 'text-delta', text: `a${half}b` });
          return { content: [{ type: 'text', text: 'ab' }], finishReason: 'stop' };
        },
      },
    });
    const pieces: string[] = [];
    for await (const event of adapter.stream(prompt))
      if (event.type === 'text-delta') pieces.push(event.text);
    expect(pieces).toEqual(['a\uFFFDb']);
  });

  test('never reaches a provider in the reason of a no to what it asked', async () => {
    const asking: ModelTurn = {
      content: [
        { type: 'approval-request', approvalId: 'x', toolName: 'shelf', name: 'take', arguments: '{}' },
      ],
      finishReason: 'tool-calls',
    };
    const { adapter, requests } = recordedModel([asking]);
    const { conversation } = await adapter.evaluate(prompt, {
      approve: () => ({ approved: false, reason: `Not ${half}` }),
    });
    expect(requests[1]).toContain('Not \uFFFD');
    expect(JSON.stringify(conversation)).not.toMatch(lone);
  });
});

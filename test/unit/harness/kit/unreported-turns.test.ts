import { describe, expect, test } from 'vitest';
import type { ConversationItem, RunEvent } from 'weakincentives';
import { type AgentHarness, harnessAdapter } from 'weakincentives/provider';
import { notebook } from '../../../support/harness/notebook.ts';

async function play(run: AgentHarness['run'], capabilities: AgentHarness['capabilities'] = {}) {
  const events: RunEvent[] = [];
  const requests: unknown[] = [];
  const responses: unknown[] = [];
  const response = await harnessAdapter({ harness: { name: 'quiet', capabilities, run } }).evaluate(
    notebook(),
    {
      input: 'Go.',
      streaming: capabilities.streaming === true,
      observers: [
        {
          onEvent: (event) => events.push(event),
          onRequest: (request) => requests.push(request),
          onResponse: (answer) => responses.push(answer),
        },
      ],
    },
  );
  return { events: events.map(({ type }) => type), requests, responses, response, all: events };
}

const shape = (conversation: readonly ConversationItem[]) =>
  conversation.map((item) => [
    item.type,
    item.type === 'assistant'
      ? item.content.map((part) =>
          part.type === 'tool-call' ? part.callId : part.type === 'text' ? part.text : '',
        )
      : item.type === 'tool-result'
        ? item.callId
        : '',
  ]);

const done = { text: 'Done.', finishReason: 'stop' } as const;
const note = (callId: string, text: string) => ({ callId, name: 'note', arguments: { text } });

describe('a harness that reports no turns', () => {
  test('has one for its answer', async () => {
    const { events, response } = await play(async () => done);
    expect(events).toEqual([
      'run-start',
      'turn-start',
      'model-call-start',
      'model-call-end',
      'turn-end',
      'run-end',
    ]);
    expect(shape(response.conversation)).toEqual([
      ['user', ''],
      ['assistant', ['Done.']],
    ]);
  });

  test('has another one for what comes after the results of calls', async () => {
    const { all, response } = await play(async ({ tools }) => {
      await Promise.all([tools.call(note('a', '1')), tools.call(note('b', '2'))]);
      await tools.call(note('c', '3'));
      return done;
    });
    expect(shape(response.conversation)).toEqual([
      ['user', ''],
      ['assistant', ['a', 'b']],
      ['tool-result', 'a'],
      ['tool-result', 'b'],
      ['assistant', ['c']],
      ['tool-result', 'c'],
      ['assistant', ['Done.']],
    ]);
    expect(
      all.flatMap((event) => (event.type === 'tool-call-start' ? [[event.turn, event.callId]] : [])),
    ).toEqual([
      [1, 'a'],
      [1, 'b'],
      [2, 'c'],
    ]);
    expect(all.filter(({ type }) => type === 'turn-end')).toMatchObject([
      { turn: 1, finishReason: 'tool-calls', toolCalls: 2 },
      { turn: 2, finishReason: 'tool-calls', toolCalls: 1 },
      { turn: 3, finishReason: 'stop', toolCalls: 0 },
    ]);
  });

  test('streams into the turn that continues', async () => {
    const { all } = await play(
      async ({ tools }, { onDelta }) => {
        await onDelta?.({ type: 'text-delta', text: 'I note it.' });
        await tools.call(note('a', '1'));
        await onDelta?.({ type: 'text-delta', text: 'Done.' });
        return done;
      },
      { streaming: true },
    );
    expect(all.flatMap((event) => (event.type === 'text-delta' ? [[event.turn, event.text]] : []))).toEqual([
      [1, 'I note it.'],
      [2, 'Done.'],
    ]);
  });
});

describe('calls and the report of their turn', () => {
  const content = [
    { type: 'text', text: 'I note both.' },
    { type: 'tool-call', callId: 'toolu_1', name: 'note', arguments: '{"text":"1"}' },
    { type: 'tool-call', callId: 'toolu_2', name: 'note', arguments: '{ "text": "2" }' },
  ] as const;

  test('are brought together by tool and arguments when the report comes first', async () => {
    const { all, response, requests, responses } = await play(
      async ({ tools }, { onTurn, onTurnStart }) => {
        await onTurnStart();
        await onTurn({ content, finishReason: 'tool-calls' });
        const outputs = await Promise.all([tools.call(note('mcp-1', '2')), tools.call(note('mcp-2', '1'))]);
        // The harness knows its calls by its own ids.
        expect(outputs.map(({ callId }) => callId)).toEqual(['mcp-1', 'mcp-2']);
        await onTurnStart();
        await onTurn({ content: [{ type: 'text', text: 'Done.' }], finishReason: 'stop' });
        return done;
      },
      { turns: true },
    );
    expect(shape(response.conversation)).toEqual([
      ['user', ''],
      ['assistant', ['I note both.', 'toolu_1', 'toolu_2']],
      ['tool-result', 'toolu_1'],
      ['tool-result', 'toolu_2'],
      ['assistant', ['Done.']],
    ]);
    const ended = all.flatMap((event) => (event.type === 'tool-call-end' ? [event.callId] : []));
    expect(ended.toSorted()).toEqual(['toolu_1', 'toolu_2']);
    expect(requests).toMatchObject([{ turn: 1 }, { turn: 2, length: 4 }]);
    expect(responses).toMatchObject([{ outcome: 'answered', turn: 1, content }, { turn: 2 }]);
  });

  test('are brought together when the report comes later', async () => {
    const { all, response } = await play(
      async ({ tools }, { onTurn, onTurnStart }) => {
        await onTurnStart();
        const early = tools.call(note('mcp-1', '1'));
        await onTurn({ content, finishReason: 'tool-calls' });
        await early;
        await tools.call(note('mcp-2', '2'));
        await onTurnStart();
        await onTurn({ content: [{ type: 'text', text: 'Done.' }], finishReason: 'stop' });
        return done;
      },
      { turns: true },
    );
    expect(shape(response.conversation)).toEqual([
      ['user', ''],
      ['assistant', ['I note both.', 'toolu_1', 'toolu_2']],
      ['tool-result', 'toolu_1'],
      ['tool-result', 'toolu_2'],
      ['assistant', ['Done.']],
    ]);
    // Nothing runs of an answer that is not whole.
    const types = all.map(({ type }) => type);
    expect(types.indexOf('model-call-end')).toBeLessThan(types.indexOf('tool-call-start'));
    expect(
      all.flatMap((event) => (event.type === 'tool-call-start' ? [[event.turn, event.callId]] : [])),
    ).toEqual([
      [1, 'toolu_1'],
      [1, 'toolu_2'],
    ]);
  });

  test('have a result also when the harness answers a call itself', async () => {
    const { response } = await play(
      async (_request, { onTurn, onTurnStart }) => {
        await onTurnStart();
        await onTurn({ content: content.slice(0, 2), finishReason: 'tool-calls' });
        await onTurnStart();
        await onTurn({ content: [{ type: 'text', text: 'Done.' }], finishReason: 'stop' });
        return done;
      },
      { turns: true },
    );
    expect(response.conversation[2]).toMatchObject({
      type: 'tool-result',
      callId: 'toolu_1',
      isError: true,
      text: 'The harness did not pass the call on: it answered it itself, or gave it up.',
    });
  });
});

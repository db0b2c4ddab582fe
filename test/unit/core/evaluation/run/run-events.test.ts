import { describe, expect, test } from 'vitest';
import { Deadline, promptTemplate, type RunEvent, section, ToolResult, tool } from 'weakincentives';
import { createManualClock, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { withoutPlaces } from '../../../../support/event-places.ts';
import { evaluationFailure } from '../../../../support/failure.ts';

const note = tool({
  name: 'note',
  description: 'Takes a note.',
  effects: 'state',
  inputSchema: z.object({ text: z.string() }),
  execute: ({ text }) => ToolResult.ok(null, `Noted ${text}.`),
});
const plain = promptTemplate({
  ns: 'test',
  key: 'plain',
  sections: [section({ title: 'Task', key: 'task', template: 'Take notes.', tools: [note] })],
});

describe('run events', () => {
  test('tell a whole run in order', async () => {
    const events: RunEvent[] = [];
    let ids = 0;
    await scriptedAdapter(
      [
        {
          text: 'Noting.',
          toolCalls: [{ name: 'note', arguments: { text: 'a' } }],
          usage: { inputTokens: 1 },
        },
        { text: 'done' },
      ],
      { name: 'teller' },
    ).evaluate(plain.bind(), {
      observers: [{ onEvent: (event) => events.push(event) }],
      settings: { temperature: 0 },
      clock: createManualClock(),
      ids: () => `id-${++ids}`,
    });
    const [invocation] = events.flatMap((event) =>
      event.type === 'tool-call-end' ? [event.invocation] : [],
    );
    expect(events.every(({ evaluationId, path }) => evaluationId === 'id-2' && path.length === 0)).toBe(true);
    expect(withoutPlaces(events)).toEqual([
      {
        type: 'run-start',
        promptName: 'plain',
        adapter: 'teller',
        tools: ['note'],
        sessionId: 'id-1',
        isSessionGiven: false,
        isRedacted: false,
        prompt: { namespace: 'test', key: 'plain', hash: expect.stringMatching(/^\d+-[0-9a-f]{16}$/) },
        model: 'teller',
        settings: { temperature: 0 },
        limits: { maxTurns: 100, maxRepeatedFailures: 5 },
        effects: { note: 'state' },
        params: {},
        toolsHash: expect.stringMatching(/^\d+-[0-9a-f]{16}$/),
        policies: [],
      },
      { type: 'turn-start', turn: 1 },
      { type: 'model-call-start', turn: 1 },
      {
        type: 'model-call-end',
        turn: 1,
        text: 'Noting.',
        toolCalls: [{ type: 'tool-call', callId: 'call-1-1', name: 'note', arguments: '{"text":"a"}' }],
        finishReason: 'tool-calls',
        usage: { inputTokens: 1 },
        durationMs: 0,
      },
      { type: 'usage-counted', turn: 1, usage: { inputTokens: 1 }, total: { inputTokens: 1 } },
      { type: 'tool-call-start', turn: 1, callId: 'call-1-1', toolName: 'note', params: { text: 'a' } },
      { type: 'tool-call-end', turn: 1, callId: 'call-1-1', toolName: 'note', invocation },
      { type: 'turn-end', turn: 1, finishReason: 'tool-calls', toolCalls: 1 },
      { type: 'turn-start', turn: 2 },
      { type: 'model-call-start', turn: 2 },
      { type: 'model-call-end', turn: 2, text: 'done', toolCalls: [], finishReason: 'stop', durationMs: 0 },
      { type: 'usage-counted', turn: 2, usage: {}, total: { inputTokens: 1 } },
      { type: 'turn-end', turn: 2, finishReason: 'stop', toolCalls: 0 },
      { type: 'run-end', outcome: 'finished', turns: 2, usage: { inputTokens: 1 }, text: 'done' },
    ]);
  });

  test('say how far the run may go', async () => {
    const clock = createManualClock(1_000);
    const limits: unknown[] = [];
    await scriptedAdapter([{ text: 'done' }], { name: 'teller' }).evaluate(plain.bind(), {
      observers: [{ onEvent: (event) => event.type === 'run-start' && limits.push(event.limits) }],
      limits: {
        maxTurns: 7,
        maxRepeatedFailures: 2,
        budget: { maxTotalTokens: 500, maxCost: 2, prices: { inputPerMillion: 1, outputPerMillion: 2 } },
        deadline: Deadline.after(60_000, clock),
      },
      clock,
    });
    expect(limits).toEqual([
      { maxTurns: 7, maxRepeatedFailures: 2, maxTotalTokens: 500, maxCost: 2, expiresAtMs: 61_000 },
    ]);
  });

  test('tell of the end also when the run fails', async () => {
    const events: RunEvent[] = [];
    await evaluationFailure(
      scriptedAdapter([]).evaluate(plain.bind(), { observers: [{ onEvent: (event) => events.push(event) }] }),
    );
    expect(withoutPlaces(events).at(-1)).toEqual({
      type: 'run-end',
      outcome: 'failed',
      turns: 1,
      usage: {},
      error: {
        name: 'PromptEvaluationError',
        code: 'evaluation-request-failed',
        message: expect.stringContaining('The script has 0 turns'),
      },
    });
  });
});

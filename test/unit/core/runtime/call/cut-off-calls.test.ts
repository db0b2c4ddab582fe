import { describe, expect, test } from 'vitest';
import {
  type AssistantPart,
  type FinishReason,
  Session,
  ToolCallLog,
  type ToolCallPart,
  ToolResult,
  tool,
} from 'weakincentives';
import { providerAdapter } from 'weakincentives/provider';
import { z } from 'zod';
import { promptOf } from '../../../../support/prompt-of.ts';

const wipe = (wiped: string[]) =>
  tool({
    name: 'wipe',
    description: 'Removes one thing, or everything.',
    inputSchema: z.object({ what: z.string().optional() }),
    effects: 'external',
    execute: ({ what }) => {
      wiped.push(what ?? 'everything');
      return ToolResult.ok(null, 'Wiped.');
    },
  });

const call = (callId: string, text: string, more: Partial<ToolCallPart> = {}): AssistantPart => ({
  type: 'tool-call',
  callId,
  name: 'wipe',
  arguments: text,
  ...more,
});

/** What becomes of the calls of a turn of a model whose adapter knows nothing but its finish reason. */
async function outcomesOf(finishReason: FinishReason, content: readonly AssistantPart[]) {
  const wiped: string[] = [];
  const prompt = promptOf({ tools: [wipe(wiped)] });
  await using session = new Session();
  const adapter = providerAdapter({
    model: {
      name: 'plain',
      generate: ({ turn }) =>
        turn === 1
          ? { content, finishReason }
          : { content: [{ type: 'text', text: 'Done.' }], finishReason: 'stop' },
    },
  });
  const { conversation } = await adapter.evaluate(prompt, { session });
  return {
    wiped,
    calls: session.slice(ToolCallLog).all(),
    reasons: session
      .slice(ToolCallLog)
      .all()
      .map(({ reason }) => reason),
    answered: conversation.flatMap((item) => (item.type === 'tool-result' ? [item.callId] : [])),
  };
}

describe('a turn that was cut off', () => {
  test.each(['length', 'context-window', 'content-filter', 'refusal'] as const)(
    'by %s: its last call is not run, and its others are',
    async (finishReason) => {
      const { wiped, reasons, answered, calls } = await outcomesOf(finishReason, [
        call('c1', '{"what":"a"}'),
        call('c2', '{}'),
      ]);
      expect(wiped).toEqual(['a']);
      expect(reasons).toEqual([undefined, 'cut-off']);
      expect(answered).toEqual(['c1', 'c2']);
      expect(calls[1]).toMatchObject({
        outcome: 'rejected',
        attempts: 0,
        message: expect.stringMatching(/"wipe" was not run: your answer was cut off .* Make the call again/),
      });
    },
  );

  test.each(['', '   ', '{}', '{"what":"al', '{"what":"all"}'])(
    'a single call with the arguments %j is not run',
    async (text) => {
      expect(await outcomesOf('length', [call('c1', text)])).toMatchObject({
        wiped: [],
        reasons: ['cut-off'],
      });
    },
  );

  test('text behind a call proves nothing: adapters put texts where they like', async () => {
    const { wiped } = await outcomesOf('length', [call('c1', '{}'), { type: 'text', text: 'I wipe it.' }]);
    expect(wiped).toEqual([]);
  });

  test('a call before the last one is not run either when its arguments are empty or not JSON', async () => {
    const calls = [call('c1', ''), call('c2', '{"what"'), call('c3', '{"what":"c"}'), call('c4', '{}')];
    expect(await outcomesOf('length', calls)).toMatchObject({
      wiped: ['c'],
      reasons: ['cut-off', 'cut-off', undefined, 'cut-off'],
    });
  });

  test('a call that the provider says came whole is run', async () => {
    expect(await outcomesOf('length', [call('c1', '{}', { isComplete: true })])).toMatchObject({
      wiped: ['everything'],
      reasons: [undefined],
    });
  });
});

test('a call that the provider says did not come whole is not run, however the turn ended', async () => {
  const calls = [call('c1', '{}', { isComplete: false }), call('c2', '{"what":"b"}')];
  expect(await outcomesOf('tool-calls', calls)).toMatchObject({
    wiped: ['b'],
    reasons: ['cut-off', undefined],
  });
});

test('calls of a turn that came to its own end are run, with empty arguments too', async () => {
  expect(await outcomesOf('tool-calls', [call('c1', '')])).toMatchObject({ wiped: ['everything'] });
});

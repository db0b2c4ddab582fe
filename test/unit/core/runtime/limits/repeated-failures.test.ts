import { describe, expect, test } from 'vitest';
import {
  type AnyTool,
  type EvaluateOptions,
  type Prompt,
  promptTemplate,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { evaluationFailure } from '../../../../support/failure.ts';

const input = z.object({ id: z.number().optional(), text: z.string().optional() });
const broken = tool({
  name: 'broken',
  description: 'Never works.',
  inputSchema: input,
  effects: 'state',
  execute: ({ text }) => ToolResult.error(`It does not work${text === undefined ? '' : 's'}.`),
});
const fine = tool({
  name: 'fine',
  description: 'Always works.',
  inputSchema: input,
  effects: 'state',
  execute: () => ToolResult.ok(null),
});

const promptOf = (tools: readonly AnyTool[] = [broken, fine], key = 'repeats'): Prompt<undefined> =>
  promptTemplate({
    ns: 'test',
    key,
    sections: [section({ title: 'Task', key: 'task', template: 'Do it.', tools })],
  }).bind();

const failing = (args: object = {}) => ({ name: 'broken', arguments: args });
const editing = { name: 'fine', arguments: {} };

/** How many turns a model gets that makes these calls over and over: until the run ends by itself, or 12. */
async function turnsOf(
  callsOf: (turn: number) => NonNullable<ScriptedTurn['toolCalls']>,
  options: EvaluateOptions = {},
): Promise<number> {
  let turns = 0;
  const adapter = scriptedAdapter((_conversation, { turn }) => {
    turns = turn;
    return turn > 12 ? { text: 'Done.' } : { toolCalls: callsOf(turn) };
  });
  await adapter.evaluate(promptOf(), options).catch((error: unknown) => {
    expect(error).toMatchObject({ code: 'evaluation-failures-repeated' });
  });
  return turns;
}

describe('the same call that fails again and again', () => {
  test('ends the run in the fifth turn, with all that was said and spent', async () => {
    const adapter = scriptedAdapter(() => ({
      toolCalls: [failing({ id: 7 })],
      usage: { inputTokens: 10, outputTokens: 1 },
    }));
    const error = await evaluationFailure(adapter.evaluate(promptOf(), { input: 'Go.' }));
    expect(error).toMatchObject({
      code: 'evaluation-failures-repeated',
      phase: 'tool',
      usage: { inputTokens: 50, outputTokens: 5 },
      details: { toolName: 'broken', reason: 'failed-result', failures: 5, turn: 5 },
    });
    expect(error.message).toMatch(
      /"broken" failed in 5 turns .*\(failed-result\).*raise limits\.maxRepeatedFailures.*It does not work\./,
    );
    expect(error.conversation.filter(({ type }) => type === 'tool-result')).toHaveLength(5);
  });

  test('as often as the option says', async () => {
    expect(await turnsOf(() => [failing()], { limits: { maxRepeatedFailures: 2 } })).toBe(2);
    expect(await turnsOf(() => [failing()], { limits: { maxRepeatedFailures: 100 } })).toBe(13);
    for (const maxRepeatedFailures of [0, -1, 1.5, Number.NaN]) {
      await expect(
        scriptedAdapter([{ text: 'x' }]).evaluate(promptOf(), { limits: { maxRepeatedFailures } }),
      ).rejects.toMatchObject({ details: { option: 'limits.maxRepeatedFailures' } });
    }
  });

  test('is the same whatever stands between its arguments, and whatever other calls fail in between', async () => {
    const texts = ['{"id":1,"text":"x"}', '{ "text": "x", "id": 1 }'];
    const calls = (turn: number) => [{ name: 'broken', arguments: texts[turn % 2] }, failing({ id: turn })];
    expect(await turnsOf(calls)).toBe(5);
  });

  test('is another one with other arguments, or another reason', async () => {
    expect(await turnsOf((turn) => [failing({ id: turn })])).toBe(13);
    expect(await turnsOf((turn) => [{ name: turn % 2 === 0 ? 'broken' : 'missing', arguments: {} }])).toBe(9);
  });

  test('counts once a turn: the model has not read yet what is wrong', async () => {
    expect(await turnsOf(() => Array.from({ length: 6 }, () => failing()))).toBe(5);
  });

  test('counts when it is not JSON, when it is denied, and when it was cut off, with whatever arguments', async () => {
    expect(await turnsOf(() => [{ name: 'fine', arguments: '{"id":' }])).toBe(5);
    let turns = 0;
    const adapter = scriptedAdapter((_conversation, { turn }) => {
      turns = turn;
      const text = '{"text":"all of it"'.slice(0, 3 + turn);
      return { toolCalls: [{ name: 'fine', arguments: text }], finishReason: 'length' };
    });
    const error = await evaluationFailure(adapter.evaluate(promptOf()));
    expect(error).toMatchObject({ code: 'evaluation-failures-repeated', details: { reason: 'cut-off' } });
    expect(turns).toBe(5);
  });
});

describe('a commit in between', () => {
  test('begins the count anew: tests may be run until they pass', async () => {
    expect(await turnsOf((turn) => (turn % 4 === 0 ? [editing] : [failing()]))).toBe(13);
    expect(await turnsOf(() => [editing, failing()])).toBe(13);
    expect(await turnsOf(() => [failing(), editing])).toBe(13);
  });

  test('begins it anew once: what fails from then on counts', async () => {
    expect(await turnsOf((turn) => (turn === 4 ? [editing] : [failing()]))).toBe(9);
  });
});

test('holds for evaluations inside calls as in the run, unless they say otherwise', async () => {
  for (const [maxRepeatedFailures, expected] of [
    [undefined, 3],
    [2, 2],
  ] as const) {
    let innerTurns = 0;
    const outer = tool({
      name: 'delegate',
      description: 'Asks another prompt.',
      effects: 'state',
      execute: async (_params, { adapter }) => {
        const inner = await evaluationFailure(
          adapter.evaluate(promptOf([broken], 'inner'), {
            ...(maxRepeatedFailures === undefined ? {} : { limits: { maxRepeatedFailures } }),
          }),
        );
        expect(inner.code).toBe('evaluation-failures-repeated');
        return ToolResult.ok(null);
      },
    });
    const adapter = scriptedAdapter((_conversation, { tools, turn }) => {
      if (tools.some(({ name }) => name === 'broken')) {
        innerTurns = turn;
        return { toolCalls: [failing()] };
      }
      return turn === 1 ? { toolCalls: [{ name: 'delegate' }] } : { text: 'Done.' };
    });
    await adapter.evaluate(promptOf([outer], 'outer'), { limits: { maxRepeatedFailures: 3 } });
    expect(innerTurns).toBe(expected);
  }
});

test('what is remembered of failing calls is bounded', async () => {
  // The first call is forgotten behind so many others, so its failures from before do not count.
  let turns = 0;
  const adapter = scriptedAdapter((_conversation, { turn }) => {
    turns = turn;
    if (turn > 12) return { text: 'Done.' };
    const others = Array.from({ length: 300 }, (_call, index) => failing({ id: turn * 1_000 + index }));
    return { toolCalls: [failing({ text: 'x'.repeat(10_000) }), ...others] };
  });
  await adapter.evaluate(promptOf());
  expect(turns).toBe(13);
});

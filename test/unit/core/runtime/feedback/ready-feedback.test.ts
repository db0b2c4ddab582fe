import { describe, expect, test } from 'vitest';
import { Deadline, deadlineFeedback, repetitionFeedback, ToolResult, tool } from 'weakincentives';
import { z } from 'zod';
import { act } from '../../../../support/act.ts';
import { createManualClock } from '../../../../support/manual-clock.ts';
import { runCalls } from '../../../../support/run-calls.ts';

describe('deadlineFeedback', () => {
  test('tells how much time is left, louder towards the end', async () => {
    const clock = createManualClock();
    const waits = [60_000, 30_000, 361_000, 109_000, 20_000];
    const wait = act('wait', () => clock.advance(waits.shift() ?? 0));
    const { texts } = await runCalls({
      tools: [wait],
      clock,
      limits: { deadline: Deadline.after(600_000, clock) },
      turns: [1, 2, 3, 4, 5].map(() => [{ name: 'wait' }]),
      feedback: [deadlineFeedback()],
    });
    expect(texts.map((text) => text.replace('wait done', '').trim())).toEqual([
      '<wink-feedback provider="deadline" severity="info">\n9 min of 10 min are left for the task.\n</wink-feedback>',
      '',
      '<wink-feedback provider="deadline" severity="caution">\n2 min 29 s of 10 min are left for the task.\n</wink-feedback>',
      [
        '<wink-feedback provider="deadline" severity="warning">',
        '40 s of 10 min are left for the task.',
        '- Come to an end with what you have: when the time is up, the run is over.',
        '</wink-feedback>',
      ].join('\n'),
      '',
    ]);
  });

  test('says nothing without a deadline, and counts in hours where there are some', async () => {
    const clock = createManualClock();
    const wait = act('wait', () => clock.advance(500));
    const setup = {
      tools: [wait],
      clock,
      calls: [{ name: 'wait' }],
      feedback: [deadlineFeedback({ everyMs: 500 })],
    };
    const { texts, invocations } = await runCalls(setup);
    expect(texts).toEqual(['wait done']);
    expect(invocations[0]?.feedback).toBeUndefined();
    const long = await runCalls({
      ...setup,
      limits: { deadline: Deadline.after(2 * 3_600_000 + 500, clock) },
    });
    expect(long.texts[0]).toContain('\n2 h of 2 h are left for the task.\n');
  });
});

describe('repetitionFeedback', () => {
  const read = tool({
    name: 'read',
    description: 'Reads.',
    inputSchema: z.object({ path: z.string(), line: z.number().optional() }),
    execute: ({ path }) =>
      path === 'there' ? ToolResult.ok(null, 'Read.') : ToolResult.error('No such file.'),
  });
  const call = (path: string, rest: object = {}) => ({ name: 'read', arguments: { path, ...rest } });
  const heard = async (...calls: readonly ReturnType<typeof call>[]): Promise<readonly number[]> => {
    const { texts } = await runCalls({ tools: [read], calls, feedback: [repetitionFeedback()] });
    return texts.flatMap((text, index) => (text.includes('wink-feedback') ? [index + 1] : []));
  };

  test('speaks when the same call has failed three times in a row, and after three more', async () => {
    expect(await heard(...Array.from({ length: 7 }, () => call('a')))).toEqual([3, 6]);
    const { texts } = await runCalls({
      tools: [read],
      calls: [call('a'), call('a')],
      feedback: [repetitionFeedback({ times: 2 })],
    });
    expect(texts[1]).toBe(
      [
        'No such file.\n',
        '<wink-feedback provider="repetition" severity="warning">',
        'The call of "read" with these arguments has failed 2 times in a row.',
        '- Do not make the same call again: it will fail again.',
        '- Read what it says is wrong, then change the arguments, use another tool, or continue without it.',
        '</wink-feedback>',
      ].join('\n'),
    );
  });

  test('does not mind other arguments, calls between them, nor calls that succeed', async () => {
    expect(await heard(call('a'), call('a'), call('b'), call('a'))).toEqual([]);
    expect(await heard(call('a'), call('a'), call('a', { line: 1 }), call('a'))).toEqual([]);
    expect(await heard(call('a'), call('there'), call('a'), call('a'))).toEqual([]);
    expect(await heard(call('there'), call('there'), call('there'))).toEqual([]);
  });

  test('takes calls with the same arguments in another order as the same', async () => {
    const other = { name: 'read', arguments: { line: 1, path: 'a' } };
    expect(await heard(call('a', { line: 1 }), other, call('a', { line: 1 }))).toEqual([3]);
  });

  test.each([1, 2.5, Number.NaN])('refuses to be told after %s times', (times) => {
    expect(() => repetitionFeedback({ times })).toThrow(/whole number of at least 2/);
  });
});

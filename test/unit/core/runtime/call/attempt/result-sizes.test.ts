import { describe, expect, test } from 'vitest';
import {
  binding,
  type EvaluateOptions,
  Filesystem,
  MemoryFilesystem,
  openToolRuntime,
  promptTemplate,
  Session,
  section,
  ToolCallLog,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';

interface Parts {
  readonly maxResultCharacters?: number;
  readonly render?: (value: unknown) => string;
  readonly effects?: 'state' | 'external';
}

const promptOf = (result: () => ToolResult<unknown>, { effects = 'state', ...parts }: Parts = {}) =>
  promptTemplate({
    ns: 'test',
    key: 'sizes',
    sections: [
      section({
        title: 'Task',
        key: 'task',
        template: 'Fetch it.',
        tools: [
          tool({
            name: 'fetch_it',
            description: 'Fetches it.',
            effects,
            ...parts,
            execute: async (_params, { filesystem }) => {
              await filesystem.write('fetched.md', 'x');
              return result();
            },
          }),
        ],
      }),
    ],
    resources: [binding(Filesystem, { instance: new MemoryFilesystem() })],
  }).bind();

/** What became of one call, and what the model got of it. */
async function recordOf(result: () => ToolResult<unknown>, parts: Parts = {}, options: EvaluateOptions = {}) {
  await using session = new Session();
  const adapter = scriptedAdapter([{ toolCalls: [{ name: 'fetch_it' }] }, { text: 'Done.' }]);
  const { conversation } = await adapter.evaluate(promptOf(result, parts), { session, ...options });
  const record = session.slice(ToolCallLog).latest();
  const answer = conversation.find((item) => item.type === 'tool-result');
  expect(answer?.type === 'tool-result' && answer.text).toBe(record?.modelText);
  return record;
}

const text = (length: number): string => 'x'.repeat(length);

describe('a result that is longer than the model may get', () => {
  test.each<[string, () => ToolResult<unknown>, Parts]>([
    ['by its value', () => ToolResult.ok(text(400_001), ''), {}],
    ['by its message', () => ToolResult.ok(null, text(400_001)), {}],
    ['by both together', () => ToolResult.ok(text(200_001), text(200_000)), {}],
    [
      'as JSON',
      () =>
        ToolResult.ok(
          Array.from({ length: 50_000 }, () => 'twelve'),
          '',
        ),
      {},
    ],
    ['by what its renderer makes of it', () => ToolResult.ok(1), { render: () => text(500_000) }],
    ['by its message alone', () => ToolResult.ok('x', text(400_001), { excludeValueFromContext: true }), {}],
  ])('%s fails its call, which is rolled back', async (_how, result, parts) => {
    const record = await recordOf(result, parts);
    expect(record).toMatchObject({
      outcome: 'rolled-back',
      reason: 'result-too-large',
      changes: [],
      message: expect.stringMatching(
        /"fetch_it" has [45]\d{5} characters, and at most 400000 may be given to you, .* Ask for less at once/,
      ),
    });
    expect(record?.modelText.length).toBeLessThan(400);
    expect(record?.value).toBeUndefined();
  });

  test('says what stands when the tool has effects outside', async () => {
    const record = await recordOf(() => ToolResult.ok(text(500_000)), { effects: 'external' });
    expect(record).toMatchObject({ reason: 'result-too-large', message: expect.stringContaining('remain.') });
  });

  test('is cut off when it is a failure, which failed for its own reason', async () => {
    for (const result of [
      () => ToolResult.error(`It failed. ${text(500_000)}`),
      () => ToolResult.error('It failed.', text(500_000)),
      () => ToolResult.error('It failed.', { log: text(500_000) }),
    ]) {
      const record = await recordOf(result);
      expect(record).toMatchObject({
        reason: 'failed-result',
        message: expect.stringMatching(/^It failed\.[^]*Cut off: this failed result has 5\d{5} characters/),
      });
      expect(record?.modelText.length).toBeLessThan(5_000);
      expect(record?.value).toBeUndefined();
    }
  });
});

test.each(['', 'a'])(
  'a failure that is cut off after %j and smileys has no half of a character',
  async (start) => {
    const record = await recordOf(() => ToolResult.error(`${start}${'\u{1F600}'.repeat(250_000)}`));
    expect(record?.message).toMatch(/\u{1F600}… \[Cut off/u);
    expect(record?.modelText).not.toMatch(/\p{Cs}/u);
  },
);

describe('a result that the model may get', () => {
  test('may be a failure whose long value it does not get', async () => {
    const record = await recordOf(() =>
      ToolResult.error('It failed.', text(500_000), { excludeValueFromContext: true }),
    );
    expect(record).toMatchObject({ reason: 'failed-result', message: 'It failed.', modelText: 'It failed.' });
    expect(record?.value).toHaveLength(500_000);
  });

  test.each<[string, () => ToolResult<unknown>]>([
    ['just fits', () => ToolResult.ok(text(400_000), '')],
    [
      'is long, but not what the model gets',
      () => ToolResult.ok(text(500_000), 'Kept.', { excludeValueFromContext: true }),
    ],
  ])('%s', async (_how, result) => {
    expect(await recordOf(result)).toMatchObject({ outcome: 'committed' });
  });

  test('is as long as the run says, or the tool, whose word counts more', async () => {
    const long = (): ToolResult<unknown> => ToolResult.ok(text(1_000_000), '');
    const short = (): ToolResult<unknown> => ToolResult.ok(text(11), '');
    expect(await recordOf(long, {}, { limits: { maxResultCharacters: 1_000_000 } })).toMatchObject({
      outcome: 'committed',
    });
    expect(await recordOf(long, {}, { limits: { maxResultCharacters: Infinity } })).toMatchObject({
      outcome: 'committed',
    });
    expect(await recordOf(long, { maxResultCharacters: Infinity })).toMatchObject({ outcome: 'committed' });
    expect(await recordOf(short, {}, { limits: { maxResultCharacters: 10 } })).toMatchObject({
      reason: 'result-too-large',
    });
    expect(
      await recordOf(short, { maxResultCharacters: 11 }, { limits: { maxResultCharacters: 10 } }),
    ).toMatchObject({
      outcome: 'committed',
    });
    expect(
      await recordOf(long, { maxResultCharacters: 999_999 }, { limits: { maxResultCharacters: Infinity } }),
    ).toMatchObject({
      reason: 'result-too-large',
    });
  });

  test('is rendered once', async () => {
    let rendered = 0;
    const render = (): string => `for the ${(rendered += 1)}. time`;
    expect(await recordOf(() => ToolResult.ok(1), { render })).toMatchObject({ rendered: 'for the 1. time' });
  });
});

test('holds in the loops of others', async () => {
  const prompt = promptOf(() => ToolResult.ok(text(11), ''));
  await using runtime = await openToolRuntime(prompt, { limits: { maxResultCharacters: 10 } });
  const [answer] = await runtime.runCalls([{ callId: 'c1', name: 'fetch_it', arguments: {} }]);
  expect(answer).toMatchObject({ isError: true, invocation: { reason: 'result-too-large' } });
});

test.each([0, -1, 1.5, Number.NaN, -Infinity])('%s is no limit', async (maxResultCharacters) => {
  const result = (): ToolResult<unknown> => ToolResult.ok(null);
  expect(() => promptOf(result, { maxResultCharacters })).toThrow(
    expect.objectContaining({
      details: expect.objectContaining({ tool: 'fetch_it', placeholder: 'maxResultCharacters' }) as unknown,
    }),
  );
  await expect(recordOf(result, {}, { limits: { maxResultCharacters } })).rejects.toMatchObject({
    details: { option: 'limits.maxResultCharacters' },
  });
});

import { describe, expect, test } from 'vitest';
import {
  type EvaluateOptions,
  OutputParseError,
  PromptEvaluationError,
  promptTemplate,
  type RunEvent,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { type ModelRequest, providerAdapter } from 'weakincentives/provider';
import { type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { withoutPlaces } from '../../../../support/event-places.ts';

const sections = [section({ title: 'Task', key: 'task', template: 'Answer.' })] as const;
const Answer = z.object({ answer: z.string(), score: z.number().default(1) });
const withObject = promptTemplate({ ns: 'test', key: 'object', sections, output: Answer });
const withList = promptTemplate({ ns: 'test', key: 'list', sections, output: z.array(Answer) });

const outputOf = async (text: string): Promise<unknown> =>
  (await scriptedAdapter([{ text }]).evaluate(withObject.bind())).output;

describe('structured output', () => {
  test.each([
    ['plain', '{"answer": "42"}'],
    ['with blanks around it', '\n  {"answer": "42"}\n'],
    ['in a fenced block', 'Here it is:\n\n```json\n{"answer": "42"}\n```\nBye.'],
    ['in a fenced block without a tag', '```\n{"answer": "42"}\n```'],
    ['in an upper-case fence', '```JSON\r\n{"answer": "42"}\r\n```'],
    ['in the last of two blocks', '```json\n{"answer": "41"}\n```\n```json\n{"answer": "42"}\n```'],
    ['in the last sentence', 'At first {"answer": "41"}, but in the end {"answer": "42"}.'],
    ['in the block, not in the example', 'The form is {"answer": "x"}:\n```json\n{"answer": "42"}\n```'],
    ['in a block behind a broken one', '```json\n{"answer": 4\n```\nNo:\n```json\n{"answer": "42"}\n```'],
    ['beside a block of something else', '```\n$ ls\n```\nIt is {"answer": "42"}.'],
    ['in a block without end, with words', '```json\n{"answer": "42"}\nThat is it.'],
    ['before a block that does not fit', '```json\n{"answer": "42"}\n```\nFrom:\n```json\n{"asked": 6}\n```'],
    ['before other brackets', 'It is {"answer": "42"} ({as asked}, see [1]).'],
    ['behind many brackets', `${'{"question": 1} '.repeat(300)}{"answer": "42"}`],
    ['in a block that does not end', '```json\n{"answer": "42"}'],
    ['in a sentence', 'By [1] and {others} the answer is {"answer": "42"}, I think.'],
    ['in a sentence with brackets in its texts', 'Answer: {"answer": "42"} (not "}{")'],
    ['as the one of several that fits', 'Input: {"question": 1}. Output: {"answer": "42"}.'],
    ['in the block that fits', '```json\n{"question": 1}\n```\n```json\n{"answer": "42"}\n```'],
    ['behind a block of another language', '```ts\nconst x = 1;\n```\n```json\n{"answer": "42"}\n```'],
  ])('is read %s', async (_what, text) => {
    expect(await outputOf(text)).toEqual({ answer: '42', score: 1 });
  });

  test('may be a list', async () => {
    const response = await scriptedAdapter([
      { text: '[{"answer": "a"}, {"answer": "b", "score": 2}]' },
    ]).evaluate(withList.bind());
    expect(response.output).toEqual([
      { answer: 'a', score: 1 },
      { answer: 'b', score: 2 },
    ]);
    expect(response.text).toBe('[{"answer": "a"}, {"answer": "b", "score": 2}]');
  });

  test('tells the model its closed schema', async () => {
    const requests: ModelRequest[] = [];
    await providerAdapter({
      model: {
        name: 'recorder',
        generate: (request) => {
          requests.push(request);
          return { content: [{ type: 'text', text: '{"answer": "x"}' }], finishReason: 'stop' };
        },
      },
    }).evaluate(withObject.bind());
    expect(requests[0]?.outputSchema).toMatchObject({
      type: 'object',
      properties: { answer: { type: 'string' } },
      additionalProperties: false,
    });
  });

  test.each([
    ['no JSON at all', 'The answer is 42.', /It holds no JSON; a JSON object is asked for/],
    ['nothing', ' ', /It is empty where a JSON object is asked for/],
    ['broken JSON', '{"answer": ', /no JSON/],
    ['a fenced block with broken JSON', '```json\n{"answer": \n```', /no JSON/],
    [
      'an example before a broken block',
      'The form is {"answer": "x"}.\n```json\n{"answer": "42\n```',
      /no JSON that can be read: the JSON in its fenced block is broken/,
    ],
    ['an example before a block that breaks off', 'As {"answer": "x"}:\n```json\n{"answer": ', /is broken/],
    [
      'a block before a broken one',
      '```json\n{"answer": "x"}\n```\n```json\n{"answer": "42"\n```',
      /is broken/,
    ],
    [
      'an example before a block that does not fit',
      'As {"answer": "x"}:\n```\n{"answer": 42}\n```',
      /received 42/,
    ],
    [
      'an example before an object that breaks off',
      'As {"answer": "x"}: {"answer": "4',
      /begun and cannot be read/,
    ],
    [
      'several of which none fits',
      '{"answer": 1} or {"answer": 2}, see [1]',
      /answer: expected string, received 2/,
    ],
    ['brackets without end', '['.repeat(100_000), /no JSON/],
    ['a wrong type', '{"answer": 42}', /answer/],
    ['an unknown key', '{"answer": "42", "more": 1}', /more/],
    ['a list instead of an object', '[]', /schema/],
  ])('that is %s fails in phase parse, with OutputParseError as its cause', async (_what, text, message) => {
    const error: unknown = await scriptedAdapter([{ text, usage: { outputTokens: 7 } }])
      .evaluate(withObject.bind(), { input: 'Go.', limits: { maxOutputRepairs: 0 } })
      .catch((thrown: unknown) => thrown);
    if (!PromptEvaluationError.isInstance(error))
      throw new Error(`No PromptEvaluationError: ${String(error)}`);
    expect(error).toMatchObject({
      code: 'evaluation-output-invalid',
      phase: 'parse',
      promptName: 'object',
      usage: { outputTokens: 7 },
    });
    expect(OutputParseError.isInstance(error.cause)).toBe(true);
    expect(error.cause).toMatchObject({ details: { text } });
    expect(error.message).toMatch(message);
    // The answer is there for whoever wants to ask again.
    expect(error.conversation.map(({ type }) => type)).toEqual(['user', 'assistant']);
  });

  test('that an asynchronous check refuses fails in the same way', async () => {
    const picky = promptTemplate({
      ns: 'test',
      key: 'picky',
      sections,
      output: z.object({ answer: z.string().refine(async (text) => Promise.resolve(text === 'yes')) }),
    });
    await expect(
      scriptedAdapter([{ text: '{"answer": "no"}' }]).evaluate(picky.bind(), {
        limits: { maxOutputRepairs: 0 },
      }),
    ).rejects.toMatchObject({ phase: 'parse' });
    await expect(
      scriptedAdapter([{ text: '{"answer": "yes"}' }]).evaluate(picky.bind()),
    ).resolves.toMatchObject({
      output: { answer: 'yes' },
    });
  });
});

describe('an answer that cannot be read', () => {
  const wrong = { text: '{"answer": 42}' };
  const right = { text: '{"answer": "42"}' };

  async function run(turns: readonly ScriptedTurn[], options: EvaluateOptions = {}) {
    const events: RunEvent[] = [];
    const response = await scriptedAdapter(turns).evaluate(withObject.bind(), {
      input: 'Go.',
      observers: [{ onEvent: (event) => events.push(event) }],
      ...options,
    });
    return { response, repairs: events.filter((event) => event.type === 'output-rejected') };
  }

  test('is sent back with what is wrong, and the next one counts', async () => {
    const { response, repairs } = await run([
      { ...wrong, usage: { outputTokens: 5 } },
      { ...right, usage: { outputTokens: 6 } },
    ]);
    expect(response).toMatchObject({
      output: { answer: '42', score: 1 },
      text: right.text,
      usage: { outputTokens: 11 },
    });
    const problem = 'It does not fit the output schema.\nanswer: expected string, received 42';
    expect(withoutPlaces(repairs)).toEqual([{ type: 'output-rejected', turn: 1, repair: 1, problem }]);
    expect(response.conversation.slice(1)).toEqual([
      { type: 'assistant', content: [{ type: 'text', text: wrong.text }] },
      {
        type: 'user',
        content: [
          {
            type: 'text',
            text: `Your answer was not accepted. ${problem}\n\nAnswer again, with the whole JSON and nothing else.`,
          },
        ],
        source: 'runtime',
      },
      { type: 'assistant', content: [{ type: 'text', text: right.text }] },
    ]);
  });

  test('is sent back twice by default, as often as is said otherwise', async () => {
    expect((await run([wrong, wrong, right])).repairs.map(({ repair }) => repair)).toEqual([1, 2]);
    await expect(run([wrong, wrong, wrong, right])).rejects.toMatchObject({
      code: 'evaluation-output-invalid',
      phase: 'parse',
      cause: { details: { text: wrong.text } },
      conversation: { length: 6 },
    });
    await expect(run([wrong, right], { limits: { maxOutputRepairs: 0 } })).rejects.toMatchObject({
      phase: 'parse',
    });
    expect(
      (await run([wrong, wrong, wrong, right], { limits: { maxOutputRepairs: 3 } })).repairs,
    ).toHaveLength(3);
  });

  test('may be mended after further calls', async () => {
    const look = tool({
      name: 'look',
      description: 'Looks.',
      effects: 'read',
      execute: () => ToolResult.ok('42'),
    });
    const prompt = promptTemplate({
      ns: 'test',
      key: 'looking',
      sections: [section({ title: 'Task', key: 'task', template: 'Answer.', tools: [look] })],
      output: Answer,
    }).bind();
    const { output } = await scriptedAdapter([wrong, { toolCalls: [{ name: 'look' }] }, right]).evaluate(
      prompt,
    );
    expect(output).toEqual({ answer: '42', score: 1 });
  });

  test.each(['length', 'refusal', 'content-filter'] as const)(
    'is not sent back when it ended by %s',
    async (finishReason) => {
      await expect(run([{ text: 'I will', finishReason }, right])).rejects.toMatchObject({
        phase: 'parse',
        message: expect.stringContaining(`did not end its answer itself (${finishReason})`),
      });
    },
  );

  test('ends the run when there are no turns left, and counts them', async () => {
    await expect(run([wrong, right], { limits: { maxTurns: 1 } })).rejects.toMatchObject({
      code: 'evaluation-turns-exceeded',
      message: expect.stringContaining('its answers were incomplete'),
    });
  });

  test.each([-1, 1.5, Number.NaN])('cannot be sent back %s times', async (maxOutputRepairs) => {
    await expect(run([right], { limits: { maxOutputRepairs } })).rejects.toMatchObject({
      name: 'PromptValidationError',
      details: { option: 'limits.maxOutputRepairs' },
    });
  });
});

describe('an answer as a model writes it', () => {
  const Id = z.object({ id: z.union([z.string(), z.number()]), count: z.int().optional() });
  const withId = promptTemplate({ ns: 'test', key: 'id', sections, output: Id });

  test('has the digits of an integer that a number does not hold as text, where the schema takes text', async () => {
    const { output, text } = await scriptedAdapter([
      { text: 'It is ```json\n{"id": 9007199254740993}\n```' },
    ]).evaluate(withId.bind());
    expect([output, text]).toEqual([
      { id: '9007199254740993' },
      'It is ```json\n{"id": 9007199254740993}\n```',
    ]);
  });

  test('is corrected where the schema does not', async () => {
    const { output, conversation } = await scriptedAdapter([
      { text: '{"id":"1","count":9007199254740993}' },
      { text: '{"id":"1","count":2}' },
    ]).evaluate(withId.bind());
    expect(output).toEqual({ id: '1', count: 2 });
    expect(JSON.stringify(conversation)).toContain(
      'count: the integer 9007199254740993 would be rounded to 9007199254740992',
    );
  });

  test('may have null for what may be left out', async () => {
    const { output } = await scriptedAdapter([{ text: '{"id":"1","count":null}' }]).evaluate(withId.bind());
    expect(output).toEqual({ id: '1' });
  });
});

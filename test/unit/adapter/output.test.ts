import { describe, expect, test } from 'vitest';
import {
  defineAdapter,
  type ModelRequest,
  OutputParseError,
  PromptEvaluationError,
  promptTemplate,
  section,
} from 'weakincentives';
import { scriptedModel } from 'weakincentives/testing';
import { z } from 'zod';

const sections = [section({ title: 'Task', key: 'task', template: 'Answer.' })] as const;
const Answer = z.object({ answer: z.string(), score: z.number().default(1) });
const withObject = promptTemplate({ ns: 'test', key: 'object', sections, output: Answer });
const withList = promptTemplate({ ns: 'test', key: 'list', sections, output: z.array(Answer) });

const outputOf = async (text: string): Promise<unknown> =>
  (await scriptedModel([{ text }]).evaluate(withObject.bind())).output;

describe('structured output', () => {
  test.each([
    ['plain', '{"answer": "42"}'],
    ['with blanks around it', '\n  {"answer": "42"}\n'],
    ['in a fenced block', 'Here it is:\n\n```json\n{"answer": "42"}\n```\nBye.'],
    ['in a fenced block without a tag', '```\n{"answer": "42"}\n```'],
    ['in an upper-case fence', '```JSON\r\n{"answer": "42"}\r\n```'],
    ['in the first of two blocks', '```json\n{"answer": "42"}\n```\n```json\n{"answer": "43"}\n```'],
    ['behind a block of another language', '```ts\nconst x = 1;\n```\n```json\n{"answer": "42"}\n```'],
  ])('is read %s', async (_what, text) => {
    expect(await outputOf(text)).toEqual({ answer: '42', score: 1 });
  });

  test('may be a list', async () => {
    const response = await scriptedModel([
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
    await defineAdapter({
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
    ['no JSON at all', 'The answer is 42.', /no JSON/],
    ['nothing', '', /no JSON/],
    ['broken JSON', '{"answer": ', /no JSON/],
    ['a fenced block with broken JSON', '```json\n{"answer": \n```', /fenced block/],
    ['a block that does not end', '```json\n{"answer": "42"}', /no JSON/],
    ['a wrong type', '{"answer": 42}', /answer/],
    ['an unknown key', '{"answer": "42", "more": 1}', /more/],
    ['a list instead of an object', '[]', /schema/],
  ])('that is %s fails in phase parse, with OutputParseError as its cause', async (_what, text, message) => {
    const error: unknown = await scriptedModel([{ text, usage: { outputTokens: 7 } }])
      .evaluate(withObject.bind(), { input: 'Go.' })
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
    await expect(scriptedModel([{ text: '{"answer": "no"}' }]).evaluate(picky.bind())).rejects.toMatchObject({
      phase: 'parse',
    });
    await expect(
      scriptedModel([{ text: '{"answer": "yes"}' }]).evaluate(picky.bind()),
    ).resolves.toMatchObject({
      output: { answer: 'yes' },
    });
  });
});

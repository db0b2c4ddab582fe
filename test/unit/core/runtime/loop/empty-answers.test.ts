import { describe, expect, test } from 'vitest';
import {
  type AssistantPart,
  type EvaluateOptions,
  type FinishReason,
  hostedTool,
  promptTemplate,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { type ModelTurn, providerAdapter } from 'weakincentives/provider';
import { z } from 'zod';
import { evaluationFailure } from '../../../../support/failure.ts';

const tools = [
  tool({
    name: 'works',
    description: 'Works.',
    effects: 'read',
    execute: () => ToolResult.ok(null, 'Done.'),
  }),
  tool({ name: 'fails', description: 'Fails.', effects: 'read', execute: () => ToolResult.error('No.') }),
];
const draws = hostedTool({ kind: 'image_generation', name: 'draws', description: 'Draws.', config: {} });
const sections = [section({ title: 'Task', key: 'task', template: 'Do it.', tools, hostedTools: [draws] })];
const prompt = promptTemplate({ ns: 'test', key: 'empty', sections }).bind();
const counting = promptTemplate({
  ns: 'test',
  key: 'counting',
  sections,
  output: z.object({ count: z.number() }),
}).bind();

const thought: AssistantPart = { type: 'reasoning', text: 'Hm.' };
const said = (text: string): ModelTurn => ({ content: [{ type: 'text', text }], finishReason: 'stop' });
const nothing = (finishReason: FinishReason = 'stop', content: readonly AssistantPart[] = []): ModelTurn => ({
  content,
  finishReason,
});
const calling = (...names: readonly string[]): ModelTurn => ({
  content: names.map((name) => ({ type: 'tool-call', callId: name, name, arguments: '' })),
  finishReason: 'tool-calls',
});
const modelOf = (...turns: readonly ModelTurn[]) =>
  providerAdapter({
    model: { name: 'quiet', generate: ({ turn }) => turns[turn - 1] ?? said('More than the script has.') },
  });

describe('an answer that says nothing', () => {
  test.each<[string, readonly ModelTurn[], RegExp]>([
    ['no content', [nothing()], /neither text nor calls \(finish reason stop\)/],
    ['only reasoning', [nothing('stop', [thought])], /reasoning and no text/],
    ['only spaces', [said(' \n')], /neither text nor calls/],
    ['an end of another kind', [nothing('other')], /finish reason other/],
    ['calls that are not there', [nothing('tool-calls')], /finish reason tool-calls/],
    ['the limit on the length', [nothing('length', [thought])], /raise maxOutputTokens/],
    ['a call that failed before it', [calling('fails'), nothing()], /neither text nor calls/],
    ['a pause before it', [nothing('paused'), nothing()], /neither text nor calls/],
  ])('%s: ends the run in phase response', async (_what, turns, message) => {
    for (const streaming of [false, true]) {
      const error = await evaluationFailure(modelOf(...turns).evaluate(prompt, { streaming }));
      expect(error).toMatchObject({
        code: 'evaluation-response-invalid',
        phase: 'response',
        cause: { name: 'ModelResponseError', code: 'model-response-empty' },
      });
      expect(error.message).toMatch(message);
      expect(error.conversation).toHaveLength(
        turns.length + (turns[0]?.finishReason === 'tool-calls' ? turns[0].content.length : 0),
      );
    }
  });

  test.each<[string, readonly ModelTurn[], string]>([
    ['right after a call that succeeded', [calling('works'), nothing()], 'stop'],
    ['after calls of which one succeeded', [calling('works', 'fails'), nothing('stop', [thought])], 'stop'],
    ['of a model that refused', [nothing('refusal')], 'refusal'],
    ['that a filter took away', [nothing('content-filter')], 'content-filter'],
    ['with files that the model made', [{ ...nothing(), hasFiles: true }], 'stop'],
    [
      'with what a hosted tool came to',
      [
        {
          ...nothing(),
          hosted: [{ toolName: 'draws', invocations: [{ status: 'completed' }], citations: [] }],
        },
      ],
      'stop',
    ],
  ])('%s is one all the same', async (_what, turns, finishReason) => {
    expect(await modelOf(...turns).evaluate(prompt)).toMatchObject({ text: '', finishReason });
  });

  test('is what was said before a pause', async () => {
    const turns = [{ ...said('All of it.'), finishReason: 'paused' } as const, nothing()];
    expect(await modelOf(...turns).evaluate(prompt)).toMatchObject({ text: 'All of it.' });
  });

  test('is asked for again where a structured answer is wanted, also after calls, and then an error', async () => {
    const empty = [calling('works'), nothing(), nothing(), nothing('stop', [thought])];
    const error = await evaluationFailure(modelOf(...empty).evaluate(counting));
    expect(error).toMatchObject({ phase: 'response', cause: { code: 'model-response-empty' } });
    expect(error.conversation.filter(({ type }) => type === 'user')).toHaveLength(2);
    const late = await modelOf(nothing(), said('{"count":3}')).evaluate(counting);
    expect(late.output).toEqual({ count: 3 });
  });

  test('is for the checker to judge where there is one', async () => {
    const checker: NonNullable<EvaluateOptions['completion']> = {
      name: 'said-something',
      check: ({ text }) =>
        text === '' ? { outcome: 'incomplete', feedback: 'Say it.' } : { outcome: 'complete' },
    };
    expect(await modelOf(nothing(), said('It.')).evaluate(prompt, { completion: checker })).toMatchObject({
      text: 'It.',
    });
  });
});

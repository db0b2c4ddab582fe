import { describe, expect, it } from 'vitest';
import {
  type JsonValue,
  openToolRuntime,
  type ProviderAdapter,
  promptTemplate,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { aiSdk, aiSdkDialect, toAiSdkTools } from 'weakincentives/ai-sdk';
import { anthropic, anthropicDialect } from 'weakincentives/anthropic';
import { openai, openaiDialect } from 'weakincentives/openai';
import { providerAdapter, type SchemaDialect } from 'weakincentives/provider';
import { z } from 'zod';
import { answeringModel, call, text as textPart } from '../../../../support/ai-sdk-models.ts';
import { message, text, toolUse } from '../../../../support/anthropic-messages.ts';
import { answering } from '../../../../support/anthropic-stream.ts';
import { capturingFetch } from '../../../../support/captured-requests.ts';
import { functionCall, message as openaiMessage, response } from '../../../../support/openai-responses.ts';
import { inEitherMode } from '../../../../support/openai-stream.ts';
import { readBack } from '../../../../support/read-back.ts';

const inner = z.object({ at: z.string(), note: z.string().optional() });
const input = z.object({
  path: z.string(),
  limit: z.number().optional(),
  mode: z.enum(['a', 'b']).default('a'),
  label: z.string().nullable().optional(),
  any: z.unknown().optional(),
  more: z.array(inner).optional(),
});
const output = z.object({ answer: z.string(), why: z.string().optional() });
const written = {
  path: 'x',
  limit: null,
  mode: null,
  label: null,
  any: null,
  more: [{ at: 'y', note: null }],
};
const meant = { path: 'x', mode: 'a', label: null, any: null, more: [{ at: 'y' }] };

/** A prompt whose tool keeps what it is given. */
function keeping() {
  const seen: unknown[] = [];
  const take = tool({
    name: 'take',
    description: 'Takes.',
    effects: 'read',
    inputSchema: input,
    execute: (params) => {
      seen.push(params);
      return ToolResult.ok(null, 'Taken.');
    },
  });
  const template = promptTemplate({
    ns: 'test',
    key: 'nulls',
    output,
    sections: [section({ title: 'Task', key: 'task', template: 'Do it.', tools: [take] })],
  });
  return { prompt: template.bind(), seen };
}

const answerText = JSON.stringify({ answer: 'Yes.', why: null });
const adapters: readonly (readonly [string, () => ProviderAdapter])[] = [
  [
    'openai',
    () => {
      const answers = [response([functionCall('c', 'take', written)]), response([openaiMessage(answerText)])];
      const { fetch } = capturingFetch(...answers.map((one) => inEitherMode(one)));
      return openai({ model: 'gpt-5', apiKey: 'key', fetch });
    },
  ],
  [
    'anthropic',
    () => {
      const answers = [message([toolUse('c', 'take', written)]), message([text(answerText)])];
      const { fetch } = capturingFetch(...answers.map((one) => answering(one)));
      return anthropic({ model: 'm', apiKey: 'key', fetch });
    },
  ],
  [
    'aiSdk',
    () =>
      aiSdk({
        model: answeringModel('v4', [
          { content: [call('c', 'take', written)] },
          { content: [textPart(answerText)] },
        ]).model,
      }),
  ],
];

describe.each(adapters)('null for what may be left out, from a model of %s', (_name, create) => {
  it.each([false, true])('costs no turn; streaming: %s', async (streaming) => {
    const { prompt, seen } = keeping();
    const { output: answer, conversation } = await create().evaluate(prompt, { streaming });
    expect(seen).toEqual([meant]);
    expect(answer).toEqual({ answer: 'Yes.' });
    expect(conversation.filter(({ type }) => type === 'assistant')).toHaveLength(2);
  });
});

it('costs no step of a loop of the AI SDK', async () => {
  const { prompt, seen } = keeping();
  await using runtime = await openToolRuntime(prompt);
  await toAiSdkTools(runtime)['take']?.execute(written, { toolCallId: 'c' });
  expect(seen).toEqual([meant]);
});

const dialects: readonly SchemaDialect[] = [openaiDialect, anthropicDialect, aiSdkDialect];

describe.each(dialects.map((dialect) => [dialect.provider, dialect] as const))(
  'a value for %s',
  (_n, dialect) => {
    it.each<[string, object, JsonValue, JsonValue]>([
      [
        'a map of objects',
        { type: 'object', additionalProperties: shape() },
        { k: { a: 'x', b: null } },
        { k: { a: 'x' } },
      ],
      [
        'the alternative that it fits',
        {
          type: 'object',
          properties: { one: { anyOf: [shape('kind', 'p'), shape('kind', 'q')] } },
          required: ['one'],
          additionalProperties: false,
        },
        { one: { a: 'x', b: null, kind: 'q' } },
        { one: { a: 'x', kind: 'q' } },
      ],
      [
        'a schema that contains itself',
        {
          type: 'object',
          properties: { next: { $ref: '#' }, b: { type: 'string' } },
          additionalProperties: false,
        },
        { next: { next: null, b: null }, b: 'x' },
        { next: {}, b: 'x' },
      ],
      [
        'a required null',
        {
          type: 'object',
          properties: { a: { type: 'string' } },
          required: ['a'],
          additionalProperties: false,
        },
        { a: null },
        { a: null },
      ],
      [
        'conditions',
        { ...shape(), if: { required: ['b'] }, then: { required: ['c'] } },
        { a: 'x', b: null },
        { a: 'x' },
      ],
    ])('loses its nulls in %s', (_name, schema, value, expected) => {
      expect(readBack(schema as never, dialect).restore(value)).toEqual(expected);
    });
  },
);

/** An object with one property that may be left out, and one with a fixed value where that is given. */
function shape(key?: string, value?: string): object {
  const fixed = key === undefined ? {} : { [key]: { type: 'string', const: value } };
  return {
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'string' }, ...fixed },
    required: ['a', ...(key === undefined ? [] : [key])],
    additionalProperties: false,
  };
}

it('is no matter for adapters of your own', async () => {
  const { prompt, seen } = keeping();
  const adapter = providerAdapter({
    model: {
      name: 'own',
      generate: ({ turn }) =>
        turn === 1
          ? {
              finishReason: 'tool-calls',
              content: [{ type: 'tool-call', callId: 'c', name: 'take', arguments: JSON.stringify(written) }],
            }
          : { finishReason: 'stop', content: [{ type: 'text', text: '{"answer":"Yes.","why":null}' }] },
    },
  });
  expect((await adapter.evaluate(prompt)).output).toEqual({ answer: 'Yes.' });
  expect(seen).toEqual([meant]);
});

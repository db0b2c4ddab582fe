import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  defineEvent,
  defineSlice,
  jsonSchema,
  promptTemplate,
  Session,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { runSections, sectionsPrompt } from '../../../../../support/sections.ts';

const shapes = {
  valibot: toStandardJsonSchema(v.object({ pair: v.tuple([v.string(), v.number()]) })),
  raw: jsonSchema<{ pair: readonly [string, number] }>({
    type: 'object',
    properties: {
      pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], minItems: 2 },
    },
    required: ['pair'],
  }),
};
/** More than the type says, as a handler in plain JavaScript returns it. */
const overlong = { pair: ['a', 1, 'lost'] } as unknown as { pair: [string, number] };
const refusal = 'pair[2]: unknown item; the list ends after 2 items';

describe.each(Object.entries(shapes))('an item behind the end of a tuple, with %s', (_library, schema) => {
  it('fails the call that returns it; nothing is committed', async () => {
    const find = tool({
      name: 'find',
      description: 'Finds.',
      inputSchema: jsonSchema<object>({ type: 'object', properties: {} }),
      outputSchema: schema,
      execute: () => ToolResult.ok(overlong),
    });
    const Found = defineSlice({
      name: 'test.found',
      schema: jsonSchema<object>({ type: 'object', additionalProperties: true }),

      reducers: (on) => [on(find.succeeded, (items, { value }) => items.append(value as object))],
    });
    const part = section({ title: 'Part', key: 'part', tools: [find], slices: [Found] });
    const run = await runSections(sectionsPrompt([part]), [{ toolCalls: [{ name: 'find' }] }]);
    expect(run.texts[0]).toContain(refusal);
    expect(run.invocations[0]).toMatchObject({ outcome: 'rolled-back' });
    expect(run.session.slice(Found).length).toBe(0);
  });

  it('is refused in arguments, and the handler does not run', async () => {
    const seen: unknown[] = [];
    const take = tool({
      name: 'take',
      description: 'Takes.',
      inputSchema: schema,
      execute: (params) => ToolResult.ok(seen.push(params)),
    });
    const part = section({ title: 'Part', key: 'part', tools: [take] });
    const call = { name: 'take', arguments: overlong };
    const { texts } = await runSections(sectionsPrompt([part]), [{ toolCalls: [call] }]);
    expect(texts[0]).toContain(refusal);
    expect(seen).toEqual([]);
  });

  it('is sent back in a structured answer', async () => {
    const prompt = promptTemplate({ ns: 'test', key: 'pair', sections: [], output: schema }).bind();
    const answers = [{ text: JSON.stringify(overlong) }, { text: '{"pair":["a",1]}' }];
    const { output, conversation } = await scriptedAdapter(answers).evaluate(prompt);
    expect(output).toEqual({ pair: ['a', 1] });
    expect(JSON.stringify(conversation)).toContain(refusal);
  });

  it('is refused in events and slices', () => {
    const session = new Session();
    const Made = defineEvent({ name: 'test.made', schema });
    const Pairs = defineSlice({
      name: 'test.pairs',
      schema,
      reducers: (on) => [on(Made, (items, pair) => items.append(pair))],
    });
    session.install(Pairs);
    expect(() => session.dispatch(Made, overlong)).toThrow(refusal);
    expect(() => session.slice(Pairs).append(overlong)).toThrow(refusal);
    expect(session.slice(Pairs).length).toBe(0);
  });
});

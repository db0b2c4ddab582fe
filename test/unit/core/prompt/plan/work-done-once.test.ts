import { describe, expect, it } from 'vitest';
import {
  extendSection,
  type PromptOverrides,
  parseOverrides,
  promptTemplate,
  type Schema,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

/** A schema that counts how often its library is asked for the JSON Schema of either side. */
function counted<Input, Output>(schema: Schema<Input, Output>) {
  const counts = { input: 0, output: 0 };
  const standard = schema['~standard'];
  const made: Schema<Input, Output> = {
    '~standard': {
      ...standard,
      jsonSchema: {
        input: (options) => {
          counts.input += 1;
          return standard.jsonSchema.input(options);
        },
        output: (options) => {
          counts.output += 1;
          return standard.jsonSchema.output(options);
        },
      },
    },
  };
  return { schema: made, counts };
}

const params = counted(z.object({ city: z.string(), nights: z.number().default(1) }));
const input = counted(z.object({ city: z.string().describe('Where to.') }));
const output = counted(z.object({ found: z.number() }));
const answer = counted(z.object({ choice: z.string() }));
const all = [params, input, output, answer];

const search = tool({
  name: 'search',
  description: 'Finds hotels.',
  inputSchema: input.schema,
  outputSchema: output.schema,
  examples: [{ description: 'One.', input: { city: 'Rome' }, output: { found: 2 } }],
  execute: () => ToolResult.ok({ found: 1 }),
});
const trip = section({
  title: 'Trip',
  key: 'trip',
  params: params.schema,
  template: 'To $city for $nights.',
  summary: 'To $city.',
  tools: [search],
});
const first = promptTemplate({ ns: 'a', key: 'first', sections: [trip], output: answer.schema });
const second = promptTemplate({
  ns: 'a',
  key: 'second',
  sections: [section({ title: 'Top', key: 'top', children: [extendSection(trip, { key: 'other' })] })],
  output: answer.schema,
});
const prompts = [first.bind({ city: 'Rome' }), second.bind({ city: 'Oslo' })];

function edited(overrides: PromptOverrides): PromptOverrides {
  const draft = JSON.parse(JSON.stringify(overrides));
  draft.tools.search.params.city.text = 'Which city.';
  draft.tools.search.description.text = 'Looks for hotels.';
  return parseOverrides(draft);
}

describe('schemas', () => {
  it('are converted to JSON Schema once for any use of their prompts', async () => {
    for (const prompt of prompts) {
      for (const overrides of [edited(prompt.seedOverrides()), edited(prompt.seedOverrides())]) {
        const [one, two] = [await prompt.render({ overrides }), await prompt.with({}).render({ overrides })];
        expect(two.text).toBe(one.text);
        expect(one.toolParamDescriptions['search']?.['city']?.description).toBe('Which city.');
        expect(one.droppedOverrides).toEqual([]);
        prompt.tools({ overrides });
        await scriptedAdapter([
          { toolCalls: [{ name: 'search', arguments: { city: 'Rome' } }] },
          { text: 'Not yet.' },
          { text: '{"choice": "Ritz"}' },
        ]).evaluate(prompt, { overrides: { store: { load: async () => Promise.resolve(overrides) } } });
      }
    }
    for (const { counts } of all) {
      expect(counts.input).toBe(1);
      expect(counts.output).toBeLessThanOrEqual(1);
    }
  });
});

describe('hashes', () => {
  it('are computed once per template', async () => {
    const [one, two] = prompts.map((prompt) => prompt.descriptor);
    for (const prompt of prompts) {
      expect((await prompt.render()).descriptor).toBe(prompt.descriptor);
      expect(prompt.with({ nights: 2 }).descriptor).toBe(prompt.descriptor);
    }
    expect(two?.tools[0]).toMatchObject({ name: 'search', sectionPath: 'top.other' });
    expect(two?.tools[0]?.params).toEqual(one?.tools[0]?.params);
  });

  it('are computed again only for overridden text', async () => {
    const [prompt] = prompts;
    if (prompt === undefined) throw new Error('There is a first prompt.');
    const draft = JSON.parse(JSON.stringify(prompt.seedOverrides()));
    draft.sections.trip.body.text = 'Go to $city.';
    const { descriptor } = await prompt.render({ overrides: parseOverrides(draft) });
    expect(descriptor.sections[0]?.body).not.toBe(prompt.descriptor.sections[0]?.body);
    expect(descriptor.tools[0]).toBe(prompt.descriptor.tools[0]);
  });
});

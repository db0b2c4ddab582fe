import { type } from 'arktype';
import { describe, expect, it } from 'vitest';
import { jsonSchema, looseSchema, promptTemplate, type Schema, section } from 'weakincentives';
import { providerAdapter } from 'weakincentives/provider';
import { z } from 'zod';

const sections = [section({ title: 'Task', key: 'task', template: 'Name a prime.' })];
const Prime = z.object({ prime: z.number().int().describe('The prime.'), note: z.string().default('none') });
const prompt = promptTemplate({ ns: 'test', key: 'answer', sections, output: Prime }).bind();

function promptOf(output: Schema): typeof prompt {
  // Only the text of the prompt is looked at.
  return promptTemplate({ ns: 'test', key: 'answer', sections, output }).bind() as typeof prompt;
}

/** The answer instructions of a model that answers `text`. */
async function askModel(model: { readonly takesOutputSchema?: boolean }, text: string, of = prompt) {
  const instructions: string[] = [];
  const schemas: unknown[] = [];
  const { output } = await providerAdapter({
    model: {
      name: 'recorder',
      ...model,
      generate: (request) => {
        instructions.push(request.instructions);
        schemas.push(request.outputSchema);
        return { content: [{ type: 'text', text }], finishReason: 'stop' };
      },
    },
  }).evaluate(of);
  return { output, instructions: instructions[0], schema: schemas[0] };
}

describe('a structured answer', () => {
  it('is requested after the sections, with a schema that closes its objects', async () => {
    const { text, output } = await prompt.render();
    const [before, json, after] = text.split(/\n```json\n|\n```$/);
    expect(before).toBe(
      '## 1. Task (task)\n\nName a prime.\n\n## Answer format\n\n' +
        'Your last message must be one JSON object and nothing else: no text before or after it, no code fence. ' +
        'It must fit this JSON Schema:\n',
    );
    expect(JSON.parse(json ?? '')).toEqual(output?.compiled.inputJsonSchema);
    expect(JSON.parse(json ?? '')).toMatchObject({
      properties: { prime: { description: 'The prime.' }, note: { default: 'none' } },
      required: ['prime'],
      additionalProperties: false,
    });
    expect(after).toBe('');
  });

  it('may be a list, and may be the only content', async () => {
    const output = z.array(z.object({ prime: z.number() }));
    expect((await promptOf(output).render()).text).toMatch(/must be one JSON array and .*"type":"array"/s);
    const alone = promptTemplate({ ns: 'test', key: 'answer', sections: [], output }).bind();
    expect((await alone.render()).text).toMatch(/^## Answer format\n/);
  });

  it('is not requested in the prompt when the wire has a field for it, or when the answer is text', async () => {
    const plain = '## 1. Task (task)\n\nName a prime.';
    expect((await prompt.render({ outputSchemaOnWire: true })).text).toBe(plain);
    expect((await promptTemplate({ ns: 'test', key: 'text', sections }).bind().render()).text).toBe(plain);
  });

  it('is described to a model once: in the prompt, or in the schema field', async () => {
    const rendered = await prompt.render();
    const inWords = await askModel({}, 'Sure:\n```json\n{"prime": 7}\n```');
    expect(inWords).toMatchObject({ instructions: rendered.text, output: { prime: 7, note: 'none' } });
    expect(inWords.schema).toEqual(rendered.output?.compiled.inputJsonSchema);
    const native = await askModel({ takesOutputSchema: true }, '{"prime": 7}');
    expect(native).toEqual({ ...inWords, instructions: '## 1. Task (task)\n\nName a prime.' });
  });

  it.each([
    ['Zod', Prime, looseSchema(Prime), z.looseObject({ prime: z.number() })],
    ['ArkType', type({ prime: 'number' }), looseSchema(type({ prime: 'number' })), undefined],
    [
      'raw JSON Schema',
      jsonSchema({ type: 'object', properties: { prime: { type: 'number' } } }),
      jsonSchema({ type: 'object', properties: { prime: { type: 'number' } }, additionalProperties: true }),
      undefined,
    ],
  ])('takes unknown keys only where its schema is open: %s', async (_library, closed, opened, loose) => {
    const text = '{"prime": 7, "why": "odd"}';
    await expect(askModel({}, text, promptOf(closed))).rejects.toMatchObject({
      phase: 'parse',
      message: expect.stringContaining('why'),
    });
    for (const schema of [opened, ...(loose === undefined ? [] : [loose])]) {
      const { output, instructions } = await askModel({}, text, promptOf(schema));
      expect(output).toMatchObject({ prime: 7 });
      expect(instructions).not.toContain('"additionalProperties":false');
    }
  });
});

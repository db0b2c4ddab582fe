import { toStrictJsonSchema } from 'openai/lib/transform';
import { describe, expect, it } from 'vitest';
import { type JsonSchema, type JsonValue, jsonSchema, tool } from 'weakincentives';
import { openaiDialect } from 'weakincentives/openai';
import { z } from 'zod';
import { readBack } from '../../../support/read-back.ts';

const toStrictSchema = (schema: JsonSchema) => readBack(schema, openaiDialect);
const closed = (
  properties: JsonSchema,
  required: readonly string[] = Object.keys(properties),
): JsonSchema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const text: JsonSchema = { type: 'string' };
const one = (property: JsonSchema, required = true): JsonSchema =>
  closed({ it: property }, required ? ['it'] : []);

/** What the schema of one required property becomes. */
function projected(property: JsonSchema): JsonValue | undefined {
  const { schema, strict } = toStrictSchema(one(property));
  expect(strict).toBe(true);
  // The vendor's own rules agree, and find nothing left to do.
  expect(toStrictJsonSchema(structuredClone(schema) as never)).toEqual(schema);
  return (schema['properties'] as JsonSchema)['it'];
}

function losses(property: JsonSchema): readonly string[] {
  const { losses: found } = toStrictSchema(one(property));
  return found.map(({ path, keyword }) => `${path} ${keyword}`);
}

describe('what the strict subset knows', () => {
  it.each<[string, JsonSchema]>([
    [
      'a text with limits',
      { type: 'string', minLength: 1, maxLength: 9, pattern: '^[a-z]+$', format: 'date' },
    ],
    ['a number with limits', { type: 'number', minimum: 0, exclusiveMaximum: 9, multipleOf: 0.5 }],
    ['a list with limits', { type: 'array', items: text, minItems: 1, maxItems: 3 }],
    ['fixed values', { type: 'string', enum: ['a', 'b'] }],
    ['one fixed value', { type: 'string', const: 'a' }],
    ['several types', { type: ['string', 'number'] }],
    ['alternatives', { anyOf: [text, { type: 'integer' }] }],
    ['an object', closed({ a: text, b: { type: 'boolean' } })],
    ['an object without keys', closed({})],
    ['words', { type: 'string', title: 'T', description: 'D', examples: ['e'] }],
  ])('stays: %s', (_name, property) => {
    expect(projected(property)).toEqual(property);
    expect(losses(property)).toEqual([]);
  });

  it('keeps a recursive schema, by a definition and by the root', () => {
    const node = closed({ name: text, children: { type: 'array', items: { $ref: '#/$defs/node' } } });
    const byDefinition = toStrictSchema({ ...one({ $ref: '#/$defs/node' }), $defs: { node, unused: {} } });
    expect(byDefinition.schema).toEqual({ ...one({ $ref: '#/$defs/node' }), $defs: { node } });
    const root = closed({ next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } });
    const byRoot = toStrictSchema(root);
    expect(byRoot.schema).toEqual(root);
    for (const { schema, strict } of [byDefinition, byRoot]) {
      expect(strict).toBe(true);
      expect(() => toStrictJsonSchema(structuredClone(schema) as never)).not.toThrow();
    }
  });
});

describe('what is written in another way', () => {
  it.each<[string, JsonSchema, JsonSchema]>([
    ['fixed values get their type', { enum: ['a', 1] }, { type: ['string', 'number'], enum: ['a', 1] }],
    ['an intersection of one', { allOf: [text], description: 'D' }, { type: 'string', description: 'D' }],
    [
      'a union of objects told apart by a fixed value',
      { oneOf: [closed({ kind: { const: 'a' } }), closed({ kind: { const: 'b' } })] },
      {
        anyOf: [
          closed({ kind: { type: 'string', const: 'a' } }),
          closed({ kind: { type: 'string', const: 'b' } }),
        ],
      },
    ],
    ['a default is told', { type: 'integer', default: 5 }, { type: 'integer', description: 'Default: 5.' }],
  ])('%s, without a loss', (_name, property, expected) => {
    expect(projected(property)).toEqual(expected);
    expect(losses(property)).toEqual([]);
  });

  it('puts a described reference into a union of one', () => {
    const schema = { ...one({ $ref: '#/$defs/name', description: 'D' }), $defs: { name: text } };
    expect(toStrictSchema(schema).schema).toEqual({
      ...one({ description: 'D', anyOf: [{ $ref: '#/$defs/name' }] }),
      $defs: { name: text },
    });
  });

  it('writes a referred part and what stands beside it as one', () => {
    const schema = { ...one({ $ref: '#/$defs/name', maxLength: 3 }), $defs: { name: text } };
    expect(toStrictSchema(schema).schema).toEqual(one({ type: 'string', maxLength: 3 }));
  });
});

describe('constraints that the subset does not know', () => {
  it.each<[string, JsonSchema]>([
    ['uniqueItems', { type: 'array', items: text, uniqueItems: true }],
    ['contains', { type: 'array', items: text, contains: { const: 'a' } }],
    ['format', { type: 'string', format: 'uri' }],
    ['pattern', { type: 'string', pattern: '^(?!a)' }],
    ['pattern', { type: 'string', pattern: '^(a)\\1$' }],
    ['not', { type: 'string', not: { const: 'a' } }],
    ['minProperties', { ...closed({ a: text }), minProperties: 1 }],
    ['dependentRequired', { ...closed({ a: text, b: text }, []), dependentRequired: { a: ['b'] } }],
  ])('%s is told in the description and reported', (keyword, property) => {
    const result = projected(property) as JsonSchema;
    expect(result[keyword]).toBeUndefined();
    expect(result['description']).toBe(`Must satisfy ${keyword}: ${JSON.stringify(property[keyword])}.`);
    expect(losses(property)).toEqual([`/properties/it ${keyword}`]);
  });

  it.each<[string, readonly JsonSchema[]]>([
    ['texts', [text, { type: 'string', maxLength: 3 }]],
    [
      'objects with one fixed value',
      ['a', 'a'].map((kind) => closed({ kind: { type: 'string', const: kind } })),
    ],
    [
      'objects that need not say which they are',
      ['a', 'b'].map((kind) => closed({ kind: { type: 'string', const: kind } }, [])),
    ],
  ])('reports that only one member of a union may fit: %s', (_name, oneOf) => {
    expect(projected({ oneOf })).toMatchObject({ anyOf: oneOf.map(({ type }) => ({ type })) });
    expect(losses({ oneOf })).toEqual(['/properties/it oneOf']);
  });

  it('are told one after the other, cut where they are long', () => {
    const pattern = `(?!${'x'.repeat(300)})`;
    const property = { type: 'string', format: 'uri', pattern, description: 'Where.' };
    const { description } = projected(property) as { readonly description: string };
    expect(description).toMatch(/^Where\. Must satisfy format: "uri"\. Must satisfy pattern: "\(\?!x+…\.$/);
    expect(description.length).toBeLessThan(300);
  });
});

describe('shapes that the subset does not know', () => {
  it.each<[string, string, JsonSchema]>([
    ['free keys', 'additionalProperties', { type: 'object', additionalProperties: text }],
    ['any keys', 'additionalProperties', { type: 'object', additionalProperties: true }],
    ['an object that names no keys', 'additionalProperties', { type: 'object' }],
    ['patterns of keys', 'patternProperties', { ...closed({}), patternProperties: { '^x': text } }],
    ['a tuple', 'prefixItems', { type: 'array', prefixItems: [text, text], items: false }],
    ['a list of anything', 'type', { type: 'array' }],
    ['anything', 'type', {}],
    ['objects that extend each other', 'allOf', { allOf: [closed({ a: text }), closed({ b: text })] }],
    ['parts that contradict', 'allOf', { allOf: [{ type: 'string', maxLength: 3 }, { maxLength: 5 }] }],
    ['alternatives beside keys', 'anyOf', { ...closed({ a: text }), anyOf: [{ required: ['a'] }] }],
    ['a reference to nothing', '$ref', { $ref: '#/$defs/none' }],
    [
      'keys that depend on others',
      'unevaluatedProperties',
      { type: 'object', properties: { a: text }, if: { required: ['a'] }, unevaluatedProperties: false },
    ],
  ])('%s: the schema is sent as it is, not strict', (_name, keyword, property) => {
    const source = one(property);
    const result = toStrictSchema(source);
    expect(result.strict).toBe(false);
    expect(result.schema).toEqual(source);
    expect(result.losses.map(({ path, keyword: lost }) => [path, lost])).toContainEqual([
      expect.stringMatching(/^\/properties\/it/),
      keyword,
    ]);
    // No word about a constraint: the schema still holds all of them.
    expect(result.isWrapped).toBe(false);
  });

  it('keeps within the published limits', () => {
    let deep: JsonSchema = text;
    for (let level = 0; level < 11; level += 1) deep = one(deep);
    const wide = closed(Object.fromEntries(Array.from({ length: 5_001 }, (_, index) => [`p${index}`, text])));
    const many = one({ enum: Array.from({ length: 1_001 }, (_, index) => index) });
    for (const schema of [deep, wide, many]) expect(toStrictSchema(schema).strict).toBe(false);
    expect(toStrictSchema((deep['properties'] as { it: JsonSchema }).it).strict).toBe(true);
  });

  it('ends for a schema that refers to itself in many described places', () => {
    const reference = { $ref: '#/$defs/n', maxProperties: 9 };
    const node = closed(Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, reference])));
    const source = { ...one({ $ref: '#/$defs/n' }), $defs: { n: node } };
    const result = toStrictSchema(source);
    expect(result.strict).toBe(false);
    // The definitions go along, and the report does not grow with the schema.
    expect(result.schema).toEqual(source);
    expect(result.losses.length).toBeLessThanOrEqual(20);
  });
});

describe('roots that are no plain object', () => {
  const union = { anyOf: [closed({ a: text }), closed({ b: text })] };

  it('are put into an object, and values are taken out again', () => {
    const { schema, strict, restore } = toStrictSchema(union);
    expect(strict).toBe(true);
    expect(schema).toEqual(closed({ value: union }));
    expect(restore({ value: { a: 'x' } })).toEqual({ a: 'x' });
    // A model that leaves the wrapping out means the same.
    expect(restore({ a: 'x' })).toEqual({ a: 'x' });
  });

  it('are put into an object when they cannot be strict, with references that lead where they did', () => {
    const { schema, strict, restore } = toStrictSchema({
      type: 'array',
      items: { anyOf: [{ $ref: '#' }, { $ref: '#/$defs/any' }] },
      $defs: { any: {} },
    });
    expect(strict).toBe(false);
    expect(schema).toEqual({
      ...closed({
        value: { type: 'array', items: { anyOf: [{ $ref: '#/properties/value' }, { $ref: '#/$defs/any' }] } },
      }),
      $defs: { any: {} },
    });
    expect(restore({ value: [1] })).toEqual([1]);
  });

  it('are resolved when they refer to an object', () => {
    const node = closed({ next: { $ref: '#/$defs/node' } }, []);
    const { schema, strict } = toStrictSchema({ $ref: '#/$defs/node', $defs: { node } });
    expect(strict).toBe(true);
    expect(schema['type']).toBe('object');
    expect(() => toStrictJsonSchema(structuredClone(schema) as never)).not.toThrow();
  });
});

describe('optional properties', () => {
  it.each<[string, JsonSchema, JsonSchema]>([
    ['text', text, { type: ['string', 'null'] }],
    ['fixed values', { type: 'string', enum: ['a'] }, { type: ['string', 'null'], enum: ['a', null] }],
    ['one fixed value', { const: 'a' }, { type: ['string', 'null'], enum: ['a', null] }],
    ['alternatives', { anyOf: [text] }, { anyOf: [text, { type: 'null' }] }],
  ])('become required and nullable: %s', (_name, property, expected) => {
    const { schema, restore } = toStrictSchema(one(property, false));
    expect(schema).toEqual(one({ ...expected, description: 'null: not given.' }));
    expect(() => toStrictJsonSchema(structuredClone(schema) as never)).not.toThrow();
    expect(restore({ it: null })).toEqual({});
    expect(restore({ it: 'a' })).toEqual({ it: 'a' });
  });

  it('tell their default, and that null leaves them out', () => {
    const { schema } = toStrictSchema(one({ type: 'integer', default: 5, description: 'Count.' }, false));
    expect(schema['properties']).toEqual({
      it: { type: ['integer', 'null'], description: 'Count. Default: 5. null: not given.' },
    });
  });

  it('keep a null that means something', () => {
    const nullable = { type: ['string', 'null'] };
    for (const property of [nullable, { anyOf: [text, { type: 'null' }] }, { enum: ['a', null] }]) {
      const { restore, schema } = toStrictSchema(one(property, false));
      expect(schema['required']).toEqual(['it']);
      expect(restore({ it: null })).toEqual({ it: null });
    }
    expect(toStrictSchema(one(nullable)).restore({ it: null })).toEqual({ it: null });
  });

  it('are found at every depth: lists, unions, references', () => {
    const leaf = closed({ a: text, b: text }, ['a']);
    const { restore } = toStrictSchema({
      ...closed({
        list: { type: 'array', items: leaf },
        union: {
          anyOf: [
            closed({ kind: { const: 'x' }, extra: text }, ['kind']),
            closed({ kind: { const: 'y' }, extra: { type: ['string', 'null'] } }),
          ],
        },
        tree: { $ref: '#/$defs/tree' },
      }),
      $defs: { tree: closed({ leaf, next: { $ref: '#/$defs/tree' } }, ['leaf']) },
    });
    const full = { a: 'a', b: null };
    const tree = { leaf: full, next: { leaf: full, next: null } };
    expect(restore({ list: [full], union: { kind: 'x', extra: null }, tree })).toEqual({
      list: [{ a: 'a' }],
      union: { kind: 'x' },
      tree: { leaf: { a: 'a' }, next: { leaf: { a: 'a' } } },
    });
    expect(restore({ list: [], union: { kind: 'y', extra: null }, tree: null })).toEqual({
      list: [],
      union: { kind: 'y', extra: null },
      tree: null,
    });
  });

  it('are found in a schema that refers to its own root', () => {
    const { restore } = toStrictSchema(closed({ name: text, next: { $ref: '#' } }, []));
    expect(restore({ name: 'a', next: { name: null, next: null } })).toEqual({ name: 'a', next: {} });
  });

  it('are told apart in a union by the keys there are', () => {
    const nullable = { type: ['string', 'null'] };
    const { restore } = toStrictSchema(
      one({ anyOf: [closed({ a: text }, []), closed({ a: nullable, b: text })] }),
    );
    expect(restore({ it: { a: null, b: 'x' } })).toEqual({ it: { a: null, b: 'x' } });
    expect(restore({ it: { a: null } })).toEqual({ it: {} });
  });

  it('leave a value alone that has nothing to change, or another shape', () => {
    const { restore } = toStrictSchema(one(text, false));
    for (const value of [{ it: 'x' }, [null], 'x', null]) expect(restore(value)).toEqual(value);
  });

  it('cannot be confused by a property called __proto__', () => {
    const property: JsonSchema = JSON.parse('{"__proto__":{"type":"string"},"a":{"type":"string"}}');
    const { schema, restore } = toStrictSchema(closed(property, ['a']));
    expect(Object.keys(schema['properties'] as JsonSchema)).toEqual(['__proto__', 'a']);
    expect(restore(JSON.parse('{"__proto__":null,"a":"x"}'))).toEqual({ a: 'x' });
    const kept = restore(JSON.parse('{"__proto__":"y","a":"x"}'));
    expect(Object.keys(kept as object)).toEqual(['__proto__', 'a']);
  });
});

describe('the schemas of real tools', () => {
  const inputs = {
    zod: z.object({
      path: z.string().min(1).describe('File path'),
      limit: z.number().int().min(1).default(100),
      mode: z.enum(['r', 'w']).optional(),
      options: z.object({ deep: z.boolean().optional() }).optional(),
    }),
    raw: jsonSchema<{ path: string }>({
      type: 'object',
      properties: { path: { type: 'string' }, encoding: { enum: ['utf8', 'latin1'] } },
      required: ['path'],
    }),
  };

  it.each(Object.entries(inputs))('are strict: %s', (_name, inputSchema) => {
    const { compiledInput } = tool({ name: 'x', description: 'X.', inputSchema, effects: 'read' });
    const { schema, strict, losses: lost } = toStrictSchema(compiledInput?.inputJsonSchema ?? {});
    expect({ strict, lost }).toEqual({ strict: true, lost: [] });
    expect(toStrictJsonSchema(structuredClone(schema) as never)).toEqual(schema);
  });
});

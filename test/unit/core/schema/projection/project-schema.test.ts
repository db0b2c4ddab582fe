import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import { describe, expect, it } from 'vitest';
import { type JsonSchema, type JsonValue, jsonSchema, tool } from 'weakincentives';
import { openaiDialect } from 'weakincentives/openai';
import { projectSchema, type SchemaDialect } from 'weakincentives/provider';
import { z } from 'zod';
import type { SchemaCounts } from '../../../../../src/core/schema/projection/dialect.ts';
import { readBack } from '../../../../support/read-back.ts';
import { closed, dialects, text } from './shape.ts';

const schemaOf = (inputSchema: z.ZodObject): JsonSchema =>
  tool({ name: 'x', description: 'X.', inputSchema, effects: 'read' }).compiledInput?.inputJsonSchema ?? {};

describe('the schemas of libraries', () => {
  const order = z.object({
    kind: z.discriminatedUnion('type', [
      z.object({ type: z.literal('one'), id: z.uuid() }),
      z.object({ type: z.literal('many'), ids: z.array(z.int()).min(1) }),
    ]),
    note: z.string().max(80).nullable(),
    count: z.int(),
  });

  it('are strict for Anthropic, integers and uuids included', () => {
    const { schema, strict, losses } = projectSchema(schemaOf(order), dialects.anthropic);
    expect(strict).toBe(true);
    expect(transformJSONSchema(schema)).toEqual(schema);
    expect(losses.map(({ path, keyword }) => `${path} ${keyword}`)).toEqual([
      '/properties/kind/oneOf/0/properties/id pattern',
      '/properties/note/anyOf/0 maxLength',
    ]);
  });

  it('may be given as they are, or as the JSON Schema that a tool makes of them', () => {
    const own = projectSchema(order, openaiDialect);
    expect(own).toEqual({ ...projectSchema(schemaOf(order), openaiDialect), unwrap: own.unwrap });
    const raw = { type: 'object', properties: { a: text }, required: ['a'] } as const;
    expect(projectSchema(jsonSchema(raw), openaiDialect).strict).toBe(true);
    expect(projectSchema(raw, openaiDialect).strict).toBe(false);
  });

  it('are strict in the dialect that enforces all their keywords', () => {
    const plain = schemaOf(
      z.object({ count: z.int(), mode: z.enum(['r', 'w']), note: z.string().nullable() }),
    );
    expect(projectSchema(plain, dialects['ai-sdk'])).toMatchObject({ strict: true, losses: [] });
  });
});

describe('a schema that cannot be strict', () => {
  it('is reported with at most twenty reasons', () => {
    const properties = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`p${index}`, {}]));
    const { strict, losses } = projectSchema(
      { type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
      openaiDialect,
    );
    expect(strict).toBe(false);
    expect(losses.map(({ path }) => path)).toEqual(
      Array.from({ length: 20 }, (_, index) => `/properties/p${index}`),
    );
  });
});

describe('a custom dialect', () => {
  const dialect: SchemaDialect = {
    provider: 'Somebody',
    keywords: { minLength: (length) => typeof length === 'number' && length < 3 },
    otherConstraints: 'described',
    optionalProperties: 'nullable',
    typeLists: false,
    typeBesideFixedValues: true,
    recursion: false,
    limits: { unions: 1 },
  };

  it('decides what is kept, by keyword and value', () => {
    const { schema, losses } = projectSchema(
      closed({ a: { type: 'string', minLength: 2 }, b: { type: 'string', minLength: 3 } }),
      dialect,
    );
    expect(schema['properties']).toEqual({
      a: { type: 'string', minLength: 2 },
      b: { type: 'string', description: 'Must satisfy minLength: 3.' },
    });
    expect(losses).toEqual([
      { path: '/properties/b', keyword: 'minLength', note: 'described in the text, checked here' },
    ]);
  });

  it('writes what may be left out in its own way, and counts it', () => {
    const { schema, restore, counts } = readBack(closed({ a: text }, []), dialect);
    expect(schema).toEqual(
      closed({ a: { anyOf: [text, { type: 'null' }], description: 'null: not given.' } }),
    );
    expect(restore({ a: null })).toEqual({});
    expect(counts).toEqual({ properties: 1, enumValues: 0, optionalProperties: 0, unions: 1 });
    expect(projectSchema(closed({ a: text, b: text }, []), dialect).losses).toEqual([
      { path: '/properties/b', keyword: 'required', note: 'more than 1 places with alternatives in all' },
    ]);
  });
});

describe('what is counted', () => {
  const either = { anyOf: [text, { type: 'integer' }] };

  it.each<[string, JsonSchema, Partial<SchemaCounts>]>([
    ['properties at every depth', closed({ a: closed({ b: text }) }), { properties: 2 }],
    ['fixed values', closed({ a: { enum: ['x', 'y'] }, b: { enum: [1] } }), { enumValues: 3 }],
    [
      'what may be left out',
      closed({ a: text, b: closed({ c: text }, []) }, ['b']),
      { optionalProperties: 2 },
    ],
    ['alternatives', closed({ a: either, b: { oneOf: [text, { type: 'null' }] } }), { unions: 2 }],
    ['lists of types', closed({ a: { type: ['string', 'integer'] } }), { unions: 1 }],
    ['no union for fixed values', closed({ a: { enum: ['x', 1] } }), { unions: 0 }],
  ])('for Anthropic: %s', (_name, schema, counts) => {
    expect(projectSchema(schema, dialects.anthropic).counts).toMatchObject(counts);
  });

  it.each<[string, JsonSchema]>([
    ['alternatives', either],
    ['types', { type: ['string', 'integer'] }],
  ])('for OpenAI: one union for what may be left out and has several %s', (_name, schema) => {
    expect(projectSchema(closed({ a: schema }, []), dialects.openai).counts.unions).toBe(1);
  });

  it('for OpenAI: a union of one around a described reference', () => {
    const schema = { ...closed({ a: { $ref: '#/$defs/a', description: 'D.' } }), $defs: { a: text } };
    expect(projectSchema(schema, dialects.openai).counts.unions).toBe(1);
  });
});

describe('schemas that grow when they are written out', () => {
  const chain = (link: (next: JsonSchema) => JsonSchema): JsonSchema => {
    const levels = Array.from({ length: 40 }, (_, at): [string, JsonSchema] => [
      `d${at}`,
      link({ $ref: `#/$defs/d${at + 1}`, description: 'D.' }),
    ]);
    return {
      ...closed({ it: { $ref: '#/$defs/d0' } }),
      $defs: Object.fromEntries([...levels, ['d40', text]]),
    };
  };

  it.each<[string, (next: JsonSchema) => JsonSchema]>([
    ['properties', (next) => closed({ a: next, b: next })],
    ['alternatives', (next) => ({ anyOf: [next, next] })],
    ['parts', (next) => ({ allOf: [next, next] })],
  ])('are sent unchanged and not strict: %s', (_name, link) => {
    const schema = chain(link);
    for (const dialect of [dialects.anthropic, { ...dialects.anthropic, limits: {} }, dialects['ai-sdk']]) {
      const projection = projectSchema(schema, dialect);
      expect(projection).toMatchObject({ strict: false, schema });
      expect(projection.losses.length).toBeLessThanOrEqual(20);
    }
  });
});

describe('text that a model wrote', () => {
  const wrapped = projectSchema({ type: 'array', items: { type: 'integer' } }, openaiDialect);

  it.each<[string, string]>([
    ['{"value":[1, 2]}', '[1, 2]'],
    [' { "value" : [9007199254740993] } ', '[9007199254740993]'],
    ['{"v\\u0061lue":["}"]}', '["}"]'],
    ['{"other":[1],"value":null}', 'null'],
    ['{"value":1,"value":[2]}', '[2]'],
    ['{"inner":{"value":1}}', '{"inner":{"value":1}}'],
    ['[{"value":1}]', '[{"value":1}]'],
    ['{"value":[1', '{"value":[1'],
    ['', ''],
  ])('is taken out of the object around it as it was written: %s', (written, meant) => {
    expect(wrapped.unwrap(written)).toBe(meant);
  });

  it('stays as it is where nothing is around it', () => {
    const same: JsonValue = '{ "value": null }';
    expect(projectSchema(closed({ value: text }, []), openaiDialect).unwrap(same)).toBe(same);
  });
});

import { Validator } from '@cfworker/json-schema';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type JsonSchema, jsonSchema, type Schema } from 'weakincentives';
import { z } from 'zod';
import { assertObjectSchema, compileSchema, parseInputSync } from '../../../../src/core/schema/index.ts';
import { libraries, rawObject, shapes } from './libraries.ts';

const wire = (schema: Schema): JsonSchema => compileSchema(schema).inputJsonSchema;

describe('inputJsonSchema', () => {
  it('keeps descriptions, defaults and constraints, drops $schema, closes objects', () => {
    const schema = z.object({
      path: z.string().min(1).describe('File path'),
      limit: z.int().min(1).default(100),
      mode: z.enum(['r', 'w']).optional(),
      at: z.array(z.object({ line: z.number() })),
    });
    expect(wire(schema)).toEqual({
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'File path' },
        limit: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 100 },
        mode: { type: 'string', enum: ['r', 'w'] },
        at: {
          type: 'array',
          items: {
            type: 'object',
            properties: { line: { type: 'number' } },
            required: ['line'],
            additionalProperties: false,
          },
        },
      },
      required: ['path', 'at'],
      additionalProperties: false,
    });
  });

  it('keeps what Valibot and ArkType emit', () => {
    expect(
      wire(
        toStandardJsonSchema(
          v.object({ a: v.optional(v.pipe(v.string(), v.description('File path')), 'x') }),
        ),
      ),
    ).toEqual({
      type: 'object',
      properties: { a: { type: 'string', description: 'File path', default: 'x' } },
      required: [],
      additionalProperties: false,
    });
    expect(wire(type({ a: type('string >= 1').describe('File path') }))).toEqual({
      type: 'object',
      properties: { a: { type: 'string', minLength: 1, description: 'File path' } },
      required: ['a'],
      additionalProperties: false,
    });
  });

  it.each(libraries(shapes.intersection))(
    'writes an intersection of plain objects as one object with %s',
    (_library, schema) => {
      expect(wire(schema)).toEqual({
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'string' } },
        required: ['a', 'b'],
        additionalProperties: false,
      });
    },
  );

  it('closes what cannot be written as one object as a whole', () => {
    const schema = toStandardJsonSchema(
      v.intersect([
        v.object({ a: v.string() }),
        v.union([v.object({ b: v.string() }), v.object({ c: v.string() })]),
      ]),
    );
    expect(wire(schema)['unevaluatedProperties']).toBe(false);
    const validator = new Validator(structuredClone({ ...wire(schema) }), '2020-12');
    expect(validator.validate({ a: 'x', b: 'y' }).valid).toBe(true);
    expect(validator.validate({ a: 'x', c: 'y' }).valid).toBe(true);
    expect(validator.validate({ a: 'x', b: 'y', d: 1 }).valid).toBe(false);
  });

  it('writes a definition out where it is part of a larger object, and keeps it closed elsewhere', () => {
    const schema = jsonSchema({
      type: 'object',
      properties: {
        all: { allOf: [{ $ref: '#/$defs/named' }, { anyOf: [rawObject({ a: {} }), rawObject({ b: {} })] }] },
        one: { $ref: '#/$defs/named' },
      },
      $defs: { named: rawObject({ name: { type: 'string' } }) },
    });
    const validator = new Validator(structuredClone({ ...wire(schema) }), '2020-12');
    expect(validator.validate({ all: { name: 'x', a: 1 }, one: { name: 'x' } }).valid).toBe(true);
    expect(validator.validate({ all: { name: 'x', a: 1, c: 1 } }).valid).toBe(false);
    expect(validator.validate({ one: { name: 'x', a: 1 } }).valid).toBe(false);
  });

  it('honours what a schema says about further keys', () => {
    expect(wire(z.looseObject({ a: z.string() }))['additionalProperties']).toEqual({});
    expect(
      wire(jsonSchema({ type: 'object', properties: {}, unevaluatedProperties: true })),
    ).not.toHaveProperty('additionalProperties');
  });

  it('gives a bare object schema its empty list of keys', () => {
    expect(wire(type({}))).toEqual({ type: 'object', properties: {}, additionalProperties: false });
  });

  it('closes objects below what depends on a key, and the whole around it', () => {
    const note = rawObject({ text: { type: 'string' } });
    const closedNote = { ...note, additionalProperties: false };
    for (const keyword of ['dependentSchemas', 'dependencies']) {
      const schema = wire(
        jsonSchema({
          type: 'object',
          properties: { kind: { type: 'string' } },
          [keyword]: { kind: { properties: { note } } },
        }),
      );
      expect(schema[keyword]).toEqual({ kind: { properties: { note: closedNote } } });
      expect(schema['unevaluatedProperties']).toBe(false);
    }
  });

  it('keeps the siblings of a reference that is inlined in an intersection', () => {
    const more = { type: 'object', properties: { b: { type: 'string' } } } as const;
    const beside = { properties: { a: { type: 'string' } } } as const;
    const schema = wire(
      jsonSchema({ type: 'object', allOf: [{ $ref: '#/$defs/more', ...beside }], $defs: { more } }),
    );
    expect(schema).toMatchObject({ allOf: [{ allOf: [more, beside] }], unevaluatedProperties: false });
  });

  const named = { type: 'object', properties: { name: { type: 'string' } } } as const;

  it.each([
    ['keys of its own', { properties: { a: {} } }],
    ['an intersection', { allOf: [{ properties: { a: {} } }] }],
    ['alternatives', { anyOf: [{ properties: { a: {} } }, { properties: { b: {} } }] }],
    ['a condition', { if: { required: ['a'] }, then: { properties: { a: {} } } }],
    ['a dependency', { dependentSchemas: { a: { properties: { a: {} } } } }],
  ])('closes a definition and %s beside the reference to it as a whole', (_what, beside) => {
    const compiled = compileSchema(
      jsonSchema({
        type: 'object',
        properties: { whole: { $ref: '#/$defs/named', ...beside }, one: { $ref: '#/$defs/named' } },
        $defs: { named },
      }),
    );
    const validator = new Validator(structuredClone({ ...compiled.inputJsonSchema }), '2020-12');
    for (const [value, isValid] of [
      [{ whole: { name: 'x', a: 1 }, one: { name: 'x' } }, true],
      [{ whole: { name: 'x' } }, true],
      [{ whole: { name: 1, a: 1 } }, false],
      [{ whole: { name: 'x', a: 1, c: 1 } }, false],
      [{ one: { name: 'x', a: 1 } }, false],
    ] as const) {
      expect(validator.validate(value).valid).toBe(isValid);
      expect(parseInputSync(compiled, value).ok).toBe(isValid);
    }
  });

  it('drops the siblings of a reference in a draft where the reference replaces them', () => {
    const reference = { $ref: '#/definitions/named', properties: { a: {} } } as const;
    const schema = wire(
      jsonSchema({
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: { one: reference },
        definitions: { named },
      }),
    );
    expect(schema['properties']).toEqual({ one: { $ref: '#/definitions/named' } });
    expect(schema).not.toHaveProperty('$schema');
  });

  it('closes the objects in the branches of a condition', () => {
    const branch = { properties: { at: { properties: { line: {} } } } } as const;
    const schema = wire(
      jsonSchema({ properties: { a: {} }, if: { required: ['a'] }, then: branch, else: branch }),
    );
    const closed = { properties: { at: { properties: { line: {} }, additionalProperties: false } } };
    expect(schema).toMatchObject({ unevaluatedProperties: false });
    expect([schema['then'], schema['else']]).toEqual([closed, closed]);
  });

  it('closes keys beside alternatives or a reference as a whole', () => {
    const keys = { properties: { a: {} } } as const;
    for (const beside of [
      { anyOf: [{ properties: { b: {} } }] },
      { oneOf: [{ properties: { b: {} } }] },
      { allOf: [{ $ref: '#/$defs/more', description: 'More.' }] },
    ]) {
      const schema = wire(jsonSchema({ ...keys, ...beside, $defs: { more: { properties: { b: {} } } } }));
      expect(schema['unevaluatedProperties']).toBe(false);
      expect(schema).not.toHaveProperty('additionalProperties');
    }
  });

  it('leaves a tuple open that says what further items may be', () => {
    for (const further of [{ unevaluatedItems: { type: 'string' } }, { items: { type: 'string' } }]) {
      const schema = wire(jsonSchema({ properties: { pair: { prefixItems: [{}], ...further } } }));
      expect(schema['properties']).toEqual({ pair: { prefixItems: [{}], ...further } });
    }
  });

  it('ends tuples', () => {
    expect(wire(shapes.tuple.valibot)['properties']).toMatchObject({ pair: { items: false } });
    expect(wire(z.object({ t: z.tuple([z.string()], z.number()) }))['properties']).toMatchObject({
      t: { items: { type: 'number' } },
    });
  });

  it('is frozen and the same object each time', () => {
    const compiled = compileSchema(shapes.nested.zod);
    expect(compileSchema(shapes.nested.zod)).toBe(compiled);
    expect(compiled.inputJsonSchema).toBe(compiled.inputJsonSchema);
    expect(Object.isFrozen(compiled.inputJsonSchema['properties'])).toBe(true);
  });

  it('differs from outputJsonSchema where validation changes the value', () => {
    const compiled = compileSchema(z.object({ limit: z.number().default(1) }));
    expect(compiled.inputJsonSchema['required']).toBeUndefined();
    expect(compiled.outputJsonSchema['required']).toEqual(['limit']);
  });
});

describe('an unusable schema', () => {
  it('is rejected with the remedy', () => {
    // @ts-expect-error -- a bare Valibot schema emits no JSON Schema
    expect(() => compileSchema(v.object({}))).toThrow(/toStandardJsonSchema/);
    // @ts-expect-error -- raw JSON Schema needs jsonSchema()
    expect(() => compileSchema({ type: 'object' })).toThrow(
      expect.objectContaining({ code: 'schema-not-standard' }),
    );
    // @ts-expect-error -- nothing at all
    expect(() => compileSchema(undefined)).toThrow(expect.objectContaining({ code: 'schema-not-standard' }));
  });

  it('is rejected when it has no JSON Schema form', () => {
    expect(() => wire(z.object({ at: z.date() }))).toThrow(
      expect.objectContaining({ code: 'schema-unrepresentable', details: { vendor: 'zod', side: 'input' } }),
    );
    expect(() => compileSchema(z.object({ n: z.string().transform(Number) })).outputJsonSchema).toThrow(
      expect.objectContaining({ code: 'schema-unrepresentable' }),
    );
  });
});

describe('assertObjectSchema', () => {
  it.each<readonly [string, Schema]>([
    ['an object', z.object({})],
    ['a record', z.record(z.string(), z.number())],
    ['a union of objects', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
    [
      'a tagged union of objects',
      z.discriminatedUnion('k', [z.object({ k: z.literal('a') }), z.object({ k: z.literal('b') })]),
    ],
    ['an intersection of objects', shapes.intersection.valibot],
    ['a reference to an object', shapes.recursive.arktype],
    ['an empty object', type({})],
  ])('accepts %s', (_name, schema) => {
    expect(() => assertObjectSchema(schema)).not.toThrow();
  });

  it.each<readonly [string, Schema]>([
    ['a text', z.string()],
    ['a list', z.array(z.object({}))],
    ['a nullable object', z.object({}).nullable()],
    ['a union with a text', z.union([z.object({}), z.string()])],
    ['anything', z.unknown()],
    ['a reference to itself', jsonSchema({ $ref: '#' })],
  ])('refuses %s', (_name, schema) => {
    expect(() => assertObjectSchema(schema)).toThrow(expect.objectContaining({ code: 'schema-not-object' }));
  });
});

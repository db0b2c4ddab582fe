import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type JsonValue, jsonSchema, looseSchema, type Schema } from 'weakincentives';
import { z } from 'zod';
import { compileSchema, parseInputSync } from '../../../../src/core/schema/index.ts';
import { issuesOf, libraries, rawObject, shapes } from './libraries.ts';

const cases: readonly (readonly [keyof typeof shapes, string, unknown, string])[] = [
  ['flat', 'at the top', { path: 'a', limt: 1 }, 'limt: unknown key; allowed: path, limit'],
  ['nested', 'in a nested object', { file: { name: 'a', size: 1 } }, 'file.size: unknown key; allowed: name'],
  [
    'list',
    'in an item of a list',
    {
      paths: [
        { name: 'a', size: 1 },
        { name: 'b', size: 2, nmae: 'b' },
      ],
    },
    'paths[1].nmae: unknown key; allowed: name, size',
  ],
  [
    'tuple',
    'in an item of a tuple',
    { pair: [{ from: 'a' }, { to: 'b', x: 1 }] },
    'pair[1].x: unknown key; allowed: to',
  ],
  [
    'record',
    'in a value of a record',
    { byName: { a: { size: 1, sise: 2 } } },
    'byName.a.sise: unknown key; allowed: size',
  ],
  [
    'tagged',
    'known to another member of a union only',
    { shape: { kind: 'circle', radius: 1, width: 2 } },
    'shape.width: unknown key; allowed: kind, radius',
  ],
  ['intersection', 'beside an intersection', { a: 'x', b: 'y', c: 1 }, 'c: unknown key; allowed: a, b'],
  [
    'recursive',
    'three levels down a recursive schema',
    { name: 'a', children: [{ name: 'b', children: [{ name: 'c', children: [], x: 1 }] }] },
    'children[0].children[0].x: unknown key; allowed: ',
  ],
  [
    'nullable',
    'in a nullable object',
    { owner: { id: 'a', name: 'b' } },
    'owner.name: unknown key; allowed: id',
  ],
];

describe.each(cases)('an unknown key, %s: %s', (shape, _place, value, expected) => {
  it.each(libraries(shapes[shape]))('is refused with %s', (_library, schema) => {
    expect(issuesOf(schema, value)).toContain(expected);
  });
});

describe('known keys', () => {
  const valid: readonly (readonly [keyof typeof shapes, unknown])[] = [
    ['flat', { path: 'a', limit: 2 }],
    ['nested', { file: { name: 'a' } }],
    ['tuple', { pair: [{ from: 'a' }, { to: 'b' }] }],
    ['record', { byName: { any: { size: 1 }, toString: { size: 2 } } }],
    ['tagged', { shape: { kind: 'box', width: 2 } }],
    ['intersection', { a: 'x', b: 'y' }],
    ['recursive', { name: 'a', children: [{ name: 'b', children: [] }] }],
    ['nullable', { owner: null }],
    ['free', { meta: { whatever: { is: ['in', { here: 1 }] } }, any: { a: { b: 1 } } }],
  ];
  describe.each(valid)('of the shape %s', (shape, value) => {
    it.each(libraries(shapes[shape]))('are accepted with %s', (_library, schema) => {
      expect(parseInputSync(compileSchema(schema), value)).toEqual({ ok: true, value });
    });
  });
});

describe('names of the object prototype', () => {
  const value: unknown = JSON.parse(
    '{"path":"a","__proto__":{"polluted":true},"constructor":1,"toString":2}',
  );
  it.each(libraries(shapes.flat))('are unknown keys like any other with %s', (_library, schema) => {
    const text = issuesOf(schema, value);
    for (const key of ['__proto__', 'constructor', 'toString']) expect(text).toContain(`${key}: unknown key`);
  });

  it.each(libraries(shapes.record))(
    'cannot slip through a record as __proto__ with %s',
    (_library, schema) => {
      expect(issuesOf(schema, JSON.parse('{"byName":{"__proto__":{"size":1}}}'))).toContain(
        'byName.__proto__: this key is not allowed anywhere',
      );
    },
  );

  it.each(libraries(shapes.free))(
    'cannot slip through a free value as __proto__ with %s',
    (_library, schema) => {
      expect(issuesOf(schema, JSON.parse('{"meta":{"deep":[{"__proto__":{}}]},"any":{}}'))).toContain(
        'meta.deep[0].__proto__: this key is not allowed anywhere',
      );
    },
  );
});

describe('explicit keywords of a schema', () => {
  it.each<readonly [string, Schema]>([
    ['a loose Zod object', z.looseObject({ a: z.string() })],
    ['a Zod object with a catchall', z.object({ a: z.string() }).catchall(z.number())],
    ['a Valibot object with rest', toStandardJsonSchema(v.objectWithRest({ a: v.string() }, v.number()))],
    ['an ArkType index signature', type({ a: 'string', '[string]': 'unknown' })],
    ['additionalProperties of raw JSON Schema', jsonSchema({ type: 'object', additionalProperties: true })],
  ])('%s allows additional keys', (_name, schema) => {
    expect(issuesOf(schema, { a: 'x', b: 1 })).toBe('');
  });

  it('for additional keys apply to the values below them', () => {
    const schema = z.object({}).catchall(z.object({ size: z.number() }));
    expect(issuesOf(schema, { any: { size: 1 } })).toBe('');
    expect(issuesOf(schema, { any: { size: 1, x: 1 } })).toContain('any.x: unknown key; allowed: size');
  });

  it.each<readonly [string, Schema]>([
    ['Zod', z.strictObject({ a: z.string() })],
    ['Valibot', toStandardJsonSchema(v.strictObject({ a: v.string() }))],
    ['ArkType', type({ a: 'string', '+': 'reject' })],
  ])('of a strict object of %s do not say the same twice', (_name, schema) => {
    expect(issuesOf(schema, { a: 'x', b: 1, c: 2 })).toBe(
      'b: unknown key; allowed: a\nc: unknown key; allowed: a',
    );
  });

  it('patternProperties name keys by pattern', () => {
    const schema = jsonSchema({
      type: 'object',
      patternProperties: { '^x-': rawObject({ v: { type: 'number' } }) },
    });
    expect(issuesOf(schema, { 'x-a': { v: 1 } })).toBe('');
    expect(issuesOf(schema, { 'x-a': { v: 1, w: 2 }, y: 1 })).toBe(
      'x-a.w: unknown key; allowed: v\ny: unknown key; allowed: keys matching /^x-/',
    );
  });

  it('additionalProperties is about keys that match no pattern', () => {
    const schema = (additionalProperties: JsonValue): Schema =>
      jsonSchema({
        type: 'object',
        patternProperties: { '^x-': { type: 'number' } },
        additionalProperties,
      });
    expect(issuesOf(schema({ type: 'string' }), { 'x-a': 1, y: 'text' })).toBe('');
    expect(issuesOf(schema({ type: 'string' }), { 'x-a': 1, y: 2 })).toBe('y: expected string, received 2');
    expect(issuesOf(schema(false), { 'x-a': 1 })).toBe('');
    expect(issuesOf(schema(false), { 'x-a': 1, y: 2 })).toBe('y: unknown key; allowed: keys matching /^x-/');
    const named = { ...rawObject({ v: { type: 'number' } }), additionalProperties: false };
    const nested = jsonSchema({
      type: 'object',
      patternProperties: { '^x-': { type: 'object', additionalProperties: true } },
      additionalProperties: named,
    });
    expect(issuesOf(nested, { 'x-a': { anything: 1 }, y: { v: 1 } })).toBe('');
    expect(issuesOf(nested, { 'x-a': { anything: 1 }, y: { v: 1, w: 1 } })).toBe(
      'y.w: unknown key; allowed: v',
    );
  });

  it('an object schema without any word on keys is free, but closed at the top', () => {
    const schema = jsonSchema({ type: 'object', properties: { meta: { type: 'object' } } });
    expect(issuesOf(schema, { meta: { a: { b: 1 } } })).toBe('');
    expect(issuesOf(jsonSchema({ type: 'object' }), { a: 1 })).toBe(
      'a: unknown key; no keys are allowed here',
    );
    expect(issuesOf(type({}), { a: 1 })).toBe('a: unknown key; no keys are allowed here');
  });
});

describe('open', () => {
  it.each<readonly [string, Schema]>([
    ['Zod', z.object({ a: z.string(), n: z.object({ b: z.string() }).optional() })],
    [
      'Valibot',
      toStandardJsonSchema(v.looseObject({ a: v.string(), n: v.optional(v.object({ b: v.string() })) })),
    ],
    ['ArkType', type({ a: 'string', 'n?': { b: 'string' } })],
  ])('lets further keys in at the top and only there, with %s', (_name, schema) => {
    expect(issuesOf(schema, { a: 'x', more: 1 })).toContain('more: unknown key');
    const opened = looseSchema(schema);
    expect(issuesOf(opened, { a: 'x', more: 1 })).toBe('');
    expect(issuesOf(opened, { a: 'x', n: { b: 'y', more: 1 } })).toContain('n.more: unknown key');
    expect(compileSchema(opened).inputJsonSchema['additionalProperties']).toEqual({});
  });

  it('opens each member of a union and what a reference leads to', () => {
    const union = looseSchema(
      z.union([
        z.object({ k: z.literal('a'), x: z.number() }),
        z.object({ k: z.literal('b'), y: z.number() }),
      ]),
    );
    expect(issuesOf(union, { k: 'a', x: 1, more: 1 })).toBe('');
    const node = looseSchema(shapes.recursive.raw);
    expect(issuesOf(node, { name: 'a', children: [], more: 1 })).toBe('');
    expect(issuesOf(node, { name: 'a', children: [{ name: 'b', children: [], more: 1 }] })).toContain(
      'children[0].more: unknown key',
    );
  });
});

describe('unions', () => {
  const text = { type: 'string' };
  const number = { type: 'number' };

  it('without tags are resolved by required keys, then by nested values', () => {
    const schema = jsonSchema({
      anyOf: [
        rawObject({ a: { type: 'array', items: text } }),
        rawObject({ a: { type: 'array', items: number }, b: number }),
        { type: 'object', properties: { a: { type: 'array', items: number }, c: number }, required: ['a'] },
      ],
    });
    expect(issuesOf(schema, { a: ['x'] })).toBe('');
    expect(issuesOf(schema, { a: ['x'], c: 1 })).toBe('c: unknown key; allowed: a');
    expect(issuesOf(schema, { a: [1], c: 1 })).toBe('');
    expect(issuesOf(schema, { a: [1], d: 1 })).toBe('d: unknown key; allowed: a, c');
  });

  it('know a key that any fitting member knows', () => {
    const schema = jsonSchema({ anyOf: [rawObject({ a: text }), rawObject({ b: text })] });
    expect(issuesOf(schema, { a: 'x', b: 'y' })).toBe('');
    expect(issuesOf(schema, { a: 'x', b: 1 })).toBe('b: unknown key; allowed: a');
  });

  it('beside keys of their own add up', () => {
    const schema = jsonSchema({
      type: 'object',
      properties: { id: text },
      oneOf: [rawObject({ a: text }), rawObject({ b: text })],
    });
    expect(issuesOf(schema, { id: '1', a: 'x' })).toBe('');
    expect(issuesOf(schema, { id: '1', a: 'x', c: 1 })).toBe('c: unknown key; allowed: id, a');
  });

  it('with a member that takes anything take any key', () => {
    expect(
      issuesOf(z.object({ v: z.union([z.object({ a: z.string() }), z.unknown()]) }), { v: { a: 'x', b: 1 } }),
    ).toBe('');
    expect(
      issuesOf(z.object({ v: z.union([z.object({ a: z.string() }), z.unknown()]) }), { v: { b: 1 } }),
    ).toBe('');
    expect(
      issuesOf(jsonSchema({ anyOf: [rawObject({ v: {} }), rawObject({ v: rawObject({ a: text }) })] }), {
        v: { a: 'x', b: 1 },
      }),
    ).toBe('');
  });

  it('of scalars and objects judge the object alone', () => {
    const schema = z.object({ v: z.union([z.string(), z.object({ a: z.string() })]) });
    expect(issuesOf(schema, { v: 'x' })).toBe('');
    expect(issuesOf(schema, { v: { a: 'x', b: 1 } })).toBe('v.b: unknown key; allowed: a');
    expect(issuesOf(schema, { v: { b: 1 } })).toContain('v.b: unknown key; allowed: a');
  });
});

describe('conditions and dependencies', () => {
  const schema = jsonSchema({
    type: 'object',
    properties: { kind: { type: 'string' } },
    if: { properties: { kind: { const: 'file' } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { path: { type: 'string' } } },
    else: { properties: { url: { type: 'string' } } },
    dependentSchemas: { kind: { properties: { note: { type: 'string' } } } },
  });

  it('add the keys of the branch that holds', () => {
    expect(issuesOf(schema, { kind: 'file', path: 'a', note: 'n' })).toBe('');
    expect(issuesOf(schema, { kind: 'web', url: 'a' })).toBe('');
    expect(issuesOf(schema, { kind: 'file', url: 'a' })).toContain(
      'url: unknown key; allowed: kind, path, note',
    );
  });
});

describe('items past the end of a tuple', () => {
  it.each(libraries({ valibot: shapes.tuple.valibot, raw: shapes.tuple.raw }))(
    'are refused where %s would drop or take them',
    (_library, schema) => {
      expect(issuesOf(schema, { pair: [{ from: 'a' }, { to: 'b' }, { x: 1 }] })).toBe(
        'pair[2]: unknown item; the list ends after 2 items',
      );
    },
  );

  it.each(libraries({ zod: shapes.tuple.zod, arktype: shapes.tuple.arktype }))(
    'are refused once where %s refuses them itself',
    (_library, schema) => {
      expect(issuesOf(schema, { pair: [{ from: 'a' }, { to: 'b' }, { x: 1 }] })).toMatch(/^pair: [^\n]*$/);
    },
  );

  it('are allowed where the schema has a word for them, in the older form as well', () => {
    const rest = z.object({ t: z.tuple([z.string()], z.object({ n: z.number() })) });
    expect(issuesOf(rest, { t: ['a', { n: 1 }] })).toBe('');
    expect(issuesOf(rest, { t: ['a', { n: 1, m: 1 }] })).toContain('t[1].m: unknown key');
    const older = jsonSchema({
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { t: { type: 'array', items: [rawObject({ a: { type: 'string' } })] } },
    });
    expect(issuesOf(older, { t: [{ a: 'x', b: 1 }] })).toContain('t[0].b: unknown key; allowed: a');
    expect(issuesOf(older, { t: [{ a: 'x' }, 1] })).toContain(
      't[1]: unknown item; the list ends after 1 item',
    );
  });
});

describe('a list where an object is expected', () => {
  it.each<readonly [string, Schema]>([
    ['Zod', z.object({ at: z.object({ a: z.string().optional() }) })],
    ['Valibot', toStandardJsonSchema(v.object({ at: v.object({ a: v.optional(v.string()) }) }))],
    ['ArkType', type({ at: { 'a?': 'string' } })],
  ])('is refused although some libraries take it, with %s', (_library, schema) => {
    expect(issuesOf(schema, { at: ['x'] })).toMatch(/^at(\[0\])?: .*(object|list)/);
  });
});

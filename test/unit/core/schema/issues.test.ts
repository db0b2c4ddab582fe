import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { jsonSchema, type Schema } from 'weakincentives';
import { z } from 'zod';
import { describeIssues, formatPath } from '../../../../src/core/schema/index.ts';
import { type ByLibrary, issuesOf, libraries, rawObject, shapes } from './libraries.ts';

const named = (
  key: string,
  zod: z.ZodType,
  valibot: v.GenericSchema,
  arktype: Schema,
  raw: object,
): ByLibrary => ({
  zod: z.object({ [key]: zod }),
  valibot: toStandardJsonSchema(v.object({ [key]: valibot })),
  arktype,
  raw: jsonSchema(rawObject({ [key]: { ...raw } })),
});

const integer = named(
  'limit',
  z.int().min(1),
  v.pipe(v.number(), v.integer(), v.minValue(1)),
  type({ limit: 'number.integer >= 1' }),
  { type: 'integer', minimum: 1 },
);
const mode = named('mode', z.enum(['r', 'w']), v.picklist(['r', 'w']), type({ mode: "'r' | 'w'" }), {
  enum: ['r', 'w'],
});
const text = named(
  'name',
  z.string().min(2).max(4),
  v.pipe(v.string(), v.minLength(2), v.maxLength(4)),
  type({ name: '2 <= string <= 4' }),
  { type: 'string', minLength: 2, maxLength: 4 },
);
const list = named(
  'tags',
  z.array(z.string()).min(1),
  v.pipe(v.array(v.string()), v.minLength(1)),
  type({ tags: 'string[] >= 1' }),
  { type: 'array', items: { type: 'string' }, minItems: 1 },
);

const cases: readonly (readonly [string, ByLibrary, unknown, string])[] = [
  ['a wrong type', integer, { limit: 'abc' }, 'limit: expected integer >= 1, received "abc"'],
  ['a fraction for an integer', integer, { limit: 1.5 }, 'limit: expected integer >= 1, received 1.5'],
  ['a value below its bound', integer, { limit: 0 }, 'limit: expected integer >= 1, received 0'],
  ['null for a number', integer, { limit: null }, 'limit: expected integer >= 1, received null'],
  ['a missing key', integer, {}, 'limit: missing; expected integer >= 1'],
  ['a value that is none of the choices', mode, { mode: 'x' }, 'mode: expected "r" | "w", received "x"'],
  [
    'too long a text',
    text,
    { name: 'abcdef' },
    'name: expected string of 2 to 4 characters, received "abcdef"',
  ],
  [
    'an empty list',
    list,
    { tags: [] },
    'tags: expected list of at least 1 item, each: string, received a list of 0 items',
  ],
  ['a wrong item', list, { tags: ['a', 2] }, 'tags[1]: expected string, received 2'],
  [
    'an object for a list',
    list,
    { tags: { a: 1 } },
    'tags: expected list of at least 1 item, each: string, received an object with a',
  ],
  ['a list at the top', integer, [1], 'expected object {limit}, received a list of 1 item'],
  [
    'a wrong value below the tag of a union',
    shapes.tagged,
    { shape: { kind: 'box', width: 'x' } },
    'shape.width: expected number, received "x"',
  ],
  [
    'a missing key below the tag of a union',
    shapes.tagged,
    { shape: { kind: 'box' } },
    'shape.width: missing; expected number',
  ],
  [
    'a tag that no member has',
    shapes.tagged,
    { shape: { kind: 'dot' } },
    'shape.kind: expected "box" | "circle", received "dot"',
  ],
  ['a missing tag', shapes.tagged, { shape: {} }, 'shape.kind: missing; expected "box" | "circle"'],
  [
    'a value deep in a recursive schema',
    shapes.recursive,
    { name: 'a', children: [{ name: 1, children: [] }] },
    'children[0].name: expected string, received 1',
  ],
];

describe.each(cases)('%s', (_name, shape, value, expected) => {
  it.each(libraries(shape))('reads the same with %s', (_library, schema) => {
    expect(issuesOf(schema, value)).toBe(expected);
  });
});

describe('what JSON Schema cannot say', () => {
  it.each<readonly [string, Schema, string]>([
    [
      'Zod',
      z.object({ a: z.string().refine((name) => name !== 'bad', { error: 'must not be bad' }) }),
      'a: must not be bad, received "bad"',
    ],
    [
      'Valibot',
      toStandardJsonSchema(
        v.object({
          a: v.pipe(
            v.string(),
            v.check((name) => name !== 'bad', 'must not be bad'),
          ),
        }),
      ),
      'a: must not be bad, received "bad"',
    ],
    [
      'ArkType',
      type({ a: type('string').narrow((name, context) => name !== 'bad' || context.mustBe('good')) }),
      'a: must be good (was "bad")',
    ],
  ])('is described with the messages of %s', (_library, schema, expected) => {
    expect(issuesOf(schema, { a: 'bad' })).toBe(expected);
  });

  it('is described next to the unknown keys', () => {
    const schema = z
      .object({ from: z.number(), to: z.number() })
      .refine(({ from, to }) => from <= to, { error: 'from must not be after to' });
    expect(issuesOf(schema, { from: 2, to: 1, x: 1 })).toBe(
      'from must not be after to\nx: unknown key; allowed: from, to',
    );
  });
});

describe('scalars in unions', () => {
  it.each<readonly [string, Schema]>([
    ['Zod', z.object({ a: z.union([z.string(), z.number()]) })],
    ['Valibot', toStandardJsonSchema(v.object({ a: v.union([v.string(), v.number()]) }))],
    ['raw', jsonSchema(rawObject({ a: { anyOf: [{ type: 'string' }, { type: 'number' }] } }))],
  ])('name all that is allowed with %s', (_library, schema) => {
    expect(issuesOf(schema, { a: [1, 2] })).toBe('a: expected string | number, received a list of 2 items');
  });
});

describe('the size of the text', () => {
  it('is bounded for long values, many keys and long keys', () => {
    const long = 'x'.repeat(20_000);
    const value = {
      limit: long,
      ...Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`${long}${index}`, 1])),
    };
    const described = issuesOf(integer.zod, value);
    expect(described.split('\n').length).toBeLessThanOrEqual(21);
    expect(described.length).toBeLessThan(20_000);
  });

  it('is bounded for schemas with many keys', () => {
    const schema = z.object(
      Object.fromEntries(
        Array.from({ length: 500 }, (_, index) => [`some_key_${index}`, z.string().optional()]),
      ),
    );
    const described = issuesOf(schema, { other: 1 });
    expect(described).toMatch(/^other: unknown key; allowed: some_key_0, some_key_1, .*…$/);
    expect(described.length).toBeLessThan(500);
  });

  it('is one line per issue, for any message content', () => {
    expect(describeIssues([{ path: ['a'], message: 'one\ntwo\r\n  three' }])).toBe('a: one two three');
    expect(describeIssues([])).toBe('');
  });

  it('states how many issues are omitted', () => {
    const issues = Array.from({ length: 25 }, (_, index) => ({ path: [index], message: 'wrong' }));
    const lines = describeIssues(issues).split('\n');
    expect(lines).toHaveLength(21);
    expect(lines[20]).toBe('… and 5 more');
  });

  it('never cuts a character in two', () => {
    expect(issuesOf(mode.zod, { mode: '😀'.repeat(500) })).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
  });
});

describe('formatPath', () => {
  it.each<readonly [readonly (string | number)[], string]>([
    [[], ''],
    [['a', 0, 'b'], 'a[0].b'],
    [[0, 'a'], '[0].a'],
    [['with space', 'x.y'], '["with space"]["x.y"]'],
    [['', '0'], '[""]["0"]'],
  ])('writes %j as %s', (path, expected) => {
    expect(formatPath(path)).toBe(expected);
  });

  it('is bounded', () => {
    expect(formatPath(Array.from({ length: 10_000 }, () => 'step')).length).toBeLessThan(250);
  });
});

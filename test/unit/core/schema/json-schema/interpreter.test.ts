import { describe, expect, it } from 'vitest';
import { type JsonSchema, jsonSchema } from 'weakincentives';
import { compileSchema, parseInputSync } from '../../../../../src/core/schema/index.ts';
import { issuesOf } from '../libraries.ts';

function fits(document: JsonSchema, value: unknown): boolean {
  const result = jsonSchema(document)['~standard'].validate(value);
  return !(result instanceof Promise) && result.issues === undefined;
}

/** The issues of the schema itself, without a search for unknown keys. */
function interpret(document: JsonSchema, value: unknown): readonly string[] {
  const result = jsonSchema(document)['~standard'].validate(value);
  if (result instanceof Promise) throw new Error('Raw schemas are synchronous.');
  return (result.issues ?? []).map(
    ({ path, message }) => `${(path ?? []).map(String).join('.')}: ${message}`,
  );
}

describe('a schema that leads to itself by many ways', () => {
  const depth = 60;
  /** Each definition holds the next one twice at the same place: 2 to the power of 60 ways. */
  const ladder = (keyword: string, bottom: JsonSchema): JsonSchema => ({
    $ref: '#/$defs/0',
    $defs: Object.fromEntries(
      Array.from({ length: depth }, (_, index) => {
        const next = index === depth - 1 ? bottom : { $ref: `#/$defs/${index + 1}` };
        return [String(index), { [keyword]: [next, next] }];
      }),
    ),
  });
  const bottom = { type: 'object', properties: { a: { type: 'string' } } };

  it.each(['allOf', 'anyOf'])(
    'is judged, explained and searched for keys once at each place: %s',
    (keyword) => {
      const schema = jsonSchema(ladder(keyword, bottom));
      expect(issuesOf(schema, { a: 'x' })).toBe('');
      expect(issuesOf(schema, { a: 1 })).toMatch(
        /^a: expected string, received 1$|^expected value, received an object/,
      );
      expect(issuesOf(schema, { a: 'x', b: 1 })).toContain('b: unknown key; allowed: a');
      expect(compileSchema(schema).inputJsonSchema).toBeDefined();
    },
  );

  it('takes time by the depth of the value, not by the ways to it', () => {
    const document = {
      anyOf: [
        { type: 'array', items: { $ref: '#' } },
        { type: 'array', items: { $ref: '#' } },
        { type: 'object', properties: { x: { $ref: '#' } } },
        { type: 'object', properties: { x: { $ref: '#' } } },
      ],
    };
    let deep: unknown = 'no list';
    for (let level = 0; level < 200; level += 1) deep = level % 2 === 0 ? [deep] : { x: deep };
    expect(fits(document, deep)).toBe(false);
    expect(parseInputSync(compileSchema(jsonSchema(document)), deep).ok).toBe(false);
  });

  it('finds unevaluated keys at each level', () => {
    let document: JsonSchema = { properties: { a: true } };
    for (let level = 0; level < 40; level += 1)
      document = { allOf: [document, {}], unevaluatedProperties: false };
    expect(fits(document, { a: 1 })).toBe(true);
    expect(fits(document, { b: 1 })).toBe(false);
  });

  it('ends at the same place', () => {
    for (const document of [
      { $ref: '#' },
      { anyOf: [{ $ref: '#' }, { type: 'string' }] },
      { allOf: [{ $ref: '#/$defs/a' }], $defs: { a: { oneOf: [{ $ref: '#/$defs/a' }] } } },
    ]) {
      for (const value of ['x', 1, {}, { a: 1 }, []]) expect(fits(document, value)).toBe(true);
    }
  });

  it('takes values that lead back to themselves, and refuses those that are nested too deep', () => {
    const document = { properties: { x: { $ref: '#' } } };
    let deep: Record<string, unknown> = {};
    for (let level = 0; level < 5_000; level += 1) deep = { x: deep };
    expect(issuesOf(jsonSchema(document), deep)).toContain('nested deeper than 256 levels');
    const circle: Record<string, unknown> = {};
    circle['x'] = circle;
    expect(fits(document, circle)).toBe(true);
  });
});

describe('references', () => {
  it('are relative to the closest $id', () => {
    const document = {
      $id: 'https://example.com/root.json',
      properties: {
        inner: { $ref: 'inner.json' },
        whole: { $ref: 'https://example.com/root.json#/$defs/text' },
        named: { $ref: 'inner.json#here' },
      },
      $defs: {
        text: { type: 'string' },
        inner: {
          $id: 'inner.json',
          properties: { a: { $ref: '#/$defs/text' }, b: { $ref: '#here' } },
          $defs: { text: { type: 'number' }, other: { $anchor: 'here', type: 'boolean' } },
        },
      },
    };
    expect(fits(document, { inner: { a: 1, b: true }, whole: 'x', named: false })).toBe(true);
    for (const value of [{ inner: { a: 'x' } }, { inner: { b: 1 } }, { whole: 1 }, { named: 1 }]) {
      expect(fits(document, value)).toBe(false);
    }
  });

  it('that are dynamic lead to the outermost anchor', () => {
    const document = {
      $id: 'strict',
      $dynamicAnchor: 'node',
      $ref: 'tree',
      unevaluatedProperties: false,
      $defs: {
        tree: {
          $id: 'tree',
          $dynamicAnchor: 'node',
          type: 'object',
          properties: { data: true, children: { type: 'array', items: { $dynamicRef: '#node' } } },
        },
      },
    };
    expect(fits(document, { children: [{ data: 1 }] })).toBe(true);
    expect(fits(document, { children: [{ daat: 1 }] })).toBe(false);
    expect(
      fits(
        { properties: { a: { $dynamicRef: '#b' } }, $defs: { b: { $dynamicAnchor: 'b', type: 'null' } } },
        { a: 1 },
      ),
    ).toBe(false);
  });

  it('that are recursive lead to the whole document', () => {
    const document = {
      $recursiveAnchor: true,
      properties: { a: { $recursiveRef: '#' }, b: { type: 'string' } },
    };
    expect(fits(document, { a: { a: { b: 'x' } } })).toBe(true);
    expect(fits(document, { a: { a: { b: 1 } } })).toBe(false);
  });

  it('replace their siblings in draft 7 and apply next to them in later drafts', () => {
    const document = {
      properties: { a: { $ref: '#/definitions/a', type: 'string' } },
      definitions: { a: {} },
    };
    expect(fits(document, { a: 1 })).toBe(false);
    expect(fits({ ...document, $schema: 'http://json-schema.org/draft-07/schema#' }, { a: 1 })).toBe(true);
  });

  it('by a name that is given twice make a document unusable', () => {
    const document = { $defs: { a: { $id: 'x' }, b: { $id: 'x' } } };
    expect(() => jsonSchema(document)).toThrow(/\$id "x" is given twice/);
  });
});

describe('the issues of a value', () => {
  it.each<readonly [JsonSchema, unknown, readonly string[]]>([
    [{ additionalProperties: false }, { a: 1 }, ['a: expected nothing, received 1']],
    [{ items: false }, [1], ['0: expected nothing, received 1']],
    [{ unevaluatedProperties: false }, { a: 1 }, ['a: expected nothing, received 1']],
    [{ unevaluatedItems: { type: 'string' } }, ['x', 1], ['1: expected string, received 1']],
    [
      { oneOf: [{ type: 'number' }, { type: 'integer' }] },
      1,
      [': Instance does not match exactly one subschema (2 matches).'],
    ],
    [{ contains: { type: 'string' } }, [1], [': Array does not contain item matching schema.']],
    [
      { contains: true, minContains: 2 },
      [1],
      [': Array must contain at least 2 items matching schema. 1 items were found.'],
    ],
    [
      { contains: true, maxContains: 1 },
      [1, 2],
      [': Array may contain at most 1 items matching schema. 2 items were found.'],
    ],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, [': Instance has "a" but does not have "b".']],
    [{ propertyNames: { maxLength: 1 } }, { ab: 1 }, ['ab: Property name "ab" does not match schema.']],
    [{ dependentSchemas: { a: { required: ['b'] } } }, { a: 1 }, ['b: missing; expected a value']],
    [{ uniqueItems: true }, [{ a: 1, b: 2 }, 'x', { b: 2, a: 1 }], [': Duplicate items at indexes 0 and 2.']],
    [{ multipleOf: 0.1 }, 0.35, [': 0.35 is not a multiple of 0.1.']],
    [{ not: {} }, 1, [': Instance matched "not" schema.']],
    [{ if: { type: 'string' }, then: { minLength: 2 } }, 'x', [': expected value, received "x"']],
    [
      { properties: { a: { minimum: 1, multipleOf: 2 }, b: { multipleOf: 2 } } },
      { a: -1, b: 1 },
      ['a: expected value, received -1', 'b: 1 is not a multiple of 2.'],
    ],
  ])('names the place: %j', (document, value, issues) => {
    expect(interpret(document, value)).toEqual(issues);
  });

  it('is silent on values that fit, members that are undefined among them', () => {
    const document = {
      const: { a: [{ b: 1 }] },
      maxProperties: 1,
      additionalProperties: { type: 'array' },
      propertyNames: { const: 'a' },
    };
    expect(interpret(document, { a: [{ b: 1, c: undefined }], d: undefined })).toEqual([]);
  });

  it('refuses what JSON cannot carry', () => {
    for (const odd of [() => 1, 1n, Symbol('x'), Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(fits({ properties: { a: {} } }, { a: odd })).toBe(false);
      expect(fits({ items: { type: 'number' } }, [odd])).toBe(false);
    }
    expect(fits({ items: {} }, [undefined])).toBe(false);
  });
});

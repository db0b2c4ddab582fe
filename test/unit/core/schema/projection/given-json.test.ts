import { describe, expect, it } from 'vitest';
import type { JsonSchema, JsonValue } from 'weakincentives';
import { readGivenJson } from '../../../../../src/core/schema/index.ts';
import { closed, text } from './shape.ts';

const digits = '9007199254740993';
const read = (written: string, schema: JsonSchema | undefined, wasParsed = false) =>
  readGivenJson({ text: written, value: JSON.parse(written), wasParsed }, schema);

const node: JsonSchema = {
  ...closed({ id: { type: ['string', 'integer'] }, next: { $ref: '#/$defs/node' } }, ['id']),
};
const circle: JsonSchema = { anyOf: [{ $ref: '#/$defs/circle' }, { $ref: '#/$defs/circle' }] };

describe('the digits of an integer that a number does not hold', () => {
  it.each<[string, string, JsonSchema, JsonValue]>([
    ['text alone', `{"a":${digits}}`, closed({ a: text }), { a: digits }],
    ['several types', `{"a":${digits}}`, closed({ a: { type: ['null', 'string'] } }), { a: digits }],
    ['fixed texts', `{"a":${digits}}`, closed({ a: { enum: [digits, 1] } }), { a: digits }],
    [
      'an alternative',
      `{"a":${digits}}`,
      closed({ a: { anyOf: [{ type: 'integer' }, { oneOf: [text, { type: 'null' }] }] } }),
      { a: digits },
    ],
    ['items', `[[${digits}]]`, { type: 'array', items: { type: 'array', items: text } }, [[digits]]],
    ['places of a tuple', `[1,${digits}]`, { prefixItems: [{ type: 'integer' }, text] }, [1, digits]],
    ['items after a tuple', `[1,${digits}]`, { prefixItems: [true], items: text }, [1, digits]],
    ['free keys', `{"b":${digits}}`, { type: 'object', additionalProperties: text }, { b: digits }],
    [
      'a schema that contains itself',
      `{"id":1,"next":{"id":${digits}}}`,
      { $ref: '#/$defs/node', $defs: { node } },
      { id: 1, next: { id: digits } },
    ],
    [
      'the alternative of an object that it fits',
      `{"kind":"b","id":${digits}}`,
      {
        anyOf: [
          closed({ kind: { const: 'a' }, id: { type: 'integer' } }),
          closed({ kind: { const: 'b' }, id: text }),
        ],
      },
      { kind: 'b', id: digits },
    ],
    ['the whole value', digits, text, digits],
  ])('are text where the schema takes text: %s', (_name, written, schema, meant) => {
    expect(read(written, schema)).toEqual({ value: meant, issues: [] });
  });

  it.each<[string, string, JsonSchema | undefined]>([
    ['takes numbers only', `{"a":${digits}}`, closed({ a: { type: 'integer' } })],
    ['says nothing', `{"a":${digits}}`, {}],
    ['takes any value', `{"a":${digits}}`, { type: 'object', additionalProperties: true }],
    ['does not know the key', `{"a":${digits}}`, closed({ b: text })],
    ['has a rule for keys', `{"a":${digits}}`, { type: 'object', patternProperties: { a: text } }],
    ['goes in circles', `{"a":${digits}}`, { ...circle, $defs: { circle } }],
    ['is not known', `{"a":${digits}}`, undefined],
    [
      'takes text in another alternative',
      `{"kind":"a","a":${digits}}`,
      {
        anyOf: [
          closed({ kind: { const: 'a' }, a: { type: 'integer' } }),
          closed({ kind: { const: 'b' }, a: text }),
        ],
      },
    ],
  ])('are refused where the schema %s', (_name, written, schema) => {
    const message = `the integer ${digits} would be rounded to 9007199254740992; send it as text: its digits in quotes`;
    expect(read(written, schema).issues).toEqual([{ path: ['a'], message }]);
  });

  it('are lost in what was parsed before, whatever the schema takes', () => {
    const { issues, value } = read('{"a":123456789012345680000}', closed({ a: text }), true);
    expect(value).toEqual({ a: 123_456_789_012_345_680_000 });
    expect(issues).toEqual([
      {
        path: ['a'],
        message:
          'the integer 123456789012345680000 is beyond 2^53 − 1, and may have been rounded before it arrived; send it as text: its digits in quotes',
      },
    ]);
  });

  it('are lost in what is written with an exponent', () => {
    const [issue] = read('{"a":1e+21}', closed({ a: { type: 'number' } }), true).issues;
    expect(issue).toMatchObject({ path: ['a'], message: expect.stringContaining('1e+21 is beyond 2^53') });
  });

  it('are refused when no number is as large', () => {
    const [issue] = read(`{"a":1${'0'.repeat(400)}}`, closed({ a: { type: 'integer' } })).issues;
    expect(issue?.message).toContain('would be rounded to Infinity;');
  });
});

it('takes nulls out beside digits', () => {
  const schema = closed({ a: text, b: text, c: { type: ['string', 'null'] } }, ['a']);
  expect(read(`{"a":${digits},"b":null,"c":null}`, schema)).toEqual({
    value: { a: digits, c: null },
    issues: [],
  });
});

it('ends in a schema that goes in circles', () => {
  const schema = { anyOf: [closed({ a: { $ref: '#/$defs/circle' } }, []), text], $defs: { circle } };
  expect(read('{"a":null}', schema)).toEqual({ value: {}, issues: [] });
});

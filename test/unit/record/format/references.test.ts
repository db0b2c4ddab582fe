import { describe, expect, it } from 'vitest';
import {
  fromReferences,
  MissingBlob,
  toReferences,
  withoutReferences,
} from '../../../../src/record/format/references.ts';

const long = 'x'.repeat(513);
const none = (): string => {
  throw new Error('It was kept.');
};

/** A value with this many levels. */
function nested(levels: number): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

describe('references of a row', () => {
  it('stand for long texts, and come back', () => {
    const kept: string[] = [];
    const row = { type: 'event', texts: [long, 'short'], count: 1, none: null };
    const encoded = toReferences(row, (text) => `hash-${kept.push(text)}`);
    expect(encoded).toEqual({ type: 'event', texts: [{ $ref: 'hash-1' }, 'short'], count: 1, none: null });
    expect(kept).toEqual([long]);
    expect(fromReferences(encoded, () => long)).toEqual(row);
  });

  it.each([
    [{ $ref: 'a' }, { $$ref: 'a' }],
    [{ $$ref: 'a' }, { $$$ref: 'a' }],
    [
      { $ref: 'a', other: 1 },
      { $ref: 'a', other: 1 },
    ],
    [{ $reference: 'a' }, { $reference: 'a' }],
    [{ $ref: undefined, other: 1 }, { other: 1 }],
  ])('are told from data that looks like one: %j', (data, encoded) => {
    expect(toReferences({ data }, none)).toEqual({ data: encoded });
    expect(fromReferences({ data: encoded }, none)).toEqual({ data: JSON.parse(JSON.stringify(data)) });
  });

  it('leave out what is undefined, and put null where JSON has no word', () => {
    expect(toReferences({ a: undefined, b: [undefined, () => 1, Symbol('x')] }, none)).toEqual({
      b: [null, null, null],
    });
  });

  it('keep a member named __proto__', () => {
    const data: unknown = JSON.parse('{"__proto__":{"a":1},"b":2}');
    const encoded = toReferences({ data }, none);
    expect(JSON.stringify(encoded)).toBe('{"data":{"__proto__":{"a":1},"b":2}}');
    expect(JSON.stringify(fromReferences(encoded, none))).toBe(JSON.stringify(encoded));
    const held = JSON.parse('{"__proto__":{"$ref":"h"},"b":2}') as unknown;
    expect(JSON.stringify(fromReferences(held, () => 'text'))).toBe('{"__proto__":"text","b":2}');
  });

  it('end at 1,000 levels, both ways', () => {
    expect(JSON.stringify(toReferences(nested(999), none))).toBe(JSON.stringify(nested(999)));
    expect(JSON.stringify(toReferences(nested(1_001), none))).toContain('<nested too deep>');
    expect(fromReferences(nested(1_000), none)).toEqual(nested(1_000));
    expect(() => fromReferences(nested(1_001), none)).toThrow(RangeError);
  });

  it('without a blob are refused', () => {
    expect(() => fromReferences({ a: [{ $ref: 'h' }] }, () => undefined)).toThrow(
      expect.objectContaining(new MissingBlob('h')),
    );
  });

  it('are none in the first row', () => {
    expect(withoutReferences({ long, twice: [long, long], data: { $ref: 'a' }, none: undefined })).toEqual({
      long,
      twice: [long, long],
      data: { $$ref: 'a' },
    });
  });

  it('leave an object as it is that holds none', () => {
    const row = { a: [1, { b: 'c' }] };
    expect(fromReferences(row, none)).toBe(row);
    expect(toReferences(row, none)).toBe(row);
  });

  it('leave the parts as they are that hold none', () => {
    const row = { kept: { a: [1] }, changed: [{ long }, { b: 2 }] };
    const encoded = toReferences(row, () => 'hash');
    expect(encoded).toEqual({ kept: { a: [1] }, changed: [{ long: { $ref: 'hash' } }, { b: 2 }] });
    expect(encoded).toHaveProperty('kept', row.kept);
    expect(Reflect.get(Object(encoded), 'kept')).toBe(row.kept);
    expect(row.changed).toEqual([{ long }, { b: 2 }]);
  });

  it('take of an instance its own members, whatever it says that it is as JSON', () => {
    const said = { toJSON: () => 'said' };
    const row = { at: new Date(0), by: new Map([['a', 1]]), said, made: Object.create(said, {}) as unknown };
    const written = '{"at":{},"by":{},"said":{"toJSON":null},"made":{}}';
    expect(JSON.stringify(toReferences(row, none))).toBe(written);
    expect(JSON.stringify(toReferences({ ...row, long }, () => 'h'))).toBe(
      written.replace(/}$/, ',"long":{"$ref":"h"}}'),
    );
  });
});

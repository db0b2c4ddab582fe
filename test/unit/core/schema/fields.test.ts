import { describe, expect, expectTypeOf, it } from 'vitest';
import type { JsonValue } from 'weakincentives';
import {
  constant,
  count,
  type Field,
  json,
  list,
  oneOf,
  optional,
  type RecordOf,
  record,
  recordSchema,
  text,
} from '../../../../src/core/schema/fields.ts';
import { compileSchema, parseInputSync } from '../../../../src/core/schema/index.ts';

const change = { path: text, kind: text as Field<'created' | 'removed'> };
const fields = {
  name: text,
  attempts: count,
  changes: list(record(change)),
  reason: optional(text),
  value: optional(json<JsonValue>()),
  outcome: oneOf<'given' | 'silent'>(constant('given'), constant('silent')),
};

const schema = compileSchema(recordSchema(fields));
const fits = (value: unknown): boolean => parseInputSync(schema, value).ok;
const smallest = { name: 'a', attempts: 0, changes: [], outcome: 'silent' };

describe('the fields of a record', () => {
  it('are its type: optional ones may be absent, all are readonly', () => {
    expectTypeOf<RecordOf<typeof fields>>().branded.toEqualTypeOf<{
      readonly name: string;
      readonly attempts: number;
      readonly changes: readonly { readonly path: string; readonly kind: 'created' | 'removed' }[];
      readonly outcome: 'given' | 'silent';
      readonly reason?: string;
      readonly value?: JsonValue;
    }>();
  });

  it('are its schema', () => {
    expect(fits(smallest)).toBe(true);
    const full = { ...smallest, reason: 'why', value: [1], changes: [{ path: 'a', kind: 'created' }] };
    expect(fits(full)).toBe(true);
    // A later version may have more words.
    expect(fits({ ...smallest, changes: [{ path: 'a', kind: 'renamed' }] })).toBe(true);
  });

  it.each<readonly [string, object]>([
    ['a field that is missing', { name: 'a', attempts: 0, changes: [] }],
    ['a field that is not known', { ...smallest, more: 1 }],
    ['a field of another kind', { ...smallest, attempts: -1 }],
    ['an optional field of another kind', { ...smallest, reason: 1 }],
    ['a field of a nested record that is missing', { ...smallest, changes: [{ path: 'a' }] }],
    ['a value that is none of several', { ...smallest, outcome: 'failed' }],
  ])('refuse %s', (_what, value) => {
    expect(fits(value)).toBe(false);
  });

  it('name no type that the field does not have', () => {
    // @ts-expect-error: a text is no number.
    const wrong = text as Field<number>;
    expect(wrong.schema).toEqual({ type: 'string' });
  });
});

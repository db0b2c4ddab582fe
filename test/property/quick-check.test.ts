import { type SchemaDraft, Validator } from '@cfworker/json-schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createQuickCheck } from '../../src/schema/json-schema/quick-check.ts';

const keys = ['a', 'b', 'toString'] as const;
const draft: SchemaDraft = '2020-12';
const text = fc.constantFrom('', 'a', 'ab', '😀', '😀😀', 'abcd');
const number = fc.constantFrom(-1, 0, 0.5, 1, 2, 3, 1e21);
const primitive = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const limit = fc.integer({ min: 0, max: 3 });

const type = fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object');

/** Schemas of at most three keywords: with more, hardly any value fits. */
const { schema } = fc.letrec<{ schema: unknown }>((tie) => {
  const keywords = {
    type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1 })),
    enum: fc.array(primitive, { minLength: 1, maxLength: 3 }),
    const: primitive,
    minimum: limit,
    maximum: limit,
    exclusiveMinimum: limit,
    exclusiveMaximum: limit,
    minLength: limit,
    maxLength: limit,
    minItems: limit,
    maxItems: limit,
    pattern: fc.constantFrom('^a', 'b$', '^.$'),
    items: tie('schema'),
    properties: fc.dictionary(fc.constantFrom(...keys), tie('schema'), { maxKeys: 2 }),
    required: fc.uniqueArray(fc.constantFrom(...keys), { maxLength: 2 }),
    additionalProperties: tie('schema'),
    anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
    description: text,
  };
  const entries = Object.entries(keywords).map(([keyword, operand]) =>
    fc.tuple(fc.constant(keyword), operand as fc.Arbitrary<unknown>),
  );
  return {
    schema: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      fc.boolean(),
      fc.array(fc.oneof(...entries), { maxLength: 3 }).map((chosen) => Object.fromEntries(chosen)),
    ),
  };
});

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    primitive,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 3 }),
  ),
}));

describe('the quick check of a JSON Schema', () => {
  it('accepts nothing that the validator refuses', () => {
    let accepted = 0;
    fc.assert(
      fc.property(schema, fc.array(value, { minLength: 5, maxLength: 10 }), (document, values) => {
        const quickCheck = createQuickCheck(document);
        if (quickCheck === undefined) return;
        // The validator itself is asked for no more than what JSON is.
        const validator = new Validator(structuredClone(document) as boolean, draft);
        for (const item of values.filter(quickCheck)) {
          accepted += 1;
          expect(validator.validate(item).valid).toBe(true);
        }
      }),
      { numRuns: 3_000 },
    );
    expect(accepted).toBeGreaterThan(5_000);
  });

  it('accepts plain values without the validator', () => {
    const quickCheck = createQuickCheck({
      type: 'object',
      properties: {
        id: { type: 'string', minLength: 1 },
        tags: { type: 'array', items: { enum: ['a', 'b'] } },
      },
      required: ['id'],
      additionalProperties: false,
    });
    expect(quickCheck?.({ id: 'x', tags: ['a', 'b'] })).toBe(true);
    expect(quickCheck?.({ id: 'x', tags: undefined })).toBe(true);
    expect(quickCheck?.({ id: 'x', other: 1 })).toBe(false);
    expect(quickCheck?.({ id: '' })).toBe(false);
    expect(quickCheck?.({ tags: [] })).toBe(false);
    expect(quickCheck?.({ id: 'x', tags: Object.assign(['a'], { 2: 'b' }) })).toBe(false);
  });

  it('knows nothing of formats, references and what was evaluated', () => {
    for (const keyword of ['format', '$ref', 'unevaluatedProperties', 'patternProperties', 'oneOf', 'not'])
      expect(createQuickCheck({ properties: { a: { [keyword]: {} } } })).toBeUndefined();
  });

  it('leaves objects that inherit something to the validator', () => {
    const quickCheck = createQuickCheck({
      properties: { id: { type: 'string' } },
      additionalProperties: false,
    });
    expect(quickCheck?.(Object.create(null))).toBe(true);
    expect(quickCheck?.(Object.create({ id: 'x' }))).toBe(false);
    expect(quickCheck?.(Object.create({ other: 'x' }))).toBe(false);
  });

  it('refuses what JSON cannot carry', () => {
    for (const odd of [undefined, () => 1, 1n, Symbol('x')]) {
      expect(createQuickCheck(true)?.(odd)).toBe(false);
      expect(createQuickCheck({ properties: { a: {} } })?.({ a: odd })).toBe(odd === undefined);
    }
    expect(createQuickCheck({ type: 'number' })?.(Number.NaN)).toBe(false);
  });
});

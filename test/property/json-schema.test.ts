import { type SchemaDraft, Validator } from '@cfworker/json-schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonSchema, jsonSchema, type Schema } from 'weakincentives';
import { patternsOf, strangerSchema } from '../../src/core/schema/index.ts';
import { readPatterns } from '../../src/harness/mcp/mount/linear-patterns.ts';
import { draws, seenAtLeast } from '../support/draws.ts';

const keys = ['a', 'b', 'toString'] as const;
const key = fc.constantFrom(...keys);
const someKeys = fc.uniqueArray(key, { maxLength: 2 });
const text = fc.constantFrom('', 'a', 'ab', '😀', '😀😀', 'abcd', '2024-02-29', '::1', 'a@b.c');
const number = fc.constantFrom(-1, 0, 0.3, 0.5, 1, 2, 3, 1e21);
const primitive = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const limit = fc.integer({ min: 0, max: 3 });
const type = fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object');

const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    primitive,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

type Keywords = Readonly<Record<string, fc.Arbitrary<unknown>>>;

const ofValues: Keywords = {
  type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1 })),
  enum: fc.array(value, { minLength: 1, maxLength: 3 }),
  const: value,
  minimum: limit,
  maximum: limit,
  exclusiveMinimum: limit,
  exclusiveMaximum: limit,
  multipleOf: fc.constantFrom(0.1, 0.5, 1, 2, 1e-7),
  minLength: limit,
  maxLength: limit,
  pattern: fc.constantFrom('^a', 'b$', '^.$', '^(?!a)'),
  format: fc.constantFrom('date', 'ipv6', 'email', 'nothing known'),
  minItems: limit,
  maxItems: limit,
  uniqueItems: fc.boolean(),
  minProperties: limit,
  maxProperties: limit,
  required: someKeys,
  description: text,
};

/** What leads to other schemas. */
function applicators(schema: fc.Arbitrary<unknown>, part: fc.Arbitrary<unknown>): Keywords {
  const parts = fc.array(part, { minLength: 1, maxLength: 3 });
  const map = fc.dictionary(key, schema, { maxKeys: 2, noNullPrototype: true });
  return {
    properties: map,
    patternProperties: fc.dictionary(fc.constantFrom('^a', 'b|S'), schema, {
      maxKeys: 2,
      noNullPrototype: true,
    }),
    additionalProperties: schema,
    propertyNames: schema,
    items: schema,
    contains: schema,
    minContains: limit,
    maxContains: limit,
    allOf: parts,
    anyOf: parts,
    oneOf: parts,
    not: part,
    if: part,
    then: part,
    else: part,
  };
}

/** Schemas of at most three keywords: with more, hardly any value fits. */
function schemaOf(
  keywords: Keywords,
  pairs: readonly (readonly [string, string])[] = [],
): fc.Arbitrary<unknown> {
  const entries = Object.entries(keywords).map(([name, operand]) => fc.tuple(fc.constant(name), operand));
  const joint = pairs.flatMap(([one, other]) => {
    const [first, second] = [keywords[one], keywords[other]];
    return first === undefined || second === undefined ? [] : [fc.record({ [one]: first, [other]: second })];
  });
  const single = fc.array(fc.oneof(...entries), { maxLength: 3 }).map((chosen) => Object.fromEntries(chosen));
  return fc.tuple(single, fc.oneof(fc.constant({}), ...joint)).map(([one, other]) => ({ ...one, ...other }));
}

const pairs = [
  ['if', 'then'],
  ['if', 'else'],
  ['contains', 'minContains'],
  ['contains', 'maxContains'],
  ['properties', 'additionalProperties'],
  ['patternProperties', 'additionalProperties'],
] as const;

/** A document with two definitions that schemas for what lies below a value may refer to. */
function documents(
  draft: SchemaDraft,
  further: (schema: fc.Arbitrary<unknown>, part: fc.Arbitrary<unknown>) => Keywords,
  onlyWhole: (schema: fc.Arbitrary<unknown>) => Keywords,
  furtherPairs: readonly (readonly [string, string])[],
): fc.Arbitrary<JsonSchema> {
  const definitions = draft === '7' ? 'definitions' : '$defs';
  const { schema, definition } = fc.letrec<{ schema: unknown; part: unknown; definition: unknown }>((tie) => {
    const common = {
      ...ofValues,
      ...applicators(tie('schema'), tie('part')),
      ...further(tie('schema'), tie('part')),
    };
    const reference = fc.constantFrom('one', 'two').map((name) => `#/${definitions}/${name}`);
    const all = [...pairs, ...furtherPairs];
    const options = { maxDepth: 3, depthSize: 'small' } as const;
    return {
      // The oracle lets a part see what its neighbors evaluated, so only whole schemas ask for it.
      schema: fc.oneof(
        options,
        fc.boolean(),
        schemaOf({ ...common, ...onlyWhole(tie('schema')), $ref: reference }, all),
      ),
      part: fc.oneof(options, fc.boolean(), schemaOf(common, all)),
      definition: fc.oneof(options, schemaOf(common, all)),
    };
  });
  return fc.record({ root: schema, one: definition, two: definition }).map(
    ({ root, one, two }) =>
      ({
        ...(draft === '7' ? { $schema: 'http://json-schema.org/draft-07/schema#' } : {}),
        properties: { a: root },
        allOf: [root],
        [definitions]: { one, two },
      }) as JsonSchema,
  );
}

const drafts: readonly (readonly [SchemaDraft, fc.Arbitrary<JsonSchema>])[] = [
  [
    '2020-12',
    documents(
      '2020-12',
      (schema, part) => ({
        prefixItems: fc.array(schema, { minLength: 1, maxLength: 2 }),
        dependentSchemas: fc.dictionary(key, part, { maxKeys: 1, noNullPrototype: true }),
        dependentRequired: fc.dictionary(key, someKeys, { maxKeys: 1, noNullPrototype: true }),
      }),
      (schema) => ({ unevaluatedProperties: schema, unevaluatedItems: schema }),
      [
        ['prefixItems', 'items'],
        ['prefixItems', 'unevaluatedItems'],
        ['contains', 'unevaluatedItems'],
        ['anyOf', 'unevaluatedProperties'],
        ['allOf', 'unevaluatedProperties'],
        ['dependentSchemas', 'unevaluatedProperties'],
      ],
    ),
  ],
  [
    '7',
    documents(
      '7',
      (schema) => ({
        items: fc.oneof(schema, fc.array(schema, { minLength: 1, maxLength: 2 })),
        additionalItems: schema,
        // The oracle does not follow references in dependencies.
        dependencies: fc.dictionary(key, fc.oneof(schemaOf(ofValues), someKeys), {
          maxKeys: 1,
          noNullPrototype: true,
        }),
      }),
      () => ({}),
      [
        ['items', 'additionalItems'],
        ['$ref', 'properties'],
      ],
    ),
  ],
];

function issuesOf(document: JsonSchema, item: unknown): readonly unknown[] {
  return issuesBy(jsonSchema(document), item);
}

function issuesBy(schema: Schema, item: unknown): readonly unknown[] {
  const result = schema['~standard'].validate(item);
  if (result instanceof Promise) throw new Error('Raw schemas are synchronous.');
  return result.issues ?? [];
}

describe.each(drafts)('a JSON Schema of draft %s', (draft, documentsOfDraft) => {
  it('takes and refuses the values that an independent validator takes and refuses, with at least one issue', () => {
    const seen = { fit: 0, unfit: 0 };
    fc.assert(
      fc.property(documentsOfDraft, fc.array(value, { minLength: 5, maxLength: 10 }), (document, values) => {
        const oracle = new Validator(structuredClone({ ...document }), draft);
        for (const item of values) {
          const { valid } = oracle.validate(item);
          seen[valid ? 'fit' : 'unfit'] += 1;
          expect(issuesOf(document, item).length === 0).toBe(valid);
        }
      }),
      { numRuns: draws(1_000) },
    );
    expect(Math.min(seen.fit, seen.unfit)).toBeGreaterThan(seenAtLeast(500));
  });

  it('of a stranger takes and refuses the same values, or more where a pattern cannot be read', async () => {
    const seen = { same: 0, looser: 0 };
    await fc.assert(
      fc.asyncProperty(
        documentsOfDraft,
        fc.array(value, { minLength: 5, maxLength: 10 }),
        async (document, values) => {
          const { read, unread } = await readPatterns(patternsOf(document));
          const stranger = strangerSchema(document, read);
          for (const item of values) {
            const isValid = issuesOf(document, item).length === 0;
            const isTaken = issuesBy(stranger, item).length === 0;
            if (unread.length === 0) expect(isTaken).toBe(isValid);
            else expect(isTaken || !isValid).toBe(true);
            seen[isTaken === isValid ? 'same' : 'looser'] += 1;
          }
        },
      ),
      { numRuns: draws(1_000) },
    );
    expect(seen.same).toBeGreaterThan(seenAtLeast(1_000));
    expect(seen.looser).toBeGreaterThanOrEqual(seenAtLeast(1));
  });
});

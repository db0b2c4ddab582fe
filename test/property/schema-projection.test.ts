import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import * as fc from 'fast-check';
import { toStrictJsonSchema } from 'openai/lib/transform';
import { describe, expect, it } from 'vitest';
import { type JsonSchema, type JsonValue, jsonSchema } from 'weakincentives';
import { aiSdkDialect } from 'weakincentives/ai-sdk';
import { anthropicDialect } from 'weakincentives/anthropic';
import { openaiDialect } from 'weakincentives/openai';
import type { SchemaDialect } from 'weakincentives/provider';
import { compileSchema, parseInputSync } from '../../src/core/schema/index.ts';
import { draws } from '../support/draws.ts';
import { readBack } from '../support/read-back.ts';

/** What makes a schema one that not every provider holds a model to. */
type Trait =
  | 'optional property'
  /** Held by OpenAI alone. */
  | 'bound'
  /** Held by nobody. */
  | 'constraint'
  | 'recursion'
  | 'free shape';

/** A schema with a value that fits it, and the same value as a model writes it that must fill in every key. */
interface Sample {
  readonly schema: JsonSchema;
  readonly value: JsonValue;
  readonly written: JsonValue;
  readonly traits: readonly Trait[];
}

const names = ['a', 'b', 'c', '__proto__', 'value'] as const;

const tree: JsonSchema = {
  type: 'object',
  properties: { name: { type: 'string' }, next: { $ref: '#/$defs/tree' } },
  required: ['name'],
  additionalProperties: false,
};

const leaf: fc.Arbitrary<Sample> = fc.oneof(
  fc.string({ maxLength: 3 }).map((value) => same({ type: 'string' }, value)),
  fc.integer({ min: -9, max: 9 }).map((value) => same({ type: 'integer', minimum: -9 }, value, 'bound')),
  fc.constantFrom('x', 'y').map((value) => same({ enum: ['x', 'y'] }, value)),
  fc.constantFrom(null, 'z').map((value) => same({ type: ['string', 'null'] }, value)),
  fc.constantFrom(null, 1).map((value) => same({ anyOf: [{ type: 'integer' }, { type: 'null' }] }, value)),
  fc.constant(same({ type: 'boolean', default: true }, true)),
  fc.constant(same({ $ref: '#/$defs/name' }, 'n')),
  fc.constant(same({ $ref: '#/$defs/name', description: 'A name.' }, 'n')),
  fc.constant(same({ type: ['integer', 'array'], items: { type: 'string' }, title: 'T' }, ['i'])),
  fc.constant(
    same({ type: 'array', items: { type: 'string' }, uniqueItems: true }, ['i', 'j'], 'constraint'),
  ),
  fc.constant(same({ type: 'object', additionalProperties: { type: 'string' } }, { k: 'v' }, 'free shape')),
  fc.constant(same({}, [1, { k: null }], 'free shape')),
  fc.constant<Sample>({
    schema: { $ref: '#/$defs/tree' },
    value: { name: 'n', next: { name: 'm' } },
    written: { name: 'n', next: { name: 'm', next: null } },
    traits: ['recursion', 'optional property'],
  }),
);

const { root } = fc.letrec<{ any: Sample; object: Sample; root: Sample }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    tie('object'),
    list(tie('any')),
    union(tie('object')),
  ),
  object: fc
    .uniqueArray(
      fc.record({
        name: fc.constantFrom(...names),
        sample: tie('any'),
        isRequired: fc.boolean(),
        isGiven: fc.boolean(),
      }),
      { selector: ({ name }) => name, maxLength: 3 },
    )
    .map((properties) => {
      const given = properties.filter(({ isRequired, isGiven }) => isRequired || isGiven);
      return {
        schema: {
          type: 'object',
          properties: Object.fromEntries(properties.map(({ name, sample }) => [name, sample.schema])),
          required: properties.filter(({ isRequired }) => isRequired).map(({ name }) => name),
          additionalProperties: false,
        },
        value: Object.fromEntries(given.map(({ name, sample }) => [name, sample.value])),
        written: Object.fromEntries(
          properties.map((property) => [
            property.name,
            given.includes(property) ? property.sample.written : null,
          ]),
        ),
        traits: properties.flatMap(({ sample, isRequired }): readonly Trait[] =>
          isRequired || allowsNull(sample.schema) ? sample.traits : [...sample.traits, 'optional property'],
        ),
        // A null that is allowed anyway stays, so leaving such a key out cannot be written.
        isWritable: properties.every(
          (property) => given.includes(property) || !allowsNull(property.sample.schema),
        ),
      };
    })
    .filter(({ isWritable }) => isWritable),
  root: fc.oneof(tie('object'), list(tie('any')), union(tie('object'))),
}));

function same(schema: JsonSchema, value: JsonValue, ...traits: readonly Trait[]): Sample {
  return { schema, value, written: value, traits };
}

function list(items: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  return items.map(({ schema, value, written, traits }) => ({
    traits,
    schema: { type: 'array', items: schema },
    value: [value, value],
    written: [written, written],
  }));
}

/** Two objects that are told apart by a fixed value; the sample is of either. */
function union(objects: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  return fc.tuple(objects, objects, fc.boolean()).map(([left, right, isRight]) => {
    const chosen = isRight ? right : left;
    const kind = isRight ? 'right' : 'left';
    return {
      schema: { anyOf: [withKind(left.schema, 'left'), withKind(right.schema, 'right')] },
      value: { ...(chosen.value as object), kind },
      written: { ...(chosen.written as object), kind },
      traits: [...left.traits, ...right.traits],
    };
  });
}

function withKind(schema: JsonSchema, kind: string): JsonSchema {
  const { properties, required } = schema as { properties: object; required: readonly string[] };
  return { ...schema, properties: { ...properties, kind: { const: kind } }, required: [...required, 'kind'] };
}

function allowsNull({ type, anyOf }: JsonSchema): boolean {
  return (
    (Array.isArray(type) && type.includes('null')) ||
    (Array.isArray(anyOf) && anyOf.some((member: JsonSchema) => member['type'] === 'null'))
  );
}

const neverHeld: Readonly<Record<string, readonly Trait[]>> = {
  openai: ['free shape'],
  anthropic: ['free shape', 'recursion'],
  'the AI SDK': ['free shape', 'recursion', 'optional property', 'bound', 'constraint'],
};
const lost: Readonly<Record<string, readonly Trait[]>> = {
  openai: ['constraint'],
  anthropic: ['bound', 'constraint'],
  'the AI SDK': [],
};

function accepts(schema: JsonSchema, value: JsonValue): boolean {
  return parseInputSync(compileSchema(jsonSchema(schema)), value).ok;
}

function expectTakenByVendor(dialect: SchemaDialect, schema: JsonSchema): void {
  if (dialect === anthropicDialect) expect(transformJSONSchema(schema)).toEqual(schema);
  else expect(toStrictJsonSchema(structuredClone(schema) as never)).toEqual(schema);
}

describe('a projected schema', () => {
  it.each<[string, SchemaDialect]>([
    ['openai', openaiDialect],
    ['anthropic', anthropicDialect],
    ['the AI SDK', aiSdkDialect],
  ])(
    "for %s holds by the vendor's rules, takes every value, and gives it back as it was meant",
    (name, dialect) => {
      fc.assert(
        fc.property(root, ({ schema, value, written, traits }) => {
          const source: JsonSchema = { ...schema, $defs: { name: { type: 'string' }, tree } };
          const projected = readBack(source, dialect);
          const isTooLarge = projected.losses.some(({ note }) => note.startsWith('more than'));
          const isHeld = !traits.some((trait) => neverHeld[name]?.includes(trait)) && !isTooLarge;
          expect(projected.strict).toBe(isHeld);
          if (isHeld) {
            expect(projected.losses.length > 0).toBe(traits.some((trait) => lost[name]?.includes(trait)));
            expectTakenByVendor(dialect, projected.schema);
          } else expect(projected.losses).not.toEqual([]);

          const isObject = schema['type'] === 'object';
          const filled = isHeld && dialect.optionalProperties === 'nullable' ? written : value;
          const sent = isObject ? filled : { value: filled };
          expect(accepts(projected.schema, sent)).toBe(true);
          const restored = projected.restore(sent);
          expect(restored).toEqual(value);
          expect(accepts(source, restored)).toBe(true);
        }),
        { numRuns: draws(500) },
      );
    },
  );
});

import * as fc from 'fast-check';
import { toStrictJsonSchema } from 'openai/lib/transform';
import { describe, expect, it } from 'vitest';
import { type JsonSchema, type JsonValue, jsonSchema, projectSchema } from 'weakincentives';
import { openaiDialect } from 'weakincentives/openai';
import { compileSchema, parseInputSync } from '../../src/schema/index.ts';

/** A schema with a value that fits it, and the same value as a model writes it that must fill in every key. */
interface Sample {
  readonly schema: JsonSchema;
  readonly value: JsonValue;
  readonly written: JsonValue;
}

const names = ['a', 'b', 'c', '__proto__', 'value'] as const;

const leaf: fc.Arbitrary<Sample> = fc.oneof(
  fc.string({ maxLength: 3 }).map((value) => same({ type: 'string' }, value)),
  fc.integer({ min: -9, max: 9 }).map((value) => same({ type: 'integer', minimum: -9 }, value)),
  fc.constantFrom('x', 'y').map((value) => same({ enum: ['x', 'y'] }, value)),
  fc.constantFrom(null, 'z').map((value) => same({ type: ['string', 'null'] }, value)),
  fc.constantFrom(null, 1).map((value) => same({ anyOf: [{ type: 'integer' }, { type: 'null' }] }, value)),
  fc.constant(same({ type: 'boolean', default: true }, true)),
  fc.constant(same({ $ref: '#/$defs/name' }, 'n')),
  fc.constant(same({ $ref: '#/$defs/name', description: 'A name.' }, 'n')),
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
        // A null that is allowed anyway stays, so leaving such a key out cannot be written.
        isWritable: properties.every(
          (property) => given.includes(property) || !allowsNull(property.sample.schema),
        ),
      };
    })
    .filter(({ isWritable }) => isWritable),
  root: fc.oneof(tie('object'), list(tie('any')), union(tie('object'))),
}));

function same(schema: JsonSchema, value: JsonValue): Sample {
  return { schema, value, written: value };
}

function list(items: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  return items.map(({ schema, value, written }) => ({
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
    };
  });
}

function withKind(schema: JsonSchema, kind: string): JsonSchema {
  const { properties, required } = schema as { properties: object; required: readonly string[] };
  return { ...schema, properties: { ...properties, kind: { const: kind } }, required: [...required, 'kind'] };
}

function allowsNull(schema: JsonSchema): boolean {
  return JSON.stringify([schema['type'], schema['anyOf']]).includes('"null"');
}

describe('a strict schema', () => {
  it("holds by the vendor's rules, and what a model writes for it comes back as what was meant", () => {
    fc.assert(
      fc.property(root, ({ schema, value, written }) => {
        const source: JsonSchema = { ...schema, $defs: { name: { type: 'string' } } };
        const projected = projectSchema(source, openaiDialect);
        expect(projected.strict).toBe(true);
        expect(projected.losses).toEqual([]);
        expect(toStrictJsonSchema(structuredClone(projected.schema) as never)).toEqual(projected.schema);

        const isObject = schema['type'] === 'object';
        const sent = isObject ? written : { value: written };
        expect(parseInputSync(compileSchema(jsonSchema(projected.schema)), sent)).toMatchObject({ ok: true });
        const restored = projected.restore(sent);
        expect(restored).toEqual(value);
        expect(parseInputSync(compileSchema(jsonSchema(source)), restored)).toMatchObject({ ok: true });
        if (!projected.changesValues) expect(restored).toBe(sent);
      }),
      { numRuns: 500 },
    );
  });
});

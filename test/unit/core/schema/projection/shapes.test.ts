import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import { toStrictJsonSchema } from 'openai/lib/transform';
import { describe, expect, it } from 'vitest';
import { type JsonSchema, type JsonValue, jsonSchema } from 'weakincentives';
import type { SchemaProjection } from 'weakincentives/provider';
import { compileSchema, parseInputSync } from '../../../../../src/core/schema/index.ts';
import { readBack } from '../../../../support/read-back.ts';
import { partShapes } from './part-shapes.ts';
import { closed, type DialectName, dialects, type Shape } from './shape.ts';
import { valueShapes } from './value-shapes.ts';

const shapes = [...valueShapes, ...partShapes];
const names = Object.keys(dialects) as readonly DialectName[];
const rows = shapes.flatMap((shape) => names.map((name) => ({ ...shape, dialect: name })));

/** The schema as a tool has it that was made with this one. */
function written({ schema, isWhole, $defs }: Shape): JsonSchema {
  const whole = isWhole ? schema : closed({ it: schema });
  return compileSchema(jsonSchema($defs === undefined ? whole : { ...whole, $defs })).inputJsonSchema;
}

/** A value of the row as one of the whole schema. */
function within({ isWhole }: Shape, value: JsonValue): JsonValue {
  return isWhole ? value : { it: value };
}

function accepts(schema: JsonSchema, value: JsonValue): boolean {
  return parseInputSync(compileSchema(jsonSchema(schema)), value).ok;
}

function lossesOf({ losses }: SchemaProjection, { isWhole }: Shape): readonly string[] {
  const from = isWhole ? '' : '/properties/it';
  return losses.map(({ path, keyword }) => {
    expect(path.startsWith(from)).toBe(true);
    return `${path.slice(from.length)} ${keyword}`.trim();
  });
}

/** Both vendors accept a type next to fixed values; Anthropic's client omits it. */
function withoutToldTypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutToldTypes);
  if (typeof value !== 'object' || value === null) return value;
  const isFixed = 'enum' in value || 'const' in value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, child]) =>
      isFixed && key === 'type' ? [] : [[key, withoutToldTypes(child)]],
    ),
  );
}

function expectTakenByVendors(dialect: DialectName, schema: JsonSchema): void {
  if (dialect !== 'anthropic') expect(toStrictJsonSchema(structuredClone(schema) as never)).toEqual(schema);
  if (dialect === 'anthropic') expect(transformJSONSchema(schema)).toEqual(schema);
  if (dialect === 'ai-sdk') expect(transformJSONSchema(schema)).toEqual(withoutToldTypes(schema));
}

describe.each(rows)('$name, for $dialect', ({ dialect, ...shape }) => {
  const source = written(shape);
  const projection = readBack(source, dialects[dialect]);
  const expected = shape.becomes[dialect];

  it('becomes what it should, and says what is lost', () => {
    expect({ strict: projection.strict, lost: lossesOf(projection, shape) }).toEqual({
      strict: expected.strict,
      lost: expected.lost,
    });
    if (!expected.strict) {
      if (source['type'] === 'object') expect(projection.schema).toEqual(source);
      return;
    }
    const { $defs, ...sent } = projection.schema;
    const own = expected.schema === 'same' ? shape.schema : expected.schema;
    expect(sent).toEqual(shape.isWhole ? own : closed({ it: own }));
    if ($defs !== undefined) expect($defs).toEqual(shape.$defs);
    expectTakenByVendors(dialect, projection.schema);
  });

  it('brings values back that the original takes', () => {
    for (const { value, written: filled = value } of shape.samples) {
      const isFilled = dialect === 'openai' || shape.isWhole;
      const sent = within(shape, projection.strict && isFilled ? filled : value);
      expect(accepts(projection.schema, sent)).toBe(true);
      const restored = projection.restore(sent);
      expect(restored).toEqual(within(shape, value));
      expect(accepts(source, restored)).toBe(true);
    }
  });
});

it.each(rows.filter(({ broken }) => broken !== undefined))(
  '$name, for $dialect: what the original refuses it refuses afterwards',
  ({ dialect, ...shape }) => {
    const source = written(shape);
    const sent = within(shape, shape.broken ?? null);
    expect(accepts(source, readBack(source, dialects[dialect]).restore(sent))).toBe(false);
  },
);

it('has every shape once', () => {
  expect(new Set(shapes.map(({ name }) => name)).size).toBe(shapes.length);
});

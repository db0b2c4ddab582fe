import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { type JsonSchema, jsonSchema, type Schema } from 'weakincentives';
import { z } from 'zod';
import { compileSchema, describeIssues, parseInputSync } from '../../../../src/core/schema/index.ts';

/** The same schema in each library. */
export type ByLibrary = Readonly<Record<'zod' | 'valibot' | 'arktype' | 'raw', Schema>>;

/** What a shape is to prove. */
export type ShapeName =
  | 'flat'
  | 'nested'
  | 'list'
  | 'tuple'
  | 'record'
  | 'tagged'
  | 'intersection'
  | 'recursive'
  | 'nullable'
  | 'free';

/** The issues that the model would read; empty when the value is accepted. */
export function issuesOf(schema: Schema, value: unknown): string {
  const outcome = parseInputSync(compileSchema(schema), value);
  return outcome.ok ? '' : describeIssues(outcome.issues);
}

/** A closed object in raw JSON Schema, all keys required. */
export function rawObject(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties) };
}

const rawText: JsonSchema = { type: 'string' };
const rawNumber: JsonSchema = { type: 'number' };

const zodNode = z.object({
  name: z.string(),
  get children() {
    return z.array(zodNode);
  },
});
interface TreeNode {
  name: string;
  children: TreeNode[];
}
const valibotNode: v.GenericSchema<TreeNode> = v.object({
  name: v.string(),
  children: v.array(v.lazy(() => valibotNode)),
});

/** Schemas as all libraries write them, by what they are to prove. */
export const shapes: Readonly<Record<ShapeName, ByLibrary>> = {
  flat: {
    zod: z.object({ path: z.string(), limit: z.int().min(1).default(100) }),
    valibot: toStandardJsonSchema(
      v.object({ path: v.string(), limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 100) }),
    ),
    arktype: type({ path: 'string', limit: 'number.integer >= 1 = 100' }),
    raw: jsonSchema({
      type: 'object',
      properties: { path: rawText, limit: { type: 'integer', minimum: 1, default: 100 } },
      required: ['path'],
    }),
  },
  nested: {
    zod: z.object({ file: z.object({ name: z.string() }) }),
    valibot: toStandardJsonSchema(v.object({ file: v.object({ name: v.string() }) })),
    arktype: type({ file: { name: 'string' } }),
    raw: jsonSchema(rawObject({ file: rawObject({ name: rawText }) })),
  },
  list: {
    zod: z.object({ paths: z.array(z.object({ name: z.string(), size: z.number() })) }),
    valibot: toStandardJsonSchema(
      v.object({ paths: v.array(v.object({ name: v.string(), size: v.number() })) }),
    ),
    arktype: type({ paths: type({ name: 'string', size: 'number' }).array() }),
    raw: jsonSchema(
      rawObject({ paths: { type: 'array', items: rawObject({ name: rawText, size: rawNumber }) } }),
    ),
  },
  tuple: {
    zod: z.object({ pair: z.tuple([z.object({ from: z.string() }), z.object({ to: z.string() })]) }),
    valibot: toStandardJsonSchema(
      v.object({ pair: v.tuple([v.object({ from: v.string() }), v.object({ to: v.string() })]) }),
    ),
    arktype: type({ pair: [{ from: 'string' }, { to: 'string' }] }),
    raw: jsonSchema(
      rawObject({
        pair: {
          type: 'array',
          prefixItems: [rawObject({ from: rawText }), rawObject({ to: rawText })],
          minItems: 2,
        },
      }),
    ),
  },
  record: {
    zod: z.object({ byName: z.record(z.string(), z.object({ size: z.number() })) }),
    valibot: toStandardJsonSchema(v.object({ byName: v.record(v.string(), v.object({ size: v.number() })) })),
    arktype: type({ byName: { '[string]': { size: 'number' } } }),
    raw: jsonSchema(
      rawObject({ byName: { type: 'object', additionalProperties: rawObject({ size: rawNumber }) } }),
    ),
  },
  tagged: {
    zod: z.object({
      shape: z.union([
        z.object({ kind: z.literal('box'), width: z.number() }),
        z.object({ kind: z.literal('circle'), radius: z.number() }),
      ]),
    }),
    valibot: toStandardJsonSchema(
      v.object({
        shape: v.union([
          v.object({ kind: v.literal('box'), width: v.number() }),
          v.object({ kind: v.literal('circle'), radius: v.number() }),
        ]),
      }),
    ),
    // ArkType sorts the members of a union, so the others list them in that order.
    arktype: type({
      shape: type({ kind: "'circle'", radius: 'number' }).or({ kind: "'box'", width: 'number' }),
    }),
    raw: jsonSchema(
      rawObject({
        shape: {
          anyOf: [
            rawObject({ kind: { const: 'box' }, width: rawNumber }),
            rawObject({ kind: { const: 'circle' }, radius: rawNumber }),
          ],
        },
      }),
    ),
  },
  intersection: {
    zod: z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() })),
    valibot: toStandardJsonSchema(v.intersect([v.object({ a: v.string() }), v.object({ b: v.string() })])),
    arktype: type({ a: 'string' }).and({ b: 'string' }),
    raw: jsonSchema({ allOf: [rawObject({ a: rawText }), rawObject({ b: rawText })] }),
  },
  recursive: {
    zod: zodNode,
    valibot: toStandardJsonSchema(valibotNode),
    arktype: type.module({ node: { name: 'string', children: 'node[]' } }).node,
    raw: jsonSchema({
      $ref: '#/$defs/node',
      $defs: {
        node: rawObject({ name: rawText, children: { type: 'array', items: { $ref: '#/$defs/node' } } }),
      },
    }),
  },
  nullable: {
    zod: z.object({ owner: z.object({ id: z.string() }).nullable() }),
    valibot: toStandardJsonSchema(v.object({ owner: v.nullable(v.object({ id: v.string() })) })),
    arktype: type({ owner: type({ id: 'string' }).or('null') }),
    raw: jsonSchema(rawObject({ owner: { anyOf: [rawObject({ id: rawText }), { type: 'null' }] } })),
  },
  free: {
    zod: z.object({ meta: z.unknown(), any: z.record(z.string(), z.unknown()) }),
    valibot: toStandardJsonSchema(v.object({ meta: v.unknown(), any: v.record(v.string(), v.unknown()) })),
    arktype: type({ meta: 'unknown', any: 'Record<string, unknown>' }),
    raw: jsonSchema(rawObject({ meta: {}, any: { type: 'object', additionalProperties: true } })),
  },
};

/** The pairs of library and schema of one shape, for `it.each`. */
export function libraries(shape: Partial<ByLibrary>): readonly (readonly [string, Schema])[] {
  return Object.entries(shape);
}

import { memberText, present } from '../../internal/index.ts';
import type { JsonSchema } from '../json-schema/json-schema.ts';
import { createReferenceResolver } from '../json-schema/reference.ts';
import type { SchemaCounts, SchemaDialect, SchemaLoss } from './dialect.ts';
import { documentSteps, flattenSchema } from './flatten-schema.ts';
import { projectStrictly } from './projector.ts';
import { objectWith, wrapperKey, wrapSchema } from './wrap-schema.ts';

/** A JSON Schema as a provider takes it. */
export interface SchemaProjection {
  /** What is sent: an object schema. */
  readonly schema: JsonSchema;
  /** Whether the provider can enforce it; otherwise the schema is advice to the model. */
  readonly strict: boolean;
  /** What the provider does not enforce, or, when the schema is not strict, why. This library checks values in any case. */
  readonly losses: readonly { [Name in keyof SchemaLoss]: SchemaLoss[Name] }[];
  /** What the strict form holds. */
  readonly counts: { [Name in keyof SchemaCounts]: SchemaCounts[Name] };
  /** True when a value is under the key `value` of an object, since the provider accepts objects only. */
  readonly isWrapped: boolean;
  /**
   * JSON text that a model wrote for `schema`, taken out of the object that was put around it, as it was written; any other text as it is, for those to
   * judge who read it. Nulls for what may be left out are taken out where arguments and answers are read.
   */
  unwrap(text: string): string;
}

const noCounts: SchemaCounts = Object.freeze({
  properties: 0,
  enumValues: 0,
  optionalProperties: 0,
  unions: 0,
});

/** The schema as a provider takes it, with the way back: strict where the provider's dialect can express its shape, otherwise unchanged. */
export function projectJsonSchema(schema: JsonSchema, dialect: SchemaDialect): SchemaProjection {
  const resolve = createReferenceResolver(schema);
  const flat = flattenSchema(schema, resolve, documentSteps()) ?? schema;
  const isObject = isPlainObject(flat);
  const root = projectStrictly(flat, dialect, resolve, isObject ? schema : undefined);
  if (root.refusals.length > 0) return adviseSchema(schema, root.refusals);
  const sent = isObject ? root.schema : objectWith(root.schema);
  return finish(
    { ...sent, ...definitionsOf(root.definitions) },
    {
      strict: true,
      isWrapped: !isObject,
      losses: root.losses,
      counts: root.counts,
    },
  );
}

/** The schema as it is, for a provider to take as advice. @param losses why it is not strict. */
export function adviseSchema(schema: JsonSchema, losses: readonly SchemaLoss[]): SchemaProjection {
  const resolve = createReferenceResolver(schema);
  const flat = flattenSchema(schema, resolve, documentSteps()) ?? schema;
  const isObject = isPlainObject(flat);
  const sent = isObject ? withDefinitions(flat, schema) : wrapSchema(schema);
  return finish(sent, { strict: false, isWrapped: !isObject, losses, counts: noCounts });
}

function isPlainObject(flat: JsonSchema): boolean {
  return (
    flat['type'] === 'object' &&
    ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'enum', 'const'].every(
      (keyword) => flat[keyword] === undefined,
    )
  );
}

function finish(
  schema: JsonSchema,
  found: Pick<SchemaProjection, 'strict' | 'isWrapped' | 'losses' | 'counts'>,
): SchemaProjection {
  const unwrap = (text: string): string => (found.isWrapped ? (memberText(text, wrapperKey) ?? text) : text);
  return Object.freeze({ schema, ...found, unwrap });
}

function withDefinitions(flat: JsonSchema, { $defs, definitions }: JsonSchema): JsonSchema {
  return {
    ...flat,
    ...present({ $defs, definitions }),
  };
}

function definitionsOf(definitions: ReadonlyMap<string, JsonSchema>): JsonSchema {
  return definitions.size === 0 ? {} : { $defs: Object.fromEntries(definitions) };
}

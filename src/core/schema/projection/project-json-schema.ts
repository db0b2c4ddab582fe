import { present } from '../../internal/index.ts';
import type { JsonValue } from '../json/json.ts';
import { memberText } from '../json/json-source.ts';
import type { JsonSchema } from '../json-schema/json-schema.ts';
import { createReferenceResolver, type ReferenceResolver } from '../json-schema/reference.ts';
import type { SchemaCounts, SchemaDialect, SchemaLoss } from './dialect.ts';
import { flattenSchema } from './flatten-schema.ts';
import { projectStrictly } from './projector.ts';
import { type RestorePlan, restore } from './restore.ts';
import { planRestore } from './restore-planner.ts';
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
  /** True when {@link restore} may change a value. */
  readonly changesValues: boolean;
  /** True when a value is under the key `value` of an object, since the provider accepts objects only. */
  readonly isWrapped: boolean;
  /**
   * A value in the shape of `schema` in the shape of the original schema: taken out of the object that was put around it, and without the nulls for
   * properties that may be left out and take no null. Anything else comes back as it is.
   */
  restore(value: JsonValue): JsonValue;
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
  const flat = flattenSchema(schema, resolve) ?? schema;
  const isObject = isPlainObject(flat);
  const root = projectStrictly(flat, dialect, resolve, isObject ? schema : undefined);
  if (root.refusals.length > 0) return adviseSchema(schema, root.refusals);
  const sent = isObject ? root.schema : objectWith(root.schema);
  const plan = planFor(schema, isObject, resolve);
  return finish({ ...sent, ...definitionsOf(root.definitions) }, true, root.losses, plan, root.counts);
}

/** The schema as it is, for a provider to take as advice. @param losses why it is not strict. */
export function adviseSchema(schema: JsonSchema, losses: readonly SchemaLoss[]): SchemaProjection {
  const resolve = createReferenceResolver(schema);
  const flat = flattenSchema(schema, resolve) ?? schema;
  const isObject = isPlainObject(flat);
  const sent = isObject ? withDefinitions(flat, schema) : wrapSchema(schema);
  return finish(sent, false, losses, planFor(schema, isObject, resolve));
}

function planFor(schema: JsonSchema, isObject: boolean, resolve: ReferenceResolver): RestorePlan | undefined {
  const plan = planRestore(schema, resolve);
  return isObject ? plan : { kind: 'wrapped', key: wrapperKey, plan };
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
  strict: boolean,
  losses: readonly SchemaLoss[],
  plan: RestorePlan | undefined,
  counts: SchemaCounts = noCounts,
): SchemaProjection {
  return Object.freeze({
    schema,
    strict,
    losses,
    counts,
    changesValues: plan !== undefined,
    isWrapped: plan?.kind === 'wrapped',
    restore: (value: JsonValue) => restore(value, plan),
  });
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

/**
 * JSON text that a model wrote for a projected schema, taken out of the object that was put around it, as it was written; any other text as it is, for
 * those to judge who read it.
 */
export function unwrapText(text: string, projection: SchemaProjection | undefined): string {
  return projection?.isWrapped === true ? (memberText(text, wrapperKey) ?? text) : text;
}

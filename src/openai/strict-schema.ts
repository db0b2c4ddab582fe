import { createReferenceResolver, type JsonSchema, type JsonValue } from '../schema/index.ts';
import { flattenSchema } from './flatten-schema.ts';
import { type RestorePlan, restore } from './restore.ts';
import type { SchemaLoss } from './schema-loss.ts';
import { projectStrictly } from './strict-projector.ts';
import { wrapperKey, wrapSchema } from './wrap-schema.ts';

/** A JSON Schema as the provider takes it. */
export interface StrictSchema {
  readonly schema: JsonSchema;
  /** False when the shape cannot be told in the strict subset: the provider then takes it as advice. */
  readonly strict: boolean;
  readonly losses: readonly SchemaLoss[];
  /** True when {@link restore} may change a value. */
  readonly changesValues: boolean;
  /** A value in the shape of `schema` in the shape of the original schema. */
  restore(value: JsonValue): JsonValue;
}

/**
 * The schema in the provider's strict subset, which knows neither optional properties nor free keys: an optional
 * property becomes required and nullable, and a null is taken out again by `restore`. Constraints that the subset does
 * not know are told in the description. What has another shape than the subset can hold is sent as it is, not strict.
 *
 * @param schema closed: an object that does not say `additionalProperties: false` takes any key.
 */
export function toStrictSchema(schema: JsonSchema): StrictSchema {
  const resolve = createReferenceResolver(schema);
  const flat = flattenSchema(schema, resolve) ?? schema;
  const isObject =
    flat['type'] === 'object' &&
    ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'enum', 'const'].every(
      (keyword) => flat[keyword] === undefined,
    );
  const root = projectStrictly(flat, resolve, isObject ? schema : undefined);
  const plan: RestorePlan | undefined = isObject
    ? root.plan
    : { kind: 'wrapped', key: wrapperKey, plan: root.plan };
  if (root.refusals.length > 0) {
    const sent = isObject ? withDefinitions(flat, schema) : wrapSchema(schema);
    return finish(
      sent,
      false,
      root.refusals,
      isObject ? undefined : { kind: 'wrapped', key: wrapperKey, plan: undefined },
    );
  }
  const sent = isObject ? root.schema : wrapped(root.schema);
  return finish({ ...sent, ...definitionsOf(root.definitions) }, true, root.losses, plan);
}

function finish(
  schema: JsonSchema,
  strict: boolean,
  losses: readonly SchemaLoss[],
  plan: RestorePlan | undefined,
): StrictSchema {
  return Object.freeze({
    schema,
    strict,
    losses,
    changesValues: plan !== undefined,
    restore: (value: JsonValue) => restore(value, plan),
  });
}

function wrapped(schema: JsonSchema): JsonSchema {
  return {
    type: 'object',
    properties: { [wrapperKey]: schema },
    required: [wrapperKey],
    additionalProperties: false,
  };
}

function withDefinitions(flat: JsonSchema, { $defs, definitions }: JsonSchema): JsonSchema {
  return {
    ...flat,
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  };
}

function definitionsOf(definitions: ReadonlyMap<string, JsonSchema>): JsonSchema {
  return definitions.size === 0 ? {} : { $defs: Object.fromEntries(definitions) };
}

import { type StepsLeft, sameJson } from '../json/canonical-json.ts';
import { isList, type JsonObject, type JsonValue } from '../json/json.ts';
import { isSchemaObject, type JsonSchema } from '../json-schema/json-schema.ts';
import type { ReferenceResolver } from '../json-schema/reference.ts';
import { flattenSchema } from './flatten-schema.ts';
import { hasType, typesOf } from './schema-types.ts';

/** How many schemas are looked at for one alternative; more only in one that goes in circles without a value. */
const maxSchemas = 1_000;

/**
 * Whether a value that a model wrote can belong to one alternative of a union, judged by its type, its keys and its fixed values. A null represents a
 * property that may be left out.
 *
 * @param isExact whether the value has to have every key that the alternative names, as strict schemas have models write it.
 * @param steps what it may cost, together with others of the value; once they are spent it belongs to none.
 */
export function fitsMember(
  value: JsonValue,
  member: JsonValue,
  resolve: ReferenceResolver,
  isExact: boolean,
  steps: StepsLeft,
): boolean {
  return fitsSome(value, member, { resolve, isExact, steps, schemas: { left: maxSchemas } });
}

/** How a value is compared with one alternative. */
interface Comparison {
  readonly resolve: ReferenceResolver;
  readonly isExact: boolean;
  readonly steps: StepsLeft;
  /** How many schemas are still looked at. */
  readonly schemas: StepsLeft;
}

function fitsSome(value: JsonValue, member: JsonValue, comparison: Comparison): boolean {
  if (!isSchemaObject(member)) return member === true;
  const { isExact, resolve, schemas, steps } = comparison;
  schemas.left -= 1;
  if (schemas.left < 0) return false;
  const flat = flattenSchema(member, resolve, steps);
  if (flat === undefined) return false;
  const members = flat['anyOf'] ?? flat['oneOf'];
  if (isList(members)) return members.some((inner) => fitsSome(value, inner, comparison));
  if (!fitsItself(value, flat, steps)) return false;
  const { properties } = flat;
  return !isSchemaObject(value) || !isSchemaObject(properties)
    ? true
    : hasKeys(value, flat, properties, isExact) && hasValues(value, flat, properties, comparison);
}

function hasKeys(value: JsonObject, flat: JsonSchema, properties: JsonSchema, isExact: boolean): boolean {
  const { required, additionalProperties } = flat;
  const needed = isExact ? Object.keys(properties) : isList(required) ? required.map(String) : [];
  if (!needed.every((name) => Object.hasOwn(value, name))) return false;
  return additionalProperties !== false || Object.keys(value).every((key) => Object.hasOwn(properties, key));
}

function hasValues(
  value: JsonObject,
  { required }: JsonSchema,
  properties: JsonSchema,
  { resolve, steps }: Comparison,
): boolean {
  const needed = new Set(isList(required) ? required : []);
  return Object.entries(properties).every(([name, property]) => {
    steps.left -= 1;
    const child = Object.hasOwn(value, name) ? value[name] : undefined;
    if (child === undefined || !isSchemaObject(property)) return true;
    if (child === null && !needed.has(name) && !allowsNull(property, resolve, steps)) return true;
    return fitsItself(child, property, steps);
  });
}

function fitsItself(value: JsonValue, schema: JsonSchema, steps: StepsLeft): boolean {
  if (isList(schema['enum'])) steps.left -= schema['enum'].length;
  if (steps.left < 0) return false;
  const types = typesOf(schema);
  if (types.length > 0 && !hasType(value, types)) return false;
  const { const: only, enum: values } = schema;
  if (only !== undefined) return sameJson(only, value, steps);
  return !isList(values) || values.some((allowed) => sameJson(allowed, value, steps));
}

/**
 * True when one required property has another fixed value in each member, so that no two can fit.
 *
 * @param steps what it may cost; false once they are spent.
 */
export function isDiscriminated(
  members: readonly JsonValue[],
  resolve: ReferenceResolver,
  steps: StepsLeft,
): boolean {
  const objects = members.map((member) =>
    isSchemaObject(member) && typeof member['$ref'] === 'string' ? resolve(member['$ref']) : member,
  );
  const fixed = objects.map((member) => {
    const properties = isSchemaObject(member) ? member['properties'] : undefined;
    const required = isSchemaObject(member) ? member['required'] : undefined;
    if (!isSchemaObject(properties) || !isList(required) || steps.left < 0)
      return new Map<string, JsonValue>();
    const needed = new Set(required);
    steps.left -= required.length + Object.keys(properties).length;
    return new Map(
      Object.entries(properties).flatMap(([name, property]): [string, JsonValue][] => {
        const value = isSchemaObject(property) ? property['const'] : undefined;
        return value === undefined || !needed.has(name) ? [] : [[name, value]];
      }),
    );
  });
  const candidates = [...(fixed[0]?.keys() ?? [])];
  return candidates.some((name) => {
    steps.left -= fixed.length;
    if (steps.left < 0) return false;
    const values = fixed.map((properties) => properties.get(name));
    return !values.includes(undefined) && new Set(values).size === values.length;
  });
}

/**
 * True when a schema takes null, or may take it: a null that it takes is a value, and must be kept.
 *
 * @param steps what it may cost; true once they are spent.
 */
export function allowsNull(
  source: JsonValue | undefined,
  resolve: ReferenceResolver,
  steps: StepsLeft,
): boolean {
  return mayBeNull(source, resolve, new Set(), steps);
}

function mayBeNull(
  source: JsonValue | undefined,
  resolve: ReferenceResolver,
  seen: Set<JsonSchema>,
  steps: StepsLeft,
): boolean {
  if (!isSchemaObject(source)) return source !== false;
  // A schema that only refers to itself accepts no value that would distinguish it.
  if (seen.has(source)) return false;
  seen.add(source);
  steps.left -= 1;
  if (steps.left < 0) return true;
  const { $ref, allOf, const: only, enum: values } = source;
  if (typeof $ref === 'string' && !mayBeNull(resolve($ref), resolve, seen, steps)) return false;
  if (only !== undefined) return only === null;
  if (isList(values) && !values.includes(null)) return false;
  if (isList(allOf) && !allOf.every((part) => mayBeNull(part, resolve, seen, steps))) return false;
  const members = source['anyOf'] ?? source['oneOf'];
  if (isList(members)) return members.some((member) => mayBeNull(member, resolve, seen, steps));
  const types = typesOf(source);
  return types.length === 0 || types.includes('null');
}

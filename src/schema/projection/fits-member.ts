import { isList } from '../close-json-schema.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { isSchemaObject, type JsonSchema } from '../json-schema.ts';
import { sameJson } from '../same-json.ts';
import type { ReferenceResolver } from '../schema-reference.ts';
import { allowsNull } from './allows-null.ts';
import { flattenSchema } from './flatten-schema.ts';
import { hasType, typesOf } from './schema-types.ts';

/** How far references and unions are followed; deeper only for a schema that goes in circles without a value. */
const maxSteps = 32;

/**
 * Whether a value that a model wrote may be meant by one alternative of a union, told by its type, its keys and its fixed values. A null stands for a
 * property that may be left out.
 *
 * @param isExact whether the value has to have every key that the alternative names, as strict schemas have models write it.
 */
export function fitsMember(
  value: JsonValue,
  member: JsonValue,
  resolve: ReferenceResolver,
  isExact: boolean,
  steps = 0,
): boolean {
  if (!isSchemaObject(member)) return member === true;
  if (steps > maxSteps) return false;
  const flat = flattenSchema(member, resolve);
  if (flat === undefined) return false;
  const members = flat['anyOf'] ?? flat['oneOf'];
  if (isList(members)) {
    return members.some((inner) => fitsMember(value, inner, resolve, isExact, steps + 1));
  }
  if (!fitsItself(value, flat)) return false;
  const { properties } = flat;
  return !isSchemaObject(value) || !isSchemaObject(properties)
    ? true
    : hasKeys(value, flat, properties, isExact) && hasValues(value, flat, properties, resolve);
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
  resolve: ReferenceResolver,
): boolean {
  const needed = new Set(isList(required) ? required : []);
  return Object.entries(properties).every(([name, property]) => {
    const child = Object.hasOwn(value, name) ? value[name] : undefined;
    if (child === undefined || !isSchemaObject(property)) return true;
    if (child === null && !needed.has(name) && !allowsNull(property, resolve)) return true;
    return fitsItself(child, property);
  });
}

function fitsItself(value: JsonValue, schema: JsonSchema): boolean {
  const types = typesOf(schema);
  if (types.length > 0 && !hasType(value, types)) return false;
  const { const: only, enum: values } = schema;
  if (only !== undefined) return sameJson(only, value);
  return !isList(values) || values.some((allowed) => sameJson(allowed, value));
}

import { isList } from '../close-json-schema.ts';
import type { JsonValue } from '../json.ts';
import { isSchemaObject, type JsonSchema } from '../json-schema.ts';
import { sameJson } from '../same-json.ts';
import { hasType, typesOf } from './schema-types.ts';

/** How far references and unions are followed; deeper only for a schema that goes in circles without a value. */
const maxSteps = 32;

/**
 * Whether a value may be meant by a schema of the strict subset, told by its type, its keys and its fixed values. In
 * that subset an object has exactly the keys that its schema names, so this tells most alternatives apart.
 *
 * @param resolve finds a definition by name.
 */
export function fitsShallowly(
  value: JsonValue,
  schema: JsonSchema,
  resolve: (name: string) => JsonSchema | undefined,
  steps = 0,
): boolean {
  if (steps > maxSteps) return false;
  const { $ref, anyOf } = schema;
  if (typeof $ref === 'string') {
    const target = resolve($ref.slice('#/$defs/'.length));
    // The root itself: an object.
    return target === undefined ? isSchemaObject(value) : fitsShallowly(value, target, resolve, steps + 1);
  }
  if (isList(anyOf)) {
    return anyOf.some((member) => isSchemaObject(member) && fitsShallowly(value, member, resolve, steps + 1));
  }
  if (!fitsItself(value, schema)) return false;
  const { properties } = schema;
  if (!isSchemaObject(value) || !isSchemaObject(properties)) return true;
  const names = Object.keys(properties);
  return (
    names.length === Object.keys(value).length &&
    names.every((name) => {
      const child = Object.hasOwn(value, name) ? value[name] : undefined;
      const property = properties[name];
      return child !== undefined && isSchemaObject(property) && fitsItself(child, property);
    })
  );
}

function fitsItself(value: JsonValue, schema: JsonSchema): boolean {
  const types = typesOf(schema);
  if (types.length > 0 && !hasType(value, types)) return false;
  const { const: only, enum: values } = schema;
  if (only !== undefined) return sameJson(only, value);
  return !isList(values) || values.some((allowed) => sameJson(allowed, value));
}

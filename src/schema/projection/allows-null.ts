import { isList } from '../close-json-schema.ts';
import type { JsonValue } from '../json.ts';
import { isSchemaObject, type JsonSchema } from '../json-schema.ts';
import type { ReferenceResolver } from '../schema-reference.ts';
import { typesOf } from './schema-types.ts';

/** True when a schema takes null, or may take it: a null that it takes is a value, and must be kept. */
export function allowsNull(source: JsonValue | undefined, resolve: ReferenceResolver): boolean {
  return mayBeNull(source, resolve, new Set());
}

function mayBeNull(
  source: JsonValue | undefined,
  resolve: ReferenceResolver,
  seen: Set<JsonSchema>,
): boolean {
  if (!isSchemaObject(source)) return source !== false;
  // A schema that is nothing but itself takes no value that tells.
  if (seen.has(source)) return false;
  seen.add(source);
  const { $ref, allOf, const: only, enum: values } = source;
  if (typeof $ref === 'string' && !mayBeNull(resolve($ref), resolve, seen)) return false;
  if (only !== undefined) return only === null;
  if (isList(values) && !values.includes(null)) return false;
  if (isList(allOf) && !allOf.every((part) => mayBeNull(part, resolve, seen))) return false;
  const members = source['anyOf'] ?? source['oneOf'];
  if (isList(members)) return members.some((member) => mayBeNull(member, resolve, seen));
  const types = typesOf(source);
  return types.length === 0 || types.includes('null');
}

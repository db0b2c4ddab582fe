import { present } from '../../internal/index.ts';
import { type StepsLeft, sameJson } from '../json/canonical-json.ts';
import type { JsonValue } from '../json/json.ts';
import { isSchemaObject, type JsonSchema, objectOf } from './json-schema.ts';
import type { ReferenceResolver } from './reference.ts';

/** All that a schema may say to be merged by key: more would have to be intersected keyword by keyword. */
const mergeable = new Set([
  'type',
  'properties',
  'required',
  'title',
  'description',
  '$defs',
  'definitions',
  'allOf',
]);
const maxParts = 64;

/**
 * Writes an `allOf` of plain object schemas as one object schema with the keys of all of them, which is what providers
 * understand. Returns undefined when there is no `allOf`, or a member constrains more than the keys.
 *
 * @param steps what it may cost; once they are spent nothing is merged.
 */
export function mergeObjects(
  schema: JsonSchema,
  resolve: ReferenceResolver,
  steps: StepsLeft,
): JsonSchema | undefined {
  if (!Array.isArray(schema['allOf'])) return undefined;
  const parts: JsonSchema[] = [];
  if (!collectParts(schema, resolve, parts)) return undefined;
  const properties = new Map<string, JsonValue | undefined>();
  const required = new Set<JsonValue>();
  for (const part of parts) {
    for (const [key, child] of Object.entries(objectOf(part['properties']))) {
      steps.left -= 1;
      if (steps.left < 0) return undefined;
      if (properties.has(key) && !sameJson(properties.get(key), child, steps)) return undefined;
      properties.set(key, child);
    }
    const needed = part['required'];
    if (Array.isArray(needed)) for (const key of needed) required.add(key);
  }
  const { allOf: _members, ...own } = schema;
  const description = parts.map((part) => part['description']).find((text) => text !== undefined);
  return {
    ...own,
    ...present({ description }),
    type: 'object',
    properties: Object.fromEntries(properties),
    ...present({ required: required.size === 0 ? undefined : [...required] }),
  };
}

/** Collects a schema and everything it is an intersection of; false when one of it cannot be merged. */
function collectParts(schema: JsonSchema, resolve: ReferenceResolver, parts: JsonSchema[]): boolean {
  if (parts.length >= maxParts) return false;
  const { $ref: reference, ...rest } = schema;
  if (reference !== undefined) {
    const target = typeof reference === 'string' ? resolve(reference) : undefined;
    if (!isSchemaObject(target) || Object.keys(rest).length > 0) return false;
    return collectParts(target, resolve, parts);
  }
  if (Object.keys(schema).some((keyword) => !mergeable.has(keyword))) return false;
  const members = schema['allOf'];
  if (schema['type'] !== 'object' && !(schema['type'] === undefined && Array.isArray(members))) return false;
  parts.push(schema);
  return (
    !Array.isArray(members) ||
    members.every((member) => isSchemaObject(member) && collectParts(member, resolve, parts))
  );
}

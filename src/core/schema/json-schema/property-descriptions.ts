import { present } from '../../internal/index.ts';
import { freezeJson } from '../json/freeze-json.ts';
import type { JsonValue } from '../json/json.ts';
import { isSchemaObject, type JsonSchema } from './json-schema.ts';

/**
 * Returns the description of a property; undefined for none. May be called more than once for a path, where
 * several members of a union have the property.
 */
export type DescribeProperty = (path: string, description: string | undefined) => string | undefined;

/**
 * The schema with other descriptions of its properties, at any depth; the same object when nothing changes. Paths are
 * `city`, `address.street`, `stops[].name`; a name with other characters is written as JSON: `["a b"].c`. The target
 * of a `$ref` has no path of its own.
 */
export function mapPropertyDescriptions(schema: JsonSchema, describe: DescribeProperty): JsonSchema {
  const mapped = mapNode(schema, '', describe);
  return mapped === schema ? schema : freezeJson(mapped, 'a JSON Schema');
}

function mapNode(node: JsonSchema, path: string, describe: DescribeProperty): JsonSchema {
  const changed: Record<string, JsonValue | undefined> = {};
  const { properties, items } = node;
  if (isSchemaObject(properties)) {
    const next = mapValues(properties, (child, name) => mapProperty(child, join(path, name), describe));
    if (next !== properties) changed['properties'] = next;
  }
  if (isSchemaObject(items)) {
    const next = mapNode(items, `${path}[]`, describe);
    if (next !== items) changed['items'] = next;
  }
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    const members = node[keyword];
    if (!Array.isArray(members)) continue;
    const next = members.map((member: JsonValue) =>
      isSchemaObject(member) ? mapNode(member, path, describe) : member,
    );
    if (next.some((member, index) => member !== members[index])) changed[keyword] = next;
  }
  return Object.keys(changed).length === 0 ? node : { ...node, ...changed };
}

function mapProperty(child: JsonSchema, path: string, describe: DescribeProperty): JsonSchema {
  const { description: given, ...rest } = child;
  const before = typeof given === 'string' ? given : undefined;
  const after = describe(path, before);
  const described = after === before ? child : { ...rest, ...present({ description: after }) };
  return mapNode(described, path, describe);
}

function mapValues(schemas: JsonSchema, map: (schema: JsonSchema, name: string) => JsonSchema): JsonSchema {
  const entries = Object.entries(schemas).map(([name, child]): [string, JsonValue | undefined] => [
    name,
    isSchemaObject(child) ? map(child, name) : child,
  ]);
  return entries.some(([name, child]) => child !== schemas[name]) ? Object.fromEntries(entries) : schemas;
}

function join(path: string, name: string): string {
  if (!/^[\w-]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}

import type { JsonSchema, JsonValue } from '../schema/index.ts';

/** A schema that is being put together. */
export type WritableSchema = Record<string, JsonValue | undefined>;

// What the provider's strict subset knows, by its published rules and by what its own client refuses to send.

/** Taken over as they are. */
export const keptKeywords: readonly string[] = [
  ...['title', 'examples'],
  ...['minLength', 'maxLength'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minItems', 'maxItems'],
];

/** Constraints that only narrow what is allowed: the model is told in words, and they are checked here. */
export const droppedKeywords: readonly string[] = [
  ...['uniqueItems', 'contains', 'minContains', 'maxContains', 'unevaluatedItems'],
  ...[
    'minProperties',
    'maxProperties',
    'propertyNames',
    'dependentRequired',
    'dependentSchemas',
    'dependencies',
  ],
  ...['not', 'if', 'then', 'else', 'contentEncoding', 'contentMediaType', 'contentSchema'],
];

const formats = new Set([
  ...['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'],
]);

/** True for a format that the strict subset knows. */
export function isKnownFormat(format: JsonValue): boolean {
  return typeof format === 'string' && formats.has(format);
}

/** True for a pattern without what needs backtracking: looking around, and references to groups. */
export function isPlainPattern(pattern: JsonValue): boolean {
  return typeof pattern === 'string' && !/\(\?[=!<]|\\[1-9]|\\k</.test(pattern);
}

/** The published limits of the strict subset. A schema beyond them is sent without being strict. */
export const strictLimits = { properties: 5_000, nesting: 10, enumValues: 1_000 } as const;

/** The type names of a schema; those of its fixed values when it names none; empty when it allows any type. */
export function typesOf(schema: JsonSchema): readonly string[] {
  const { type } = schema;
  if (typeof type === 'string') return [type];
  if (isList(type)) return type.filter((name) => typeof name === 'string');
  const values = schema['const'] === undefined ? schema['enum'] : [schema['const']];
  if (isList(values)) return [...new Set(values.map(typeOfValue))];
  if (schema['properties'] !== undefined) return ['object'];
  return schema['items'] === undefined ? [] : ['array'];
}

/** The JSON Schema type name of a value. */
export function typeOfValue(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

/** `Array.isArray` that narrows to the read-only list of a JSON value. */
export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** The same schema with null allowed as well. */
export function toNullable(schema: JsonSchema): JsonSchema {
  const { $ref, anyOf, const: only, enum: values, type } = schema;
  if (isList(anyOf)) return { ...schema, anyOf: [...anyOf, { type: 'null' }] };
  if ($ref !== undefined || type === undefined) return { anyOf: [schema, { type: 'null' }] };
  const types = [...(isList(type) ? type : [type]), 'null'];
  if (only !== undefined) {
    const { const: _only, ...rest } = schema;
    return { ...rest, type: types, enum: [only, null] };
  }
  return isList(values) ? { ...schema, type: types, enum: [...values, null] } : { ...schema, type: types };
}

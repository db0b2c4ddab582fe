import { present } from '../../internal/index.ts';
import { isList, type JsonValue } from '../json/json.ts';
import type { JsonSchema } from '../json-schema/json-schema.ts';
import { keywords } from '../json-schema/keywords.ts';

/** A schema that is being put together. */
export type WritableSchema = Record<string, JsonValue | undefined>;

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

/** True when the value has one of the types. */
export function hasType(value: JsonValue, types: readonly string[]): boolean {
  return types.includes(typeOfValue(value)) || (types.includes('integer') && Number.isInteger(value));
}

/** The JSON Schema type name of a value. */
function typeOfValue(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

/** The same schema with null allowed as well. */
export function toNullable(schema: JsonSchema, typeLists: boolean): JsonSchema {
  const { $ref, anyOf, const: only, enum: values, type } = schema;
  if (isList(anyOf)) return { ...schema, anyOf: [...anyOf, { type: 'null' }] };
  if ($ref !== undefined || type === undefined || !typeLists) return { anyOf: [schema, { type: 'null' }] };
  const types = [...(isList(type) ? type : [type]), 'null'];
  if (only !== undefined) {
    const { const: _only, ...rest } = schema;
    return { ...rest, type: types, enum: [only, null] };
  }
  return isList(values) ? { ...schema, type: types, enum: [...values, null] } : { ...schema, type: types };
}

/** The schema with an alternative for each of its types, which takes along what is said of that type. */
export function splitTypes(schema: JsonSchema, types: readonly string[]): JsonSchema {
  const { type: _types, enum: values, const: only, ...rest } = schema;
  const fixed = only === undefined ? values : [only];
  const outer = Object.entries(rest).filter(([keyword]) => typesSpokenOf(keyword).length === 0);
  const members = types.flatMap((type): readonly JsonSchema[] => {
    const member = Object.entries(rest).filter(([keyword]) => typesSpokenOf(keyword).includes(type));
    const own = isList(fixed) ? fixed.filter((value) => hasType(value, [type])) : undefined;
    if (own?.length === 0) return [];
    const isTold = own === undefined || type === 'null';
    return [{ type, ...present({ enum: isTold ? undefined : own }), ...Object.fromEntries(member) }];
  });
  return { ...Object.fromEntries(outer), ...(members.length === 1 ? members[0] : { anyOf: members }) };
}

function typesSpokenOf(name: string): readonly string[] {
  return keywords.get(name)?.types ?? [];
}

/** The schema without its `type`, where its fixed values imply it. */
export function withoutToldType(schema: JsonSchema): JsonSchema {
  const { type: _types, ...rest } = schema;
  const types = typesOf(schema);
  const { const: only, enum: values } = rest;
  if (only !== undefined) return hasType(only, types) ? rest : schema;
  return isList(values) ? { ...rest, enum: values.filter((value) => hasType(value, types)) } : schema;
}

/** The keywords that narrow a value without giving it another shape. */
export const constraintKeywords: readonly string[] = [...keywords].flatMap(([name, { role }]) =>
  role === 'constraint' ? [name] : [],
);

/** True for a constraint that nothing could break: no word need be lost about it. */
export function isIdle(keyword: string, value: JsonValue): boolean {
  switch (keyword) {
    case 'uniqueItems':
      return value === false;
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return value === 0;
    // What a number can hold exactly; libraries write these for every integer.
    case 'minimum':
      return typeof value === 'number' && value <= Number.MIN_SAFE_INTEGER;
    case 'maximum':
      return typeof value === 'number' && value >= Number.MAX_SAFE_INTEGER;
    default:
      return false;
  }
}

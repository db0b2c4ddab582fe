import { isRecord, isText, ownMember, present } from '../../internal/index.ts';
import type { JsonValue } from '../../schema/index.ts';
import type { AnyTool } from '../../tool/index.ts';
import { objectProperties } from '../section/object-properties.ts';

/** The description of one parameter of a tool. */
export interface ToolParamDescription {
  /** The schema's description of the parameter. */
  readonly description?: string;
  /** JSON type, for people: `string`, `integer | null`, `"open" | "closed"`, `string[]`, `any`. */
  readonly type: string;
  /** Default that the schema declares. */
  readonly default?: JsonValue;
}

/** Tool name → parameter name → description. */
export type ToolParamDescriptions = Readonly<Record<string, Readonly<Record<string, ToolParamDescription>>>>;

/** Parameter name → description. */
export type ParamDescriptions = ToolParamDescriptions[string];

/** Describes the parameters of a tool. */
export function describeParams({ compiledInput }: AnyTool): ParamDescriptions {
  if (compiledInput === undefined) return Object.freeze({});
  const { all } = objectProperties(compiledInput.inputJsonSchema);
  return Object.freeze(Object.fromEntries([...all].map(([name, schemas]) => [name, describe(schemas)])));
}

/** Describes a parameter by the subschemas that the members of a union give it, usually one. */
function describe(subschemas: readonly JsonValue[]): ToolParamDescription {
  const description = subschemas.map((schema) => keyword(schema, 'description')).find(isText);
  const fallback = subschemas
    .map((schema) => keyword(schema, 'default'))
    .find((value) => value !== undefined);
  return Object.freeze({
    ...present({ description }),
    type: either(subschemas.map(typeText)),
    ...present({ default: fallback }),
  });
}

function typeText(schema: JsonValue | undefined): string {
  const values = keyword(schema, 'enum');
  if (Array.isArray(values)) return either(values.map((value: JsonValue) => JSON.stringify(value)));
  const constant = keyword(schema, 'const');
  if (constant !== undefined) return JSON.stringify(constant);
  for (const members of [keyword(schema, 'anyOf'), keyword(schema, 'oneOf')]) {
    if (Array.isArray(members)) return either(members.map(typeText));
  }
  const type = keyword(schema, 'type');
  if (Array.isArray(type)) return either(type.filter(isText).map((name) => namedType(name, schema)));
  if (isText(type)) return namedType(type, schema);
  const parts = keyword(schema, 'allOf');
  return Array.isArray(parts) ? (parts.map(typeText).find((text) => text !== 'any') ?? 'any') : 'any';
}

function namedType(name: string, schema: JsonValue | undefined): string {
  if (name !== 'array') return name;
  const item = typeText(keyword(schema, 'items'));
  return item.includes(' ') ? `(${item})[]` : `${item}[]`;
}

function either(types: readonly string[]): string {
  return types.includes('any') ? 'any' : [...new Set(types)].join(' | ');
}

function keyword(schema: JsonValue | undefined, name: string): JsonValue | undefined {
  return isRecord(schema) ? ownMember(schema, name) : undefined;
}

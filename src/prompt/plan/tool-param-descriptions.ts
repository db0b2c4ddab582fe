import type { JsonSchema, JsonValue } from '../../schema/index.ts';
import type { AnyTool } from '../../tool/index.ts';
import { objectProperties } from '../section/object-properties.ts';

/** What the model is told about one parameter of a tool. */
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

type ParamDescriptions = Readonly<Record<string, ToolParamDescription>>;

const none: ParamDescriptions = Object.freeze({});
const known = new WeakMap<JsonSchema, ParamDescriptions>();

const ofTools = new WeakMap<readonly AnyTool[], ToolParamDescriptions>();

/** Describes the parameters of each tool; each tool's are read once, and a list of tools once. */
export function describeToolParams(tools: readonly AnyTool[]): ToolParamDescriptions {
  const ready = ofTools.get(tools);
  if (ready !== undefined) return ready;
  const descriptions = Object.freeze(Object.fromEntries(tools.map((tool) => [tool.name, paramsOf(tool)])));
  ofTools.set(tools, descriptions);
  return descriptions;
}

function paramsOf(tool: AnyTool): ParamDescriptions {
  const schema = tool.compiledInput?.inputJsonSchema;
  if (schema === undefined) return none;
  let descriptions = known.get(schema);
  if (descriptions === undefined) {
    const entries = [...objectProperties(schema).all].map(([name, all]) => [name, describe(all)] as const);
    descriptions = Object.freeze(Object.fromEntries(entries));
    known.set(schema, descriptions);
  }
  return descriptions;
}

/** Describes a parameter by the subschemas that the members of a union give it, usually one. */
function describe(subschemas: readonly JsonValue[]): ToolParamDescription {
  const description = subschemas.map((schema) => keyword(schema, 'description')).find(isText);
  const fallback = subschemas
    .map((schema) => keyword(schema, 'default'))
    .find((value) => value !== undefined);
  return Object.freeze({
    ...(description === undefined ? {} : { description }),
    type: either(subschemas.map(typeText)),
    ...(fallback === undefined ? {} : { default: fallback }),
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
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return undefined;
  return Object.hasOwn(schema, name) ? Object.getOwnPropertyDescriptor(schema, name)?.value : undefined;
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === 'string';
}

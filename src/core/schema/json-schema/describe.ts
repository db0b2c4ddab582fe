import { isRecord, shorten } from '../../internal/index.ts';
import type { SchemaNode } from './schema-node.ts';

const maxReceivedLength = 80;
const maxExpectedLength = 200;
const maxNames = 8;

/** What was received, as a short phrase: scalars as JSON (cut), lists by length, objects by their first keys. */
export function describeReceived(value: unknown): string {
  if (Array.isArray(value))
    return value.length === 1 ? 'a list of 1 item' : `a list of ${value.length} items`;
  if (isRecord(value)) return describeKeys(value);
  switch (typeof value) {
    case 'undefined':
      return 'nothing';
    case 'string':
      return shorten(JSON.stringify(shorten(value, maxReceivedLength)), maxReceivedLength);
    case 'number':
    case 'boolean':
    case 'bigint':
      return shorten(String(value), maxReceivedLength);
    case 'object':
      return 'null';
    default:
      return `a ${typeof value}`;
  }
}

function describeKeys(value: object): string {
  const names = Object.keys(value);
  if (names.length === 0) return 'an empty object';
  const shown = names.slice(0, maxNames).map((name) => shorten(name, 40));
  return `an object with ${shown.join(', ')}${names.length > maxNames ? ', …' : ''}`;
}

/** What a subschema allows, as a short phrase: `integer >= 1`, `"r" | "w"`, `list of string`. */
export function describeExpected(node: SchemaNode): string {
  return shorten(expected(node, 0), maxExpectedLength);
}

function expected(node: SchemaNode, depth: number): string {
  const { schema } = node;
  node.meter?.spend(1);
  if (node.isNever) return 'nothing';
  if ('const' in schema) return written(schema['const'], node);
  const choices = schema['enum'];
  if (Array.isArray(choices)) return choices.map((choice) => written(choice, node)).join(' | ');
  const { type } = schema;
  const types = Array.isArray(type) ? type : typeof type === 'string' ? [type] : [];
  node.meter?.spend(types.length * (1 + node.properties.size + node.required.size));
  if (types.length > 0) return types.map((each) => describeType(String(each), node, depth)).join(' | ');
  if (depth > 2) return 'value';
  const alternatives = node.unions.flatMap((union) => union.members);
  const members = [...new Set(alternatives.map((member) => expected(member, depth + 1)))];
  if (members.length > 0) return members.join(' | ');
  const parts = node.parts.map((part) => expected(part, depth + 1)).filter((part) => part !== 'value');
  if (parts.length > 0) return parts.join(' and ');
  const isList =
    node.prefixItems.length > 0 || node.items !== undefined || node.unevaluatedItems !== undefined;
  if (isList) return describeType('array', node, depth);
  return node.declaresKeys ? describeType('object', node, depth) : 'value';
}

/** A value of a schema as JSON. */
function written(value: unknown, { meter }: SchemaNode): string {
  const json = JSON.stringify(value);
  meter?.spend(json.length);
  return json;
}

function describeType(type: string, node: SchemaNode, depth: number): string {
  switch (type) {
    case 'integer':
    case 'number':
      return `${type}${numberBounds(node, type)}`;
    case 'string':
      return `string${textBounds(node)}`;
    case 'array':
      return `list${sizeBounds(node, 'minItems', 'maxItems', 'item')}${itemKind(node, depth)}`;
    case 'object':
      return `object${keysOf(node, depth)}`;
    default:
      return type;
  }
}

function numberBounds({ schema }: SchemaNode, type: string): string {
  const bounds: string[] = [];
  for (const [keyword, sign] of numberKeywords) {
    const bound = schema[keyword];
    // Libraries write the range of safe integers as bounds of every integer, which does not help a reader.
    const isNoise =
      type === 'integer' && typeof bound === 'number' && Math.abs(bound) >= Number.MAX_SAFE_INTEGER;
    if (typeof bound === 'number' && !isNoise) bounds.push(`${sign} ${bound}`);
  }
  if (typeof schema['multipleOf'] === 'number') bounds.push(`a multiple of ${schema['multipleOf']}`);
  return bounds.length === 0 ? '' : ` ${bounds.join(' and ')}`;
}

const numberKeywords = [
  ['minimum', '>='],
  ['exclusiveMinimum', '>'],
  ['maximum', '<='],
  ['exclusiveMaximum', '<'],
] as const;

function textBounds(node: SchemaNode): string {
  const { format, pattern } = node.schema;
  const kind = typeof format === 'string' ? ` (${format})` : '';
  const size = sizeBounds(node, 'minLength', 'maxLength', 'character');
  const shape = typeof pattern === 'string' && kind === '' ? ` matching /${shorten(pattern, 80)}/` : '';
  return `${kind}${size}${shape}`;
}

function sizeBounds({ schema }: SchemaNode, low: string, high: string, unit: string): string {
  const minimum = schema[low];
  const maximum = schema[high];
  const units = (count: number): string => `${count} ${unit}${count === 1 ? '' : 's'}`;
  if (typeof minimum === 'number' && typeof maximum === 'number') {
    return minimum === maximum ? ` of ${units(minimum)}` : ` of ${minimum} to ${units(maximum)}`;
  }
  if (typeof minimum === 'number') return ` of at least ${units(minimum)}`;
  return typeof maximum === 'number' ? ` of at most ${units(maximum)}` : '';
}

function itemKind({ items: declared, prefixItems, unevaluatedItems }: SchemaNode, depth: number): string {
  const items = declared ?? unevaluatedItems;
  if (depth > 1) return '';
  if (prefixItems.length > 0) return ` [${prefixItems.map((item) => expected(item, depth + 1)).join(', ')}]`;
  const kind = items === undefined ? 'value' : expected(items, depth + 1);
  return kind === 'value' ? '' : `, each: ${kind}`;
}

function keysOf({ properties, schema }: SchemaNode, depth: number): string {
  if (depth > 2 || properties.size === 0) return '';
  const { required } = schema;
  const names = [...properties].slice(0, maxNames).map(([name, child]) => {
    const tag = 'const' in child.schema ? `: ${written(child.schema['const'], child)}` : '';
    return `${name}${Array.isArray(required) && required.includes(name) ? '' : '?'}${tag}`;
  });
  return ` {${names.join(', ')}${properties.size > maxNames ? ', …' : ''}}`;
}

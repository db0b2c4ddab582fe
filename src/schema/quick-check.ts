import { isObjectValue } from './constraint.ts';
import { isSchemaObject, type JsonSchema } from './json-schema.ts';
import { compilePattern } from './pattern.ts';

/** True for a value that certainly fits a JSON Schema; false leaves the answer to the validator. */
export type QuickCheck = (value: unknown) => boolean;

/**
 * The quick check of a document that says what it says with common keywords alone; undefined for any other. It knows values
 * without references, annotations of what was evaluated, or formats.
 */
export function createQuickCheck(schema: unknown): QuickCheck | undefined {
  if (schema === true) return isOfJson;
  if (!isSchemaObject(schema)) return undefined;
  const checks: QuickCheck[] = [isOfJson];
  for (const [keyword, operand] of Object.entries(schema)) {
    if (annotations.has(keyword)) continue;
    const check = makers.get(keyword)?.(operand, schema);
    if (check === undefined) return undefined;
    checks.push(check);
  }
  return allOf(checks);
}

const annotations: ReadonlySet<string> = new Set([
  ...['$schema', '$comment', 'title', 'description', 'default', 'examples'],
  ...['deprecated', 'readOnly', 'writeOnly'],
]);

/** For a keyword of a schema its check; undefined when this use of it is left to the validator. */
const makers: ReadonlyMap<string, (operand: unknown, schema: JsonSchema) => QuickCheck | undefined> = new Map<
  string,
  (operand: unknown, schema: JsonSchema) => QuickCheck | undefined
>([
  ['type', (type) => (Array.isArray(type) ? oneOfTypes(type) : ofType(type))],
  ['enum', (values) => (Array.isArray(values) && values.every(isPrimitive) ? among(values) : undefined)],
  ['const', (wanted) => (isPrimitive(wanted) ? (value) => value === wanted : undefined)],
  ['minimum', (limit) => numeric(limit, (value, least) => value >= least)],
  ['maximum', (limit) => numeric(limit, (value, most) => value <= most)],
  ['exclusiveMinimum', (limit) => numeric(limit, (value, bound) => value > bound)],
  ['exclusiveMaximum', (limit) => numeric(limit, (value, bound) => value < bound)],
  // Lengths count characters, of which each takes one or two units.
  [
    'minLength',
    (limit) => textual(limit, (value, least) => value.length >= (least <= 1 ? least : 2 * least)),
  ],
  ['maxLength', (limit) => textual(limit, (value, most) => value.length <= most)],
  ['minItems', (limit) => listed(limit, (value, least) => value.length >= least)],
  ['maxItems', (limit) => listed(limit, (value, most) => value.length <= most)],
  ['pattern', matching],
  ['items', everyItem],
  ['properties', properties],
  ['required', required],
  ['additionalProperties', noOther],
  ['anyOf', someOf],
]);

function allOf(checks: readonly QuickCheck[]): QuickCheck {
  return (value) => {
    for (const check of checks) if (!check(value)) return false;
    return true;
  };
}

function isOfJson(value: unknown): boolean {
  return typeof value === 'object' || isPrimitive(value);
}

function isPrimitive(value: unknown): boolean {
  return (
    value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  );
}

function ofType(type: unknown): QuickCheck | undefined {
  switch (type) {
    case 'string':
    case 'boolean':
      return (value) => typeof value === type;
    case 'number':
      return Number.isFinite;
    case 'integer':
      return Number.isInteger;
    case 'null':
      return (value) => value === null;
    case 'array':
      return Array.isArray;
    case 'object':
      return isObjectValue;
    default:
      return undefined;
  }
}

function oneOfTypes(types: readonly unknown[]): QuickCheck | undefined {
  return anyCheck(types.map(ofType));
}

function someOf(members: unknown): QuickCheck | undefined {
  return Array.isArray(members) ? anyCheck(members.map(createQuickCheck)) : undefined;
}

function anyCheck(checks: readonly (QuickCheck | undefined)[]): QuickCheck | undefined {
  const known = checks.filter((check) => check !== undefined);
  return known.length === checks.length ? (value) => known.some((check) => check(value)) : undefined;
}

function among(values: readonly unknown[]): QuickCheck {
  const allowed = new Set(values);
  return (value) => allowed.has(value);
}

function numeric(limit: unknown, fits: (value: number, limit: number) => boolean): QuickCheck | undefined {
  return typeof limit === 'number' ? (value) => typeof value !== 'number' || fits(value, limit) : undefined;
}

function textual(limit: unknown, fits: (value: string, limit: number) => boolean): QuickCheck | undefined {
  return typeof limit === 'number' ? (value) => typeof value !== 'string' || fits(value, limit) : undefined;
}

function listed(
  limit: unknown,
  fits: (value: readonly unknown[], limit: number) => boolean,
): QuickCheck | undefined {
  return typeof limit === 'number' ? (value) => !Array.isArray(value) || fits(value, limit) : undefined;
}

function matching(pattern: unknown): QuickCheck | undefined {
  const expression = typeof pattern === 'string' ? compilePattern(pattern) : undefined;
  return expression && ((value) => typeof value !== 'string' || expression.test(value));
}

function everyItem(items: unknown): QuickCheck | undefined {
  const check = createQuickCheck(items);
  if (check === undefined) return undefined;
  return (value) => {
    if (!Array.isArray(value)) return true;
    // By index, since holes in a list are no values.
    for (let index = 0; index < value.length; index += 1) if (!check(value[index])) return false;
    return true;
  };
}

/** A member that is `undefined` counts as one that is not there. */
function properties(members: unknown): QuickCheck | undefined {
  if (!isSchemaObject(members)) return undefined;
  const checks: (readonly [string, QuickCheck])[] = [];
  for (const [key, member] of Object.entries(members)) {
    const check = createQuickCheck(member);
    if (check === undefined) return undefined;
    checks.push([key, check]);
  }
  return (value) => {
    if (!isObjectValue(value)) return true;
    for (const [key, check] of checks) {
      const item = value[key];
      if (item !== undefined && !check(item)) return false;
    }
    return true;
  };
}

function required(keys: unknown): QuickCheck | undefined {
  if (!Array.isArray(keys) || !keys.every((key): key is string => typeof key === 'string')) return undefined;
  return (value) => {
    if (!isObjectValue(value)) return true;
    for (const key of keys) if (!Object.hasOwn(value, key) || value[key] === undefined) return false;
    return true;
  };
}

function noOther(others: unknown, { properties: named }: JsonSchema): QuickCheck | undefined {
  const check = others === false ? () => false : createQuickCheck(others);
  if (check === undefined) return undefined;
  const known = new Set(isSchemaObject(named) ? Object.keys(named) : []);
  return (value) => {
    if (!isObjectValue(value)) return true;
    // The validator counts what is inherited, too.
    for (const key in value) if (!known.has(key) && !check(value[key])) return false;
    return true;
  };
}

import { isRecord } from '../../internal/index.ts';
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
  // A type is one of JSON.
  const checks: QuickCheck[] = Object.hasOwn(schema, 'type') ? [] : [isOfJson];
  for (const [keyword, operand] of Object.entries(schema)) {
    if (annotations.has(keyword) || objectKeywords.has(keyword)) continue;
    const check = makers.get(keyword)?.(operand);
    if (check === undefined) return undefined;
    checks.push(check);
  }
  if (Object.keys(schema).some((keyword) => objectKeywords.has(keyword))) {
    const check = ofMembers(schema);
    if (check === undefined) return undefined;
    checks.push(check);
  }
  return allOf(checks);
}

const annotations: ReadonlySet<string> = new Set([
  ...['$schema', '$comment', 'title', 'description', 'default', 'examples'],
  ...['deprecated', 'readOnly', 'writeOnly'],
]);

/** Keywords that are checked together, in one pass over an object. */
const objectKeywords: ReadonlySet<string> = new Set(['properties', 'required', 'additionalProperties']);

/** For another keyword its check; undefined when this use of it is left to the validator. */
const makers: ReadonlyMap<string, (operand: unknown) => QuickCheck | undefined> = new Map<
  string,
  (operand: unknown) => QuickCheck | undefined
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
  ['anyOf', someOf],
]);

function allOf(checks: readonly QuickCheck[]): QuickCheck {
  const [only, another] = checks;
  if (only !== undefined && another === undefined) return only;
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
      return isRecord;
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

interface Member {
  readonly check: QuickCheck;
  readonly isRequired: boolean;
}

/** Of plain objects; a member that is `undefined` counts as one that is not there. */
function ofMembers(schema: JsonSchema): QuickCheck | undefined {
  const { properties: named = {}, required = [], additionalProperties: others } = schema;
  const checkOther =
    others === undefined ? () => true : others === false ? () => false : createQuickCheck(others);
  if (!isSchemaObject(named) || !Array.isArray(required) || checkOther === undefined) return undefined;
  const members = new Map<unknown, Member>();
  for (const key of new Set<unknown>([...Object.keys(named), ...required])) {
    const isNamed = typeof key === 'string' && Object.hasOwn(named, key);
    const check = isNamed ? createQuickCheck(named[key]) : checkOther;
    if (check === undefined) return undefined;
    members.set(key, { check, isRequired: required.includes(key) });
  }
  const requiredCount = new Set(required).size;
  return (value) => {
    if (!isRecord(value)) return true;
    if (!isPlain(value)) return false;
    let missing = requiredCount;
    for (const key of Object.keys(value)) {
      const item = value[key];
      if (item === undefined) continue;
      const member = members.get(key);
      if (!(member?.check ?? checkOther)(item)) return false;
      if (member?.isRequired === true) missing -= 1;
    }
    return missing === 0;
  };
}

/** What others inherit counts for the validator, here or there. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

import { countCharacters, isRecord } from '../../internal/index.ts';
import { sameJson } from '../json/same-json.ts';
import type { JsonSchema } from './json-schema.ts';
import { compilePattern } from './pattern.ts';

/**
 * True when the value itself fits the schema's own `type`, `enum`, `const` and bounds. Looks neither below the value nor
 * into members, references or conditions; a keyword that it does not know never fails.
 */
export function fitsConstraints(schema: JsonSchema, value: unknown): boolean {
  return fitsType(schema['type'], value) && fitsChoice(schema, value) && fitsBounds(schema, value);
}

function fitsType(type: unknown, value: unknown): boolean {
  if (typeof type === 'string') return isOfType(type, value);
  return !Array.isArray(type) || type.some((each) => isOfType(each, value));
}

function isOfType(type: unknown, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isRecord(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'string':
    case 'boolean':
      return typeof value === type;
    default:
      return true;
  }
}

function fitsChoice(schema: JsonSchema, value: unknown): boolean {
  if ('const' in schema && !sameJson(schema['const'], value)) return false;
  const choices = schema['enum'];
  return !Array.isArray(choices) || choices.some((choice) => sameJson(choice, value));
}

function fitsBounds(schema: JsonSchema, value: unknown): boolean {
  if (typeof value === 'number') return fitsNumber(schema, value);
  if (typeof value === 'string') return fitsText(schema, value);
  if (Array.isArray(value)) return within(value.length, schema['minItems'], schema['maxItems']);
  if (!isRecord(value)) return true;
  if (schema['minProperties'] === undefined && schema['maxProperties'] === undefined) return true;
  return within(Object.keys(value).length, schema['minProperties'], schema['maxProperties']);
}

function fitsNumber(schema: JsonSchema, value: number): boolean {
  const above = schema['exclusiveMinimum'];
  const below = schema['exclusiveMaximum'];
  if (typeof above === 'number' && value <= above) return false;
  if (typeof below === 'number' && value >= below) return false;
  return within(value, schema['minimum'], schema['maximum']);
}

function fitsText(schema: JsonSchema, value: string): boolean {
  const { minLength, maxLength, pattern } = schema;
  if (minLength !== undefined || maxLength !== undefined) {
    // JSON Schema counts characters, the libraries code units: only what fails by both counts is called wrong here.
    const units = value.length;
    const characters = countCharacters(value);
    if (!within(units, minLength, maxLength) && !within(characters, minLength, maxLength)) return false;
  }
  return typeof pattern !== 'string' || matchesPattern(schema, pattern, value);
}

/** Patterns of schemas, compiled once each; null for one that the engine cannot read. */
const compiledPatterns = new WeakMap<JsonSchema, RegExp | null>();

function matchesPattern(schema: JsonSchema, pattern: string, value: string): boolean {
  let compiled = compiledPatterns.get(schema);
  if (compiled === undefined) {
    compiled = compilePattern(pattern) ?? null;
    compiledPatterns.set(schema, compiled);
  }
  return compiled?.test(value) ?? true;
}

function within(size: number, minimum: unknown, maximum: unknown): boolean {
  return (typeof minimum !== 'number' || size >= minimum) && (typeof maximum !== 'number' || size <= maximum);
}

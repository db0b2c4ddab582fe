import type { JsonValue } from '../json/json.ts';
import { isSchemaObject, type JsonSchema } from './json-schema.ts';
import { mergeObjects } from './merge-objects.ts';
import { createReferenceResolver, type ReferenceResolver } from './reference.ts';

type Writable = Record<string, JsonValue | undefined>;

const maps = ['properties', 'patternProperties', '$defs', 'definitions'] as const;
const singles = [
  'additionalProperties',
  'unevaluatedProperties',
  'additionalItems',
  'unevaluatedItems',
] as const;
const inPlaceMaps = ['dependentSchemas', 'dependencies'] as const;
const inPlaceLists = ['allOf', 'anyOf', 'oneOf'] as const;
const inPlaceSingles = ['then', 'else'] as const;
const keyKeywords = [
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
] as const;

/**
 * Writes into a JSON Schema what the runtime holds anyway: an object schema that does not say what further keys may be
 * is closed, and a tuple ends with its last item. Members of an intersection of plain objects become one object; where
 * that is not possible `unevaluatedProperties: false` closes the whole. The given schema is not changed.
 */
export function closeJsonSchema(root: JsonSchema): JsonSchema {
  const closed = new Closer(createReferenceResolver(root)).close(root, true);
  if (!isSchemaObject(closed)) return root;
  const isBareObject =
    closed['type'] === 'object' && !says(closed, keyKeywords) && !says(closed, inPlaceLists);
  return isBareObject ? { ...closed, properties: {}, additionalProperties: false } : closed;
}

/** True when one of the keywords is there. */
export function says(schema: JsonSchema, keywords: readonly string[]): boolean {
  return keywords.some((keyword) => schema[keyword] !== undefined);
}

class Closer {
  readonly #resolve: ReferenceResolver;
  /** References being written out in place, so that a schema which refers to itself there ends. */
  readonly #inlined = new Set<string>();

  constructor(resolve: ReferenceResolver) {
    this.#resolve = resolve;
  }

  /** @param isWhole false for a part of a larger schema at the same place, which closes for all its parts. */
  close(source: JsonValue | undefined, isWhole: boolean): JsonValue | undefined {
    if (!isSchemaObject(source)) return source;
    const schema = mergeObjects(source, this.#resolve) ?? source;
    if (!isWhole && typeof schema['$ref'] === 'string') return this.#inline(schema, schema['$ref']);
    const hasParts = says(schema, [...inPlaceMaps, 'allOf', 'if']) || this.#isMixed(schema);
    const partsAreWhole = isWhole && !hasParts;
    const closed: Writable = { ...schema };
    for (const keyword of maps) replace(closed, keyword, (map) => this.#closeMap(map, true));
    for (const keyword of singles) replace(closed, keyword, (child) => this.close(child, true));
    replace(closed, 'items', (items) =>
      isList(items) ? this.#closeList(items, true) : this.close(items, true),
    );
    replace(closed, 'prefixItems', (items) => this.#closeList(items, true));
    for (const keyword of inPlaceMaps) replace(closed, keyword, (map) => this.#closeMap(map, false));
    for (const keyword of inPlaceLists)
      replace(closed, keyword, (list) => this.#closeList(list, partsAreWhole));
    for (const keyword of inPlaceSingles) replace(closed, keyword, (child) => this.close(child, false));
    if (isWhole) endKeys(closed, hasParts);
    if (closed['prefixItems'] !== undefined && !says(closed, ['items', 'unevaluatedItems']))
      closed['items'] = false;
    return closed;
  }

  /** Alternatives or a reference beside keys of its own: no part knows all keys. */
  #isMixed(schema: JsonSchema): boolean {
    const places = ['anyOf', 'oneOf', '$ref'].filter((keyword) => schema[keyword] !== undefined).length;
    return places > 1 || (places === 1 && says(schema, keyKeywords));
  }

  #inline(schema: JsonSchema, reference: string): JsonValue | undefined {
    const target = this.#resolve(reference);
    if (!isSchemaObject(target) || this.#inlined.has(reference)) return schema;
    this.#inlined.add(reference);
    const { $ref: _reference, $defs: _definitions, ...beside } = schema;
    const { $defs: _inner, ...written } = target;
    const inlined = this.close(
      Object.keys(beside).length === 0 ? written : { allOf: [written, beside] },
      false,
    );
    this.#inlined.delete(reference);
    return inlined;
  }

  #closeMap(map: JsonValue, isWhole: boolean): JsonValue | undefined {
    if (!isSchemaObject(map)) return map;
    return Object.fromEntries(Object.entries(map).map(([key, child]) => [key, this.close(child, isWhole)]));
  }

  #closeList(list: JsonValue, isWhole: boolean): JsonValue | undefined {
    if (!isList(list)) return list;
    return list.map((child) => this.close(child, isWhole) ?? true);
  }
}

function endKeys(closed: Writable, hasParts: boolean): void {
  if (says(closed, ['additionalProperties', 'unevaluatedProperties'])) return;
  if (hasParts) {
    if (mentionsKeys(closed, 0)) closed['unevaluatedProperties'] = false;
  } else if (says(closed, keyKeywords)) closed['additionalProperties'] = false;
}

/** True when the schema or a part of it at the same place names keys. */
function mentionsKeys(schema: JsonSchema, depth: number): boolean {
  if (says(schema, keyKeywords) || typeof schema['$ref'] === 'string') return true;
  if (depth > 32) return false;
  const parts = [...inPlaceLists, ...inPlaceSingles].flatMap(
    (keyword): readonly (JsonValue | undefined)[] => {
      const part = schema[keyword];
      return isList(part) ? part : [part];
    },
  );
  const dependents = inPlaceMaps.flatMap((keyword) => {
    const map = schema[keyword];
    return isSchemaObject(map) ? Object.values(map) : [];
  });
  return [...parts, ...dependents].some((part) => isSchemaObject(part) && mentionsKeys(part, depth + 1));
}

function replace(
  schema: Writable,
  keyword: string,
  change: (value: JsonValue) => JsonValue | undefined,
): void {
  const value = schema[keyword];
  if (value !== undefined) schema[keyword] = change(value);
}

/** `Array.isArray` that narrows to the read-only list of a JSON value. */
export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

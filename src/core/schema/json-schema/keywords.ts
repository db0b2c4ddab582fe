import type { JsonValue } from '../json/json.ts';
import * as constraints from './constraint.ts';
import { isSchemaObject, type JsonSchema } from './json-schema.ts';

/** What a keyword is: the one table that every reader of JSON Schema goes by. */
export interface Keyword {
  /**
   * - `constraint`: narrows values without giving them another shape;
   * - `shape`: says of which type a value is, and what lies below it;
   * - `parts`: further schemas for the same value;
   * - `annotation`: information for readers;
   * - `document`: belongs to the document rather than to the value.
   */
  readonly role: 'constraint' | 'shape' | 'parts' | 'annotation' | 'document';
  /** The types of the values it speaks about; absent: all. */
  readonly types?: readonly string[];
  /** It holds schemas: one, a list, or a map by names. `items` is one or, in old drafts, a list. */
  readonly holds?: 'schema' | 'map';
  /**
   * How its schemas are closed: `whole` for schemas of other values, each by itself; `part` for schemas of the same value, which may
   * share its keys. Absent where a schema is only a test, whose answer closing would change.
   */
  readonly closes?: 'whole' | 'part';
  /** Its value is data: nothing in it is a schema. */
  readonly isData?: true;
  /** What it asks of a value by itself. */
  readonly constraint?: constraints.ConstraintMaker;
}

const text = { role: 'constraint', types: ['string'] } as const;
const number = { role: 'constraint', types: ['number', 'integer'] } as const;
const list = { role: 'constraint', types: ['array'] } as const;
const object = { role: 'constraint', types: ['object'] } as const;
const test = { role: 'constraint', holds: 'schema' } as const;
const branch = { role: 'constraint', holds: 'schema', closes: 'part' } as const;
const below = { holds: 'schema', closes: 'whole' } as const;
const members = { role: 'parts', holds: 'schema', closes: 'part' } as const;
const definitions = { role: 'document', holds: 'map', closes: 'whole' } as const;
const annotation = { role: 'annotation' } as const;
const document = { role: 'document' } as const;

/** Constraints are in the order in which they are described where a provider has no keyword for them. */
export const keywords: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['type', { role: 'shape', constraint: constraints.typeConstraint }],
  ['enum', { role: 'constraint', isData: true, constraint: constraints.enumConstraint }],
  ['const', { role: 'constraint', isData: true, constraint: constraints.constConstraint }],

  ['minLength', { ...text, constraint: constraints.minLength }],
  ['maxLength', { ...text, constraint: constraints.maxLength }],
  ['format', { ...text, constraint: constraints.formatConstraint }],
  ['pattern', { ...text, constraint: constraints.patternConstraint }],

  ['minimum', { ...number, constraint: constraints.minimum }],
  ['maximum', { ...number, constraint: constraints.maximum }],
  ['exclusiveMinimum', { ...number, constraint: constraints.exclusiveMinimum }],
  ['exclusiveMaximum', { ...number, constraint: constraints.exclusiveMaximum }],
  ['multipleOf', { ...number, constraint: constraints.multipleOf }],

  ['minItems', { ...list, constraint: constraints.minItems }],
  ['maxItems', { ...list, constraint: constraints.maxItems }],
  ['uniqueItems', { ...list, constraint: constraints.uniqueItems }],
  ['contains', { ...list, ...test }],
  ['minContains', list],
  ['maxContains', list],
  ['prefixItems', { ...list, ...below, role: 'shape' }],
  ['items', { ...list, ...below, role: 'shape' }],
  ['additionalItems', { ...list, ...below, role: 'shape' }],
  ['unevaluatedItems', { ...list, ...below }],

  ['minProperties', { ...object, constraint: constraints.minProperties }],
  ['maxProperties', { ...object, constraint: constraints.maxProperties }],
  ['propertyNames', { ...object, ...test }],
  ['required', { ...object, role: 'shape' }],
  ['properties', { ...object, ...below, role: 'shape', holds: 'map' }],
  ['patternProperties', { ...object, ...below, role: 'shape', holds: 'map' }],
  ['additionalProperties', { ...object, ...below, role: 'shape' }],
  ['unevaluatedProperties', { ...object, ...below, role: 'shape' }],
  ['dependentRequired', { ...object, isData: true }],
  ['dependentSchemas', { ...object, ...branch, holds: 'map' }],
  ['dependencies', { ...object, ...branch, holds: 'map' }],

  ['$ref', { role: 'parts' }],
  ['$dynamicRef', { role: 'parts' }],
  ['$recursiveRef', { role: 'parts' }],
  ['allOf', members],
  ['anyOf', members],
  ['oneOf', members],
  ['not', test],
  ['if', test],
  ['then', branch],
  ['else', branch],

  ['contentEncoding', text],
  ['contentMediaType', text],
  ['contentSchema', { ...text, holds: 'schema' }],

  ['title', annotation],
  ['description', annotation],
  ['default', { ...annotation, isData: true }],
  ['examples', { ...annotation, isData: true }],
  ['deprecated', annotation],
  ['readOnly', annotation],
  ['writeOnly', annotation],

  ['$schema', document],
  ['$id', document],
  ['$anchor', document],
  ['$dynamicAnchor', document],
  ['$recursiveAnchor', document],
  ['$vocabulary', document],
  ['$comment', document],
  ['$defs', definitions],
  ['definitions', definitions],
]);

/** The keywords that bring keys of objects into play. */
export const keyKeywords: readonly string[] = [
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
];

/** True when one of the keywords is there. */
export function hasAnyKeyword(schema: JsonSchema, names: readonly string[]): boolean {
  return names.some((name) => schema[name] !== undefined);
}

/**
 * Calls `visit` for every schema within a document, the document itself included; the contents of unknown keywords are treated as
 * schemas, since references may lead there.
 */
export function forEachSchema(
  root: JsonSchema,
  visit: (schema: JsonSchema, holder: JsonSchema) => void,
): void {
  const pending: (readonly [place: JsonValue | undefined, holder: JsonSchema])[] = [[root, root]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [place, holder] = next;
    if (Array.isArray(place)) for (const item of place) pending.push([item, holder]);
    if (!isSchemaObject(place)) continue;
    visit(place, holder);
    for (const [name, operand] of Object.entries(place)) {
      const keyword = keywords.get(name);
      if (keyword?.isData === true || typeof operand !== 'object' || operand === null) continue;
      if (keyword?.holds === 'map' && isSchemaObject(operand)) {
        for (const child of Object.values(operand)) pending.push([child, place]);
      } else pending.push([operand, place]);
    }
  }
}

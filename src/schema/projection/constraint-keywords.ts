import type { JsonValue } from '../json/json.ts';

const numbers: readonly string[] = ['number', 'integer'];

/** Each keyword that narrows a value without giving it another shape, and the types whose values it narrows; none: all. */
export const constraintKeywords: ReadonlyMap<string, readonly string[]> = new Map([
  ['enum', []],
  ['const', []],
  ['minLength', ['string']],
  ['maxLength', ['string']],
  ['format', ['string']],
  ['pattern', ['string']],
  ['minimum', numbers],
  ['maximum', numbers],
  ['exclusiveMinimum', numbers],
  ['exclusiveMaximum', numbers],
  ['multipleOf', numbers],
  ['minItems', ['array']],
  ['maxItems', ['array']],
  ['uniqueItems', ['array']],
  ['contains', ['array']],
  ['minContains', ['array']],
  ['maxContains', ['array']],
  ['unevaluatedItems', ['array']],
  ['minProperties', ['object']],
  ['maxProperties', ['object']],
  ['propertyNames', ['object']],
  ['dependentRequired', ['object']],
  ['dependentSchemas', ['object']],
  ['dependencies', ['object']],
  ['not', []],
  ['if', []],
  ['then', []],
  ['else', []],
  ['contentEncoding', ['string']],
  ['contentMediaType', ['string']],
  ['contentSchema', ['string']],
]);

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

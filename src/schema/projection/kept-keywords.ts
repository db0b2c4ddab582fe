import { isList } from '../close-json-schema.ts';
import type { JsonValue } from '../json.ts';
import type { KeptKeyword } from './schema-dialect.ts';

/** Keeps `format` for these formats. */
export function formats(...names: readonly string[]): KeptKeyword {
  const known = new Set<JsonValue>(names);
  return (format) => known.has(format);
}

/** Keeps a `pattern` without what needs backtracking: looking around, and references to groups. */
export const plainPatterns: KeptKeyword = (pattern) =>
  typeof pattern === 'string' && !/\(\?[=!<]|\\[1-9]|\\k</.test(pattern);

/** Keeps `enum` and `const` where nothing in it is a list or an object. */
export const scalarsOnly: KeptKeyword = (fixed) => (isList(fixed) ? fixed : [fixed]).every(isScalar);

/** Keeps `minItems` where it only says whether a list may be empty. */
export const noneOrOne: KeptKeyword = (count) => count === 0 || count === 1;

function isScalar(value: JsonValue): boolean {
  return typeof value !== 'object' || value === null;
}

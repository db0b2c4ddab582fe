import type { JsonValue } from '../../schema/index.ts';

/** What is nested deeper could not come back from an export; there are a few levels of the record around it. */
const maxRecordedDepth = 200;

/**
 * A value as a record keeps it: as it is, when it can be exported with the session and come back, and as its JSON text otherwise. Keys called
 * `__proto__` and deep nesting are refused where an export is read, and one such value would make every later export fail.
 *
 * @param text the JSON text of the value, where there is one. Default: it is written.
 */
export function recordable(value: JsonValue, text?: string): JsonValue {
  return canComeBack(value, maxRecordedDepth) ? value : (text ?? JSON.stringify(value));
}

function canComeBack(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth === 0) return false;
  if (Array.isArray(value)) return value.every((item) => canComeBack(item, depth - 1));
  for (const key of Object.keys(value)) {
    if (key === '__proto__' || !canComeBack(Reflect.get(value, key), depth - 1)) return false;
  }
  return true;
}

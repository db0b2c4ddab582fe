import { SchemaError } from '../../error/index.ts';
import type { JsonValue } from './json.ts';

/**
 * JSON with sorted keys (by code units) and no spaces: equal values give equal strings, suitable for hashing and comparison.
 * Members that are `undefined` are left out.
 *
 * @throws {SchemaError} `value-not-json` for numbers that are not finite and for anything that is not a JSON value.
 */
export function canonicalJson(value: JsonValue): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object') {
    throw new SchemaError('value-not-json', `Cannot be written as JSON: ${String(value)}.`);
  }
  const members: string[] = [];
  for (const [key, item] of Object.entries(value).sort(byKey)) {
    if (item !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(item)}`);
  }
  return `{${members.join(',')}}`;
}

function byKey([left]: [string, unknown], [right]: [string, unknown]): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
/** How many steps are left of a piece of work that is bounded. */
export interface StepsLeft {
  left: number;
}

/**
 * True when two JSON values are equal by content. The order of keys does not matter; a member that is `undefined` counts as absent.
 *
 * @param steps bounds how many values are compared: false once they are spent. Default: no bound.
 */
export function sameJson(left: unknown, right: unknown, steps?: StepsLeft): boolean {
  if (left === right) return true;
  if (steps !== undefined) {
    steps.left -= 1;
    if (steps.left < 0) return false;
  }
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => sameJson(item, right[index], steps));
  }
  let surplus = 0;
  for (const key of Object.keys(right)) if (Reflect.get(right, key) !== undefined) surplus += 1;
  for (const key of Object.keys(left)) {
    const item: unknown = Reflect.get(left, key);
    if (item === undefined) continue;
    if (!Object.hasOwn(right, key) || !sameJson(item, Reflect.get(right, key), steps)) return false;
    surplus -= 1;
  }
  return surplus === 0;
}

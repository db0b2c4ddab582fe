import { isPlainObject } from './is.ts';

/**
 * Makes plain objects and lists read-only at every depth, in place. What is frozen counts as done, and instances of classes stay as they
 * are.
 */
export function freezeData<T>(value: T): T {
  // What a provider has sent may be nested deeper than the stack.
  const deeper: unknown[] = [];
  freezeLevels(value, maxFrozenLevels, deeper);
  while (deeper.length > 0) freezeLevels(deeper.pop(), maxFrozenLevels, deeper);
  return value;
}

const maxFrozenLevels = 100;

/** @param deeper takes what is more than that many levels down. */
function freezeLevels(value: unknown, levels: number, deeper: unknown[]): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  if (levels === 0) {
    deeper.push(value);
  } else if (Array.isArray(value)) {
    for (const item of Object.freeze(value)) freezeLevels(item, levels - 1, deeper);
  } else if (isPlainObject(value)) {
    Object.freeze(value);
    for (const name in value) freezeLevels(value[name], levels - 1, deeper);
  }
}

/** A copy that shares nothing with the value it was made of that could be changed. */
export interface DataCopy {
  readonly value: unknown;
  /** True for one that cannot be changed either; a date, a map, a set or bytes in it can. */
  readonly isFrozen: boolean;
}

/**
 * Copies plain objects and lists, dates, maps, sets and bytes, and freezes what can be frozen. A key called `__proto__` stays an ordinary key;
 * what two places share is copied for each of them.
 *
 * @returns undefined for what holds anything else: a getter, an instance of another class, a function, a cycle.
 */
export function frozenCopy(value: unknown): DataCopy | undefined {
  const copying: Copying = { freezes: true, isFrozen: true };
  try {
    return { value: copyOf(value, 0, copying), isFrozen: copying.isFrozen };
  } catch (error) {
    if (error === cannotCopy) return undefined;
    throw error;
  }
}

/** A copy of plain JSON, which has no getters, that can be changed. */
export function writableCopy(value: unknown): unknown {
  return copyOf(value, 0, { freezes: false, isFrozen: false });
}

interface Copying {
  readonly freezes: boolean;
  /** False once something was copied that cannot be frozen. */
  isFrozen: boolean;
}

/** Thrown inside {@link frozenCopy}. */
const cannotCopy: unique symbol = Symbol('cannot be copied');

/** Deeper values count as cycles: JSON may not be nested so deep. */
const maxDepth = 1_000;

function copyOf(value: unknown, depth: number, copying: Copying): unknown {
  if (typeof value === 'function' || depth > maxDepth) throw cannotCopy;
  if (typeof value !== 'object' || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Array.prototype && Array.isArray(value)) {
    const list = value.map((item) => copyOf(item, depth + 1, copying));
    return copying.freezes ? Object.freeze(list) : list;
  }
  if (!isPlainObject(value)) return copyOfInstance(value, depth, copying);
  const copy: Record<string, unknown> = prototype === null ? Object.create(null) : {};
  for (const key of Reflect.ownKeys(value)) {
    if (typeof key === 'symbol' || (copying.freezes && isComputed(value, key))) throw cannotCopy;
    const member = value[key];
    const item = typeof member === 'string' ? member : copyOf(member, depth + 1, copying);
    if (key !== '__proto__') copy[key] = item;
    else
      Object.defineProperty(copy, key, { value: item, writable: true, enumerable: true, configurable: true });
  }
  return copying.freezes ? Object.freeze(copy) : copy;
}

function isComputed(object: object, key: string): boolean {
  return !('value' in (Object.getOwnPropertyDescriptor(object, key) ?? {}));
}

function copyOfInstance(value: object, depth: number, copying: Copying): unknown {
  copying.isFrozen = false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // oxlint-disable-next-line no-restricted-globals -- A date that was given is copied; the time is not asked for.
  if (prototype === Date.prototype || prototype === Uint8Array.prototype) return structuredClone(value);
  const copyAll = (items: Iterable<unknown>): unknown[] =>
    [...items].map((item) => copyOf(item, depth + 1, copying));
  if (prototype === Set.prototype && value instanceof Set) return new Set(copyAll(value));
  if (prototype === Map.prototype && value instanceof Map) {
    const values = copyAll(value.values());
    return new Map(copyAll(value.keys()).map((key, index) => [key, values[index]]));
  }
  throw cannotCopy;
}

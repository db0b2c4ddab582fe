import { isPlainObject } from './is.ts';

/**
 * Makes plain objects and lists read-only at every depth, in place. What is frozen counts as done, and instances of classes stay as they
 * are.
 */
export function freezeData<T>(value: T): T {
  // What a provider has sent may be nested deeper than the stack.
  const open: unknown[] = [value];
  for (let each = open.pop(); open.length > 0 || each !== undefined; each = open.pop()) {
    if (typeof each !== 'object' || each === null || Object.isFrozen(each)) continue;
    if (!Array.isArray(each) && !isPlainObject(each)) continue;
    for (const item of Object.values(Object.freeze(each))) if (typeof item === 'object') open.push(item);
  }
  return value;
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
  const copying = new DataCopying(true);
  try {
    return { value: copying.copy(value, 0), isFrozen: copying.isFrozen };
  } catch (error) {
    if (error === cannotCopy) return undefined;
    throw error;
  }
}

/** A copy of plain JSON that can be changed. */
export function writableCopy(value: unknown): unknown {
  return new DataCopying(false).copy(value, 0);
}

/** Thrown inside {@link frozenCopy}. */
const cannotCopy: unique symbol = Symbol('cannot be copied');

/** Deeper values count as cycles: JSON may not be nested so deep. */
const maxDepth = 1_000;

class DataCopying {
  /** False once something was copied that cannot be frozen. */
  isFrozen = true;
  readonly #freezes: boolean;

  constructor(freezes: boolean) {
    this.#freezes = freezes;
  }

  copy(value: unknown, depth: number): unknown {
    if (typeof value === 'function' || depth > maxDepth) throw cannotCopy;
    if (typeof value !== 'object' || value === null) return value;
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === Array.prototype && Array.isArray(value)) {
      const list = value.map((item) => this.copy(item, depth + 1));
      return this.#freezes ? Object.freeze(list) : list;
    }
    if (isPlainObject(value)) return this.#copyObject(value, prototype, depth + 1);
    this.isFrozen = false;
    // oxlint-disable-next-line no-restricted-globals -- A date that was given is copied; the time is not asked for.
    if (prototype === Date.prototype) return structuredClone(value);
    if (prototype === Uint8Array.prototype && value instanceof Uint8Array) return value.slice();
    const copyAll = (items: Iterable<unknown>): unknown[] =>
      [...items].map((item) => this.copy(item, depth + 1));
    if (prototype === Set.prototype && value instanceof Set) return new Set(copyAll(value));
    if (prototype === Map.prototype && value instanceof Map) {
      const values = copyAll(value.values());
      return new Map(copyAll(value.keys()).map((key, index) => [key, values[index]]));
    }
    throw cannotCopy;
  }

  #copyObject(value: object, prototype: unknown, depth: number): object {
    const copy: Record<string, unknown> = prototype === null ? Object.create(null) : {};
    for (const key of Reflect.ownKeys(value)) {
      const property = Object.getOwnPropertyDescriptor(value, key);
      if (typeof key === 'symbol' || property === undefined || !('value' in property)) throw cannotCopy;
      const item = this.copy(property.value, depth);
      if (key === '__proto__') Object.defineProperty(copy, key, { ...property, value: item });
      else copy[key] = item;
    }
    return this.#freezes ? Object.freeze(copy) : copy;
  }
}

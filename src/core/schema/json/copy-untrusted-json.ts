import { SchemaError } from '../../error/index.ts';
import { present } from '../../internal/index.ts';
import { formatPath } from './issue.ts';
import type { JsonValue } from './json.ts';
import { maxJsonDepth, nameOf } from './json-walk.ts';

/**
 * A deep copy of plain JSON from an unknown source, frozen. Each property is read once; keys whose value is undefined are
 * left out; a key `__proto__` stays an ordinary key. What two places share is copied for each of them.
 *
 * @param what names the value in messages.
 * @param maxValues how many objects, lists and plain values there may be in all.
 * @throws {SchemaError} `value-not-json` naming the path, for all that {@link freezeJson} refuses, for more than
 * `maxValues` values, and, as cause, for what a getter or proxy threw.
 */
export function copyUntrustedJson(value: unknown, what: string, maxValues: number): JsonValue {
  return new JsonCopy(what, maxValues).copy(value);
}

class JsonCopy {
  readonly #what: string;
  readonly #maxValues: number;
  readonly #path: (string | number)[] = [];
  readonly #ancestors = new Set<object>();
  #valueCount = 0;

  constructor(what: string, maxValues: number) {
    this.#what = what;
    this.#maxValues = maxValues;
  }

  copy(value: unknown): JsonValue {
    this.#valueCount += 1;
    if (this.#valueCount > this.#maxValues) throw this.#problem(`has more than ${this.#maxValues} values`);
    if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) throw this.#problem(`holds ${value}, which JSON cannot carry`);
      return value;
    }
    if (typeof value !== 'object') throw this.#problem(`holds ${nameOf(value)}, which JSON cannot carry`);
    if (this.#ancestors.has(value)) throw this.#problem('refers back to an object that contains it');
    if (this.#ancestors.size >= maxJsonDepth)
      throw this.#problem(`is nested deeper than ${maxJsonDepth} levels`);
    this.#ancestors.add(value);
    const list: readonly unknown[] | undefined = this.#inspect(() =>
      Array.isArray(value) ? value : undefined,
    );
    const copied = list === undefined ? this.#copyObject(value) : this.#copyList(list);
    this.#ancestors.delete(value);
    return Object.freeze(copied);
  }

  #copyList(list: readonly unknown[]): JsonValue[] {
    const copied: JsonValue[] = [];
    const length = this.#inspect(() => list.length);
    for (let index = 0; index < length; index += 1) {
      this.#path.push(index);
      copied.push(this.copy(this.#inspect(() => list[index])));
      this.#path.pop();
    }
    return copied;
  }

  #copyObject(value: object): Record<string, JsonValue> {
    const keys = this.#inspect(() => {
      const prototype: unknown = Object.getPrototypeOf(value);
      // Objects of another realm have another Object.prototype; it, too, is the end of its chain.
      const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
      if (!isPlain) throw this.#problem(`holds ${nameOf(value)}; pass plain objects and lists`);
      if (Object.getOwnPropertySymbols(value).length > 0) throw this.#problem('has a key that is a symbol');
      return Object.keys(value);
    });
    const copied: Record<string, JsonValue> = {};
    for (const key of keys) {
      this.#path.push(key);
      const item = this.#inspect(() => Reflect.get(value, key));
      if (item !== undefined) {
        // Assigning to `__proto__` would set the prototype instead.
        Object.defineProperty(copied, key, {
          value: this.copy(item),
          enumerable: true,
          configurable: true,
          writable: true,
        });
      }
      this.#path.pop();
    }
    return copied;
  }

  /** Looks at an object that may be a proxy or have getters, which may throw anything. */
  #inspect<T>(look: () => T): T {
    try {
      return look();
    } catch (cause) {
      if (SchemaError.isInstance(cause)) throw cause;
      throw this.#problem('cannot be read', cause);
    }
  }

  #problem(problem: string, cause?: unknown): SchemaError {
    const path = formatPath(this.#path);
    const place = path === '' ? this.#what : `${this.#what} at ${path}`;
    return new SchemaError('value-not-json', `Not plain JSON: ${place} ${problem}.`, {
      ...present({ cause }),
      details: { what: this.#what, path },
    });
  }
}

import { SchemaError } from '../../error/index.ts';
import type { JsonValue } from './json.ts';
import { holderIn, maxJsonDepth, notPlain, plainKeys } from './json-walk.ts';

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
    const holder = holderIn(value, this.#problem);
    // What nothing lies below is JSON as it is.
    if (holder === undefined) return value as JsonValue;
    if (this.#ancestors.has(holder)) throw this.#problem('refers back to an object that contains it');
    if (this.#ancestors.size >= maxJsonDepth)
      throw this.#problem(`is nested deeper than ${maxJsonDepth} levels`);
    this.#ancestors.add(holder);
    const list: readonly unknown[] | undefined = this.#inspect(() =>
      Array.isArray(holder) ? holder : undefined,
    );
    const copied = list === undefined ? this.#copyObject(holder) : this.#copyList(list);
    this.#ancestors.delete(holder);
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
    const keys = this.#inspect(() => plainKeys(value, this.#problem));
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

  readonly #problem = (problem: string, cause?: unknown): SchemaError =>
    notPlain(this.#what, this.#path, problem, cause);
}

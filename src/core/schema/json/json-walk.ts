import { SchemaError } from '../../error/index.ts';
import { formatPath } from './issue.ts';

/** JSON values may be nested this deep. */
export const maxJsonDepth = 1_000;

/**
 * Checks that a value is plain JSON, whatever its size and sharing, and reports the path where it is not.
 *
 * @param isChecked true for objects that need no check.
 * @returns every object and list that was checked.
 * @throws {SchemaError} `value-not-json`.
 */
export function walkJson(
  value: unknown,
  what: string,
  isChecked: (value: object) => boolean,
): ReadonlySet<object> {
  const walk = new JsonWalk(what, isChecked);
  walk.visit(value);
  return walk.found;
}

class JsonWalk {
  readonly #what: string;
  readonly #isChecked: (value: object) => boolean;
  readonly #path: (string | number)[] = [];
  readonly #ancestors: object[] = [];
  readonly #seen = new Set<object>();

  constructor(what: string, isChecked: (value: object) => boolean) {
    this.#what = what;
    this.#isChecked = isChecked;
  }

  /** Every object and list that was visited. */
  get found(): ReadonlySet<object> {
    return this.#seen;
  }

  visit(value: unknown): void {
    if (typeof value === 'string' || typeof value === 'boolean' || value === null) return;
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) throw this.#problem(`holds ${value}, which JSON cannot carry`);
      return;
    }
    if (typeof value !== 'object') throw this.#problem(`holds ${nameOf(value)}, which JSON cannot carry`);
    if (this.#isChecked(value)) return;
    if (this.#seen.has(value)) {
      if (this.#ancestors.includes(value)) throw this.#problem('refers back to an object that contains it');
      return;
    }
    if (this.#ancestors.length >= maxJsonDepth)
      throw this.#problem(`is nested deeper than ${maxJsonDepth} levels`);
    this.#seen.add(value);
    this.#ancestors.push(value);
    if (Array.isArray(value)) this.#visitList(value);
    else this.#visitObject(value);
    this.#ancestors.pop();
  }

  #visitList(list: readonly unknown[]): void {
    for (let index = 0; index < list.length; index += 1) {
      this.#path.push(index);
      this.visit(list[index]);
      this.#path.pop();
    }
  }

  #visitObject(value: object): void {
    const prototype: unknown = Object.getPrototypeOf(value);
    // Objects of another realm have another Object.prototype; it, too, is the end of its chain.
    if (prototype !== Object.prototype && prototype !== null && Object.getPrototypeOf(prototype) !== null) {
      throw this.#problem(`holds ${nameOf(value)}; pass plain objects and lists`);
    }
    if (Object.getOwnPropertySymbols(value).length > 0) throw this.#problem('has a key that is a symbol');
    for (const key of Object.keys(value)) {
      const item: unknown = Reflect.get(value, key);
      if (item === undefined) continue;
      this.#path.push(key);
      this.visit(item);
      this.#path.pop();
    }
  }

  #problem(problem: string): SchemaError {
    const path = formatPath(this.#path);
    const place = path === '' ? this.#what : `${this.#what} at ${path}`;
    return new SchemaError('value-not-json', `Not plain JSON: ${place} ${problem}.`, {
      details: { what: this.#what, path },
    });
  }
}

/** What a value is that JSON cannot carry, for messages. */
export function nameOf(value: unknown): string {
  if (value === undefined) return 'undefined';
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return 'bytes (encode them as base64 text)';
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`;
  const maker: unknown = Reflect.get(value, 'constructor');
  return typeof maker === 'function' && maker.name !== ''
    ? `an instance of ${maker.name}`
    : 'a class instance';
}

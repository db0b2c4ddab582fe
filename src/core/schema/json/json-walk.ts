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
    const holder = holderIn(value, this.#problem);
    if (holder === undefined || this.#isChecked(holder)) return;
    if (this.#seen.has(holder)) {
      if (this.#ancestors.includes(holder)) throw this.#problem('refers back to an object that contains it');
      return;
    }
    if (this.#ancestors.length >= maxJsonDepth)
      throw this.#problem(`is nested deeper than ${maxJsonDepth} levels`);
    this.#seen.add(holder);
    this.#ancestors.push(holder);
    if (Array.isArray(holder)) this.#visitList(holder);
    else this.#visitObject(holder);
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
    for (const key of plainKeys(value, this.#problem)) {
      this.#path.push(key);
      if (hasGetter(value, key)) throw this.#problem('is a getter, which may give another value each time');
      const item: unknown = Reflect.get(value, key);
      if (item !== undefined) this.visit(item);
      this.#path.pop();
    }
  }

  readonly #problem: Refuse = (problem) => notPlain(this.#what, this.#path, problem);
}

/** Whether a property of an object is computed when it is read. */
export function hasGetter(object: object, key: string): boolean {
  return Object.getOwnPropertyDescriptor(object, key)?.get !== undefined;
}

/** Makes the error for the value that is being looked at. */
type Refuse = (problem: string) => SchemaError;

/** The error for a value that is not plain JSON in one place. */
export function notPlain(
  what: string,
  steps: readonly (string | number)[],
  problem: string,
  cause?: unknown,
): SchemaError {
  const path = formatPath(steps);
  const place = path === '' ? what : `${what} at ${path}`;
  return new SchemaError('value-not-json', `Not plain JSON: ${place} ${problem}.`, {
    cause,
    details: { what, path },
  });
}

/** The object or list that a value is; undefined for one that nothing lies below. Throws for what JSON cannot carry. */
export function holderIn(value: unknown, refuse: Refuse): object | undefined {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return undefined;
  if (typeof value === 'object') return value;
  if (typeof value !== 'number') throw refuse(`holds ${nameOf(value)}, which JSON cannot carry`);
  if (!Number.isFinite(value)) throw refuse(`holds ${value}, which JSON cannot carry`);
  return undefined;
}

/** The keys of a plain object. Throws for any other. */
export function plainKeys(value: object, refuse: Refuse): readonly string[] {
  const prototype: unknown = Object.getPrototypeOf(value);
  // Objects of another realm have another Object.prototype; it, too, is the end of its chain.
  if (prototype !== Object.prototype && prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw refuse(`holds ${nameOf(value)}; pass plain objects and lists`);
  }
  if (Object.getOwnPropertySymbols(value).length > 0) throw refuse('has a key that is a symbol');
  return Object.keys(value);
}

/** What a value is that JSON cannot carry, for messages. */
function nameOf(value: unknown): string {
  if (value === undefined) return 'undefined';
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return 'bytes (encode them as base64 text)';
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`;
  const maker: unknown = Reflect.get(value, 'constructor');
  return typeof maker === 'function' && maker.name !== ''
    ? `an instance of ${maker.name}`
    : 'a class instance';
}

/**
 * An object whose values are all created when the first of them is read. For values that would otherwise be created while a module
 * loads, in every process that imports the package.
 */
export function lazyObject<T extends object>(keys: readonly (keyof T)[], make: () => T): T {
  let made: T | undefined;
  const properties = keys.map((key): [PropertyKey, PropertyDescriptor] => [
    key,
    { enumerable: true, get: () => (made ??= make())[key] },
  ]);
  // Every key of T has a getter that returns the value of T for it.
  return Object.freeze(Object.defineProperties({}, Object.fromEntries(properties))) as T;
}

/** A function that creates its value on the first call and returns the same value from then on. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

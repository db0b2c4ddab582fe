/**
 * An object whose values are made, together, when the first of them is read. For what would otherwise be made while a module loads, in
 * every process that imports the package.
 */
export function lazyObject<T extends object>(keys: readonly (keyof T)[], make: () => T): T {
  let made: T | undefined;
  const properties = keys.map((key): [PropertyKey, PropertyDescriptor] => [
    key,
    { enumerable: true, get: () => (made ??= make())[key] },
  ]);
  // Every key of T has a getter that gives what T has there.
  return Object.freeze(Object.defineProperties({}, Object.fromEntries(properties))) as T;
}

/** A function that makes its value when it is first called, and gives the same from then on. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

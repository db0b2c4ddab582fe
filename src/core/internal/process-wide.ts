/**
 * What all loaded copies of the package share, as two versions in one `node_modules` are two copies: guards against a second use of
 * an object that is the user's own. Made when it is first asked for, since evaluating a module changes nothing.
 *
 * @param name ends in a version: copies that do not agree on what is shared must not find one another's.
 */
export function processWide<T extends object>(name: string, make: () => T): T {
  const key = Symbol.for(`weakincentives.${name}`);
  const known: unknown = Reflect.get(globalThis, key);
  // Only this function sets it, and a name with its version belongs to one type.
  if (known !== undefined) return known as T;
  const made = make();
  Object.defineProperty(globalThis, key, { value: made });
  return made;
}

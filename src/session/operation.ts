/** What a reducer wants done to its slice. Plain data; `remove` is for keyed slices only. */
export type SliceOperation<T> =
  | { readonly op: 'append'; readonly item: T }
  | { readonly op: 'extend'; readonly items: readonly T[] }
  | { readonly op: 'replace'; readonly items: readonly T[] }
  | { readonly op: 'clear' }
  | { readonly op: 'remove'; readonly keys: readonly string[] };

/** Adds one item at the end; in a keyed slice it takes the place of the item with the same key. */
export function append<T>(item: T): SliceOperation<T> {
  return { op: 'append', item };
}

/** Adds several items, each like {@link append}. */
export function extend<T>(items: readonly T[]): SliceOperation<T> {
  return { op: 'extend', items };
}

/** Puts these items in the place of all others. */
export function replace<T>(items: readonly T[]): SliceOperation<T> {
  return { op: 'replace', items };
}

/** Removes every item. */
export function clear(): SliceOperation<never> {
  return { op: 'clear' };
}

/** Removes the items with these keys; absent keys are passed over. Keyed slices only. */
export function remove(...keys: readonly string[]): SliceOperation<never> {
  return { op: 'remove', keys };
}

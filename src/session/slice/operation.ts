/** What a reducer wants done to its slice. Plain data; `remove` is for keyed slices only. */
export type SliceOperation<T> =
  | { readonly op: 'append'; readonly item: T; readonly moveToEnd?: boolean }
  | { readonly op: 'extend'; readonly items: readonly T[] }
  | { readonly op: 'replace'; readonly items: readonly T[] }
  | { readonly op: 'clear' }
  | { readonly op: 'remove'; readonly keys: readonly string[] };

/** Options of {@link append}. */
export interface AppendOptions {
  /** In a keyed slice: go to the end also where an item with the same key stands elsewhere. Default false. */
  readonly moveToEnd?: boolean;
}

/** Adds one item at the end; in a keyed slice it takes the place of the item with the same key. */
export function append<T>(item: T, options: AppendOptions = {}): SliceOperation<T> {
  return options.moveToEnd === true ? { op: 'append', item, moveToEnd: true } : { op: 'append', item };
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

/** What a reducer does to its slice. Plain data, made by the methods of `SliceItems`; `remove` is for keyed slices only. */
export type SliceOperation<T> =
  | { readonly op: 'append'; readonly item: T; readonly moveToEnd?: boolean }
  | { readonly op: 'extend'; readonly items: readonly T[] }
  | { readonly op: 'replace'; readonly items: readonly T[] }
  | { readonly op: 'clear' }
  | { readonly op: 'remove'; readonly keys: readonly string[] }
  | { readonly op: 'keep' };

/** Options of `SliceItems.append`. @internal */
export interface AppendOptions {
  /** In a keyed slice: move the item to the end also when an item with the same key is elsewhere. Default false. */
  readonly moveToEnd?: boolean;
}

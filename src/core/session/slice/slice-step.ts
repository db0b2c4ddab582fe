/**
 * A step that changes the items of a slice, applied without a reducer and without the key function of the slice.
 *
 * - `append`: adds items at the end of a slice without keys.
 * - `put`: in a keyed slice sets the item of a key, in its place; at the end for a new key, and with `toEnd`.
 * - `remove`: takes items out of a keyed slice.
 * - `clear`: empties the slice.
 */
export type SliceStep =
  | { readonly op: 'append'; readonly items: readonly unknown[] }
  | { readonly op: 'put'; readonly key: string; readonly item: unknown; readonly toEnd?: true }
  | { readonly op: 'remove'; readonly keys: readonly string[] }
  | { readonly op: 'clear' };

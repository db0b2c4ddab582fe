import type { DeepReadonly } from '../../schema/index.ts';
import type { DerivedSlice } from './derived-slice.ts';
import type { Slice } from './slice.ts';

/** Reading one slice. Items are frozen; arrays are frozen and shared between calls while the slice does not change. */
export interface ReadonlySliceAccessor<T> {
  /** How many items the slice holds. */
  readonly length: number;
  /** All items: in the order they were added, in a keyed slice in the order their keys first appeared. */
  all(): readonly DeepReadonly<T>[];
  /** The last item of {@link all}, or undefined when the slice is empty. */
  latest(): DeepReadonly<T> | undefined;
  /** The items for which `predicate` is true. The predicate may throw: so does this call. */
  where(predicate: (item: DeepReadonly<T>) => boolean): readonly DeepReadonly<T>[];
  /**
   * The item with this key, or undefined.
   * @throws {SessionError} code `slice-not-keyed` when the slice has no key function.
   */
  get(key: string): DeepReadonly<T> | undefined;
}

/**
 * Reading and writing one slice. Items written here are validated against the slice's schema and frozen.
 * A LOG slice takes `append` only.
 */
export interface SliceAccessor<T> extends ReadonlySliceAccessor<T> {
  /**
   * Adds items; in a keyed slice each takes the place of the item with the same key (an equal one changes nothing).
   * @throws {SchemaError} codes `value-invalid`, `value-not-json`. {@link SessionError} codes `slice-key-invalid`, `session-read-only`.
   */
  append(...items: readonly DeepReadonly<T>[]): void;
  /**
   * Puts these items in the place of all others.
   * @throws {SessionError} code `slice-append-only` on a LOG slice; else as {@link append}.
   */
  seed(items: readonly DeepReadonly<T>[]): void;
  /**
   * Removes all items, or those for which `predicate` is true.
   * @throws {SessionError} code `slice-append-only` on a LOG slice, `session-read-only` in a read-only call.
   */
  clear(predicate?: (item: DeepReadonly<T>) => boolean): void;
}

/** What reducers and conditions see of a session. */
export interface ReadonlySessionView {
  /** The id of the session. */
  readonly id: string;
  /** @throws {SessionError} code `slice-unknown` when the slice is not installed. */
  slice<T>(slice: Slice<T> | DerivedSlice<T>): ReadonlySliceAccessor<T>;
}

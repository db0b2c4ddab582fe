import { assertOptions, type RefuseArgument, SessionError } from '../../error/index.ts';
import { type DeepReadonly, freezeJson } from '../../schema/index.ts';
import { nameCheck } from '../event/event.ts';
import type { Slice, SliceState, StoredSlice } from './slice.ts';

/** A read-only slice computed from a stored one. Reading it reads the whole source. */
export interface DerivedSlice<out U> {
  readonly kind: 'derived-slice';
  readonly name: string;
  readonly source: StoredSlice;
  /** The items for one state of the source, computed once per state. @internal */
  readonly '~project': (state: SliceState) => readonly unknown[];
  /** Carries the type for the compiler; never present at run time. */
  readonly '~item'?: U;
}

/** Any slice that can be installed: stored, or derived from a stored one. */
export type AnySlice = StoredSlice | DerivedSlice<unknown>;

/** Options of {@link defineDerivedSlice}. */
export interface DerivedSliceOptions<T, U> {
  /** Not empty; unique in every session that installs the slice. */
  readonly name: string;
  /** The stored slice that the items are computed from. */
  readonly source: Slice<T>;
  /** Computes the items. Pure; runs at most once per state of the source. May throw: so does the read. */
  readonly derive: (items: readonly DeepReadonly<T>[]) => readonly U[];
}

export const refuseSlice: RefuseArgument = (message, details) =>
  new SessionError('slice-invalid', message, details);

/**
 * Declares a read-only view of another slice.
 * @throws {SessionError} code `slice-invalid` when the name is empty, the source is missing or `derive` is not a function.
 */
export function defineDerivedSlice<T, U>(options: DerivedSliceOptions<T, U>): DerivedSlice<U> {
  const kinds = { name: nameCheck, source: 'object!', derive: 'function!' } as const;
  assertOptions('defineDerivedSlice()', options, kinds, refuseSlice);
  const { name, source, derive } = options;
  const results = new WeakMap<SliceState, readonly unknown[]>();
  // The state handed in is always one of `source`, whose items are of type T.
  const erased = derive as (items: readonly unknown[]) => readonly unknown[];
  const compute = (state: SliceState): readonly unknown[] => {
    const known = results.get(state);
    if (known !== undefined) return known;
    const items = Object.freeze(erased(state.all()).map((item) => freezeJson(item, `item of slice ${name}`)));
    results.set(state, items);
    return items;
  };
  return Object.freeze({ kind: 'derived-slice', name, source, '~project': compute });
}

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

/** A slice of a session; undefined where it is not installed, as in a session that its section was never used with. @internal */
export function installedSlice<Item>(
  session: ReadonlySessionView,
  slice: Slice<Item> | DerivedSlice<Item>,
): ReadonlySliceAccessor<Item> | undefined {
  try {
    return session.slice(slice);
  } catch (error) {
    if (SessionError.isInstance(error) && error.code === 'slice-unknown') return undefined;
    throw error;
  }
}

/** The items of a slice; none where it is not installed. @internal */
export function installedItems<Item>(
  session: ReadonlySessionView,
  slice: Slice<Item>,
): readonly DeepReadonly<Item>[] {
  return installedSlice(session, slice)?.all() ?? [];
}

import { assertOptions, type RefuseArgument, SessionError } from '../../error/index.ts';
import { type DeepReadonly, freezeJson } from '../../schema/index.ts';
import type { Slice, StoredSlice } from './slice.ts';
import type { SliceState } from './slice-state.ts';

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

const refuseSlice: RefuseArgument = (message, details) => new SessionError('slice-invalid', message, details);

/**
 * Declares a read-only view of another slice.
 * @throws {SessionError} code `slice-invalid` when the name is empty, the source is missing or `derive` is not a function.
 */
export function defineDerivedSlice<T, U>(options: DerivedSliceOptions<T, U>): DerivedSlice<U> {
  const kinds = { name: 'string!', source: 'object!', derive: 'function!' } as const;
  assertOptions('defineDerivedSlice()', options, kinds, refuseSlice);
  const { name, source, derive } = options;
  if (name === '') {
    throw new SessionError('slice-invalid', 'A derived slice needs a name: a string that is not empty.');
  }
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

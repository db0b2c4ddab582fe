import { SessionError } from '../../error/index.ts';
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

/**
 * Declares a read-only view over another slice.
 * @param project pure; runs at most once per state of the source. May throw: so does the read.
 * @throws {SessionError} code `slice-invalid` when the name is empty.
 */
export function deriveSlice<T, U>(
  name: string,
  source: Slice<T>,
  project: (items: readonly DeepReadonly<T>[]) => readonly U[],
): DerivedSlice<U> {
  if (name === '')
    throw new SessionError('slice-invalid', 'A derived slice needs a name: a text that is not empty.');
  const results = new WeakMap<SliceState, readonly unknown[]>();
  // The state handed in is always one of `source`, whose items are of type T.
  const erased = project as (items: readonly unknown[]) => readonly unknown[];
  const compute = (state: SliceState): readonly unknown[] => {
    const known = results.get(state);
    if (known !== undefined) return known;
    const items = Object.freeze(erased(state.all()).map((item) => freezeJson(item, `item of slice ${name}`)));
    results.set(state, items);
    return items;
  };
  return Object.freeze({ kind: 'derived-slice', name, source, '~project': compute });
}

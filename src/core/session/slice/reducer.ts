import type { DeepReadonly } from '../../schema/index.ts';
import type { AnyEvent, EventDefinition } from '../event/event.ts';
import type { AppendOptions, SliceOperation } from './operation.ts';
import type { ReadonlySessionView } from './view.ts';

/**
 * The items of a slice as its own reducer sees them, and the operations it can return. Not an array, so that reading one item does
 * not read all of them. The items can be read while the reducer runs.
 */
export interface SliceItems<T> extends Iterable<T> {
  readonly length: number;
  /** The item at `index`; a negative index counts from the end; undefined when there is none. */
  at(index: number): T | undefined;
  /** The last item, or undefined. */
  latest(): T | undefined;
  /**
   * The item with this key, or undefined.
   * @throws {SessionError} code `slice-not-keyed` when the slice has no key function.
   */
  get(key: string): T | undefined;
  /** The key that the slice gives an item, or undefined in a slice without keys. Looks at no item that is stored. */
  keyOf(item: T): string | undefined;
  /** Adds one item at the end; in a keyed slice it takes the place of the item with the same key. */
  append(item: T, options?: AppendOptions): SliceOperation<T>;
  /** Adds several items, each like {@link SliceItems.append}. */
  extend(items: readonly T[]): SliceOperation<T>;
  /** Puts these items in the place of all others. */
  replace(items: readonly T[]): SliceOperation<T>;
  /** Removes the items with these keys; absent keys are ignored. Keyed slices only. */
  remove(...keys: readonly string[]): SliceOperation<T>;
  /** Removes every item. */
  clear(): SliceOperation<T>;
  /** Changes nothing. */
  keep(): SliceOperation<T>;
}

/**
 * Computes what an event does to one slice. Pure: no clock, no ids, nothing but its arguments, since it runs again when a
 * tool call lands on newer state. Returns an operation, never a promise: `items.keep()` changes nothing. `view` shows the whole session as it was before the event.
 *
 * May throw: the dispatch throws and nothing is applied.
 */
export type Reducer<T, P> = (
  items: SliceItems<DeepReadonly<T>>,
  payload: DeepReadonly<P>,
  view: ReadonlySessionView,
) => SliceOperation<DeepReadonly<T>>;

/** A reducer without its types, as the runtime calls it. @internal */
export type ErasedReducer = (
  items: SliceItems<unknown>,
  payload: unknown,
  view: ReadonlySessionView,
) => unknown;

/** One event tied to one reducer of a slice of `T`. Made by the {@link ReducerBinder} that a slice passes to its option `reducers`. */
export interface ReducerBinding<in out T> {
  readonly kind: 'reducer-binding';
  readonly event: AnyEvent;
  /** @internal */
  readonly reduce: ErasedReducer;
  /** Carries the type for the compiler; never present at run time. */
  readonly '~item'?: (item: T) => T;
}

/** Ties a reducer to an event, for a slice of `T`: what the option `reducers` of a slice receives as `on`. */
export type ReducerBinder<T> = <Input, Output>(
  event: EventDefinition<Input, Output>,
  reducer: Reducer<T, Output>,
) => ReducerBinding<T>;

/** The {@link ReducerBinder} of every slice. @internal */
export function bindReducer<T, Input, Output>(
  event: EventDefinition<Input, Output>,
  reducer: Reducer<T, Output>,
): ReducerBinding<T> {
  // The runtime passes this reducer only items of its own slice and payloads of its own event, so the types may be erased.
  const reduce = reducer as ErasedReducer;
  return Object.freeze({ kind: 'reducer-binding', event, reduce });
}

import type { DeepReadonly } from '../../schema/index.ts';
import type { AnyEvent, EventDefinition } from '../event/event.ts';
import type { SliceOperation } from './operation.ts';
import type { ReadonlySessionView } from './view.ts';

/** The items of a slice as its own reducer sees them: no array, so that looking at one item does not read all. Valid while the reducer runs. */
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
}

/**
 * Computes what an event does to one slice. Pure: no clock, no ids, nothing but its arguments, since it runs again when a
 * tool call lands on newer state. Returns an operation, or undefined for "unchanged". `view` shows the whole session as it was before the event.
 *
 * May throw: the dispatch throws and nothing is applied.
 */
export type Reducer<T, P> = (
  items: SliceItems<DeepReadonly<T>>,
  payload: DeepReadonly<P>,
  view: ReadonlySessionView,
) => SliceOperation<DeepReadonly<T>> | undefined;

/** A reducer without its types, as the runtime calls it. @internal */
export type ErasedReducer = (
  items: SliceItems<unknown>,
  payload: unknown,
  view: ReadonlySessionView,
) => unknown;

/** One event tied to one reducer of a slice of `T`. Made by {@link on}. */
export interface ReducerBinding<in out T> {
  readonly kind: 'reducer-binding';
  readonly event: AnyEvent;
  /** @internal */
  readonly reduce: ErasedReducer;
  /** Carries the type for the compiler; never present at run time. */
  readonly '~item'?: (item: T) => T;
}

/**
 * Ties `reducer` to `event`, for the `reducers` of a slice. The type of the items comes from the slice that it stands in;
 * outside of one, name it: `on<Item, Input, Output>(…)`.
 */
export function on<T, Input, Output>(
  event: EventDefinition<Input, Output>,
  reducer: Reducer<NoInfer<T>, Output>,
): ReducerBinding<T> {
  // The runtime hands this reducer only items of its own slice and payloads of its own event, so the types may be erased.
  const reduce = reducer as ErasedReducer;
  return Object.freeze({ kind: 'reducer-binding', event, reduce });
}

import { SessionError } from '../../error/index.ts';
import type { DeepReadonly } from '../../schema/index.ts';
import type { AnyEvent, EventDefinition } from '../event/event.ts';
import type { AppendOptions, SliceOperation } from './slice.ts';
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

/** Makes an item of a slice from a payload. Pure. May throw: the dispatch throws and nothing is applied. */
export type ToItem<T, P> = (payload: DeepReadonly<P>) => DeepReadonly<T>;

/** Gives the text that identifies an item. Pure. May throw: the dispatch throws and nothing is applied. */
export type ItemKey<T> = (item: DeepReadonly<T>) => string;

function itemFrom<T, P>(payload: DeepReadonly<P>, toItem: ToItem<T, P> | undefined): DeepReadonly<T> {
  // Without `toItem` the overloads ask for payloads that are items.
  return toItem === undefined ? (payload as unknown as DeepReadonly<T>) : toItem(payload);
}

function append<T, P>(toItem?: ToItem<T, P>): Reducer<T, P> {
  return (items, payload) => items.append(itemFrom(payload, toItem));
}

function keepLatest<T, P>(toItem?: ToItem<T, P>): Reducer<T, P> {
  return (items, payload) => items.replace([itemFrom(payload, toItem)]);
}

function upsertBy<T, P>(key: ItemKey<T>, toItem?: ToItem<T, P>): Reducer<T, P> {
  return (items, payload) => {
    const item = itemFrom(payload, toItem);
    const own = key(item);
    if (isKeyedBy(items, item, own)) return items.append(item);
    let isKnown = false;
    const next: DeepReadonly<T>[] = [];
    for (const each of items) {
      if (key(each) !== own) next.push(each);
      else if (!isKnown) {
        isKnown = true;
        next.push(item);
      }
    }
    return isKnown ? items.replace(next) : items.append(item);
  };
}

function keepLatestBy<T, P>(key: ItemKey<T>, toItem?: ToItem<T, P>): Reducer<T, P> {
  return (items, payload): SliceOperation<DeepReadonly<T>> => {
    const item = itemFrom(payload, toItem);
    const own = key(item);
    if (isKeyedBy(items, item, own)) return items.append(item, { moveToEnd: true });
    const kept = [...items].filter((each) => key(each) !== own);
    return kept.length < items.length ? items.replace([...kept, item]) : items.append(item);
  };
}

/** True in a keyed slice, whose key is the very one that the helper was given. */
function isKeyedBy<T>(items: SliceItems<T>, item: T, key: string): boolean {
  const keyOfSlice = items.keyOf(item);
  if (keyOfSlice === undefined || keyOfSlice === key) return keyOfSlice !== undefined;
  throw new SessionError(
    'reducer-failed',
    `The helper's key says ${JSON.stringify(key)} where the key of the slice says ${JSON.stringify(keyOfSlice)}. Give both the same function.`,
  );
}

/** Ready-made reducers for the option `reducers` of a slice: `on(Added, reducers.append())`. */
export const reducers: {
  /** Adds each payload at the end; in a keyed slice it takes the place of the item with the same key. */
  append<T>(): Reducer<T, T>;
  /**
   * Adds what `toItem` makes of each payload.
   * @param toItem makes the item from the payload.
   */
  append<T, P>(toItem: (payload: DeepReadonly<P>) => DeepReadonly<NoInfer<T>>): Reducer<T, P>;
  /** Puts each payload in the place of all items: the slice holds the latest payload only. */
  keepLatest<T>(): Reducer<T, T>;
  /**
   * Puts what `toItem` makes of each payload in the place of all items.
   * @param toItem makes the item from the payload.
   */
  keepLatest<T, P>(toItem: (payload: DeepReadonly<P>) => DeepReadonly<NoInfer<T>>): Reducer<T, P>;
  /**
   * Puts each payload in the place of the item with the same key, or at the end when there is none. In a slice without keys it
   * reads and writes every item; in a keyed slice it reads nothing and its cost does not depend on how many items there are.
   * @param key must agree with the key of the slice if that is keyed: else the dispatch throws `reducer-failed`.
   */
  upsertBy<T>(key: (item: DeepReadonly<NoInfer<T>>) => string): Reducer<T, T>;
  /**
   * The same with what `toItem` makes of each payload.
   * @param key must agree with the key of the slice if that is keyed.
   * @param toItem makes the item from the payload.
   */
  upsertBy<T, P>(
    key: (item: DeepReadonly<NoInfer<T>>) => string,
    toItem: (payload: DeepReadonly<P>) => DeepReadonly<NoInfer<T>>,
  ): Reducer<T, P>;
  /**
   * Removes the item with the same key as the payload, if there is one, and adds the payload at the end: the latest of each key,
   * the newest last. Reads and costs the same as `upsertBy`.
   * @param key must agree with the key of the slice if that is keyed: else the dispatch throws `reducer-failed`.
   */
  keepLatestBy<T>(key: (item: DeepReadonly<NoInfer<T>>) => string): Reducer<T, T>;
  /**
   * The same with what `toItem` makes of each payload.
   * @param key must agree with the key of the slice if that is keyed.
   * @param toItem makes the item from the payload.
   */
  keepLatestBy<T, P>(
    key: (item: DeepReadonly<NoInfer<T>>) => string,
    toItem: (payload: DeepReadonly<P>) => DeepReadonly<NoInfer<T>>,
  ): Reducer<T, P>;
} = { append, keepLatest, upsertBy, keepLatestBy };

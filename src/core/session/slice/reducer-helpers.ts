import { SessionError } from '../../error/index.ts';
import type { DeepReadonly } from '../../schema/index.ts';
import type { SliceOperation } from './operation.ts';
import type { Reducer, SliceItems } from './reducer.ts';

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

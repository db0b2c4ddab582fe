export { Itself } from './itself.ts';
export { lazyObject } from './lazy.ts';
export { none } from './none.ts';
export { type MapDifference, PersistentMap } from './persistent-map.ts';
export { PersistentVector } from './persistent-vector.ts';
export { isPromiseLike } from './promise.ts';
export { escapeUnseen, quoteText, readName, showName } from './quote.ts';
export type { Writable } from './writable.ts';

export { Itself } from './itself.ts';
export { type MapDifference, PersistentMap } from './persistent-map.ts';
export { PersistentVector } from './persistent-vector.ts';

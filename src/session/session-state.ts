import { PersistentMap } from '../collection/index.ts';
import type { StoredSlice } from './slice.ts';
import { internalsOf } from './slice-internals.ts';
import type { SliceState } from './slice-state.ts';

/** Everything a session holds at one moment. Immutable. A slice that is absent has its initial items. */
export interface SessionState {
  /** STATE slices by name. */
  readonly slices: PersistentMap<SliceState>;
  /** LOG slices by name. */
  readonly logs: PersistentMap<SliceState>;
}

export const emptySessionState: SessionState = Object.freeze({
  slices: PersistentMap.empty<SliceState>(),
  logs: PersistentMap.empty<SliceState>(),
});

/** The state of one slice of either policy. */
export function sliceStateIn(state: SessionState, slice: StoredSlice): SliceState {
  const slices = slice.policy === 'log' ? state.logs : state.slices;
  return slices.get(slice.name) ?? internalsOf(slice).initial;
}

/** The same session state with one slice changed; the very same object when nothing changes. */
export function withSliceState(state: SessionState, slice: StoredSlice, next: SliceState): SessionState {
  if (sliceStateIn(state, slice) === next) return state;
  return slice.policy === 'log'
    ? { slices: state.slices, logs: state.logs.set(slice.name, next) }
    : { slices: state.slices.set(slice.name, next), logs: state.logs };
}

import { SessionError } from '../error/index.ts';
import type { StoredSlice } from './slice.ts';
import { internalsOf } from './slice-internals.ts';
import { type PlacedSlices, type SliceStates, withState } from './slice-layout.ts';
import type { SliceState } from './slice-state.ts';

/**
 * Everything a session holds at one moment. Immutable, but for a layout that grows. A session has tens of slices, so that copying a
 * list at a change is cheap, and reading is one look-up.
 */
export interface SessionState extends PlacedSlices {
  /** LOG slices. */
  readonly logs: SliceStates;
}

/** The state of one slice of either policy. */
export function sliceStateIn(state: SessionState, slice: StoredSlice): SliceState {
  const place = state.layout.get(slice.name);
  const states = slice.policy === 'log' ? state.logs : state.slices;
  return (place === undefined ? undefined : states[place]) ?? internalsOf(slice).initial;
}

/** The same session state with one slice changed; the very same object when nothing changes. */
export function withSliceState(state: SessionState, slice: StoredSlice, next: SliceState): SessionState {
  const place = state.layout.get(slice.name);
  if (place === undefined) {
    throw new SessionError('slice-unknown', `Slice ${slice.name} is not installed in this session.`, {
      details: { slice: slice.name },
    });
  }
  const { layout, slices, logs } = state;
  const states = slice.policy === 'log' ? logs : slices;
  if (next === (states[place] ?? internalsOf(slice).initial)) return state;
  const changed = place < states.length ? states.with(place, next) : withState(states, place, next);
  return slice.policy === 'log' ? { layout, slices, logs: changed } : { layout, slices: changed, logs };
}

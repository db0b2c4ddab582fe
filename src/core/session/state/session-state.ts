import { SessionError } from '../../error/index.ts';
import type { StoredSlice } from '../slice/slice.ts';
import { internalsOf } from '../slice/slice-internals.ts';
import type { SliceState } from '../slice/slice-state.ts';

/** The place of each slice, by name, in the lists of all states of one session. It only ever grows. */
export type SliceLayout = ReadonlyMap<string, number>;

/** The states of slices at their places. A slice that was never written has none and holds its initial items. */
export type SliceStates = readonly (SliceState | undefined)[];

/** STATE slices and where to find them. */
export interface PlacedSlices {
  readonly layout: SliceLayout;
  readonly slices: SliceStates;
}

/** The same list with another state at one place. */
export function withState(states: SliceStates, place: number, next: SliceState | undefined): SliceStates {
  const changed = [...states];
  while (changed.length < place) changed.push(undefined);
  changed[place] = next;
  return changed;
}

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

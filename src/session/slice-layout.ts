import type { SliceState } from './slice-state.ts';

/** The place of each slice, by name, in the lists of all states of one session. It only ever grows. */
export type SliceLayout = ReadonlyMap<string, number>;

/** The states of slices at their places. One that was never written has none and stands at its initial items. */
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

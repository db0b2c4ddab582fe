import type { StoredSlice } from '../slice/slice.ts';
import type { Registry } from './registry.ts';
import type { SessionState } from './session-state.ts';
import { type StateDifference, stateDifference, wholeState } from './state-difference.ts';

/** The state of a session or fork at one moment, LOG slices included, to compare a later one with. Opaque, and a reference. */
export class StateMark {
  readonly #state: SessionState;

  constructor(state: SessionState) {
    this.#state = state;
  }

  /** All items of some slices at that moment. A slice that was installed later has its initial ones. */
  wholeState(slices: Iterable<StoredSlice>): StateDifference {
    return wholeState(slices, this.#state);
  }

  /** @param registry of the session that the mark is of. */
  differenceTo(registry: Registry, later: SessionState): StateDifference {
    return stateDifference(registry, this.#state, later);
  }
}

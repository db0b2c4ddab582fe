import { SnapshotError } from '../../error/index.ts';
import {
  type PlacedSlices,
  type SessionState,
  type SliceLayout,
  type SliceStates,
  withState,
} from '../state/session-state.ts';
import { type SessionSnapshot, StateSnapshot } from '../state/snapshot.ts';
import type { StateCell } from './state-cell.ts';

/**
 * The state after going back to a snapshot: STATE slices as they were then, LOG slices as they are.
 * @param keepsSystemState whether the runtime's own state stays too, as it does inside a tool call.
 * @throws {SnapshotError} codes `snapshot-foreign`, `snapshot-slice-unknown`.
 */
export function restoredState(
  cell: StateCell,
  state: SessionState,
  snapshot: SessionSnapshot,
  keepsSystemState: boolean,
): SessionState {
  const { layout, logs } = state;
  const content = StateSnapshot.open(snapshot, cell.lineage);
  let slices = content.layout === layout ? content.slices : placedBy(layout, content);
  if (keepsSystemState) {
    for (const { name, systemState } of cell.registry.slices().values()) {
      const place = systemState ? layout.get(name) : undefined;
      if (place !== undefined) slices = withState(slices, place, state.slices[place]);
    }
  }
  return { layout, slices, logs };
}

/** The slices of a snapshot of another session of the lineage at their places in this one. */
function placedBy(layout: SliceLayout, content: PlacedSlices): SliceStates {
  let slices: SliceStates = [];
  for (const [name, placeThere] of content.layout) {
    const held = content.slices[placeThere];
    if (held === undefined) continue;
    const place = layout.get(name);
    if (place === undefined) {
      throw new SnapshotError(
        'snapshot-slice-unknown',
        `The snapshot holds slice ${name}, which is not installed in this session. Install it first.`,
        {
          details: { slice: name },
        },
      );
    }
    slices = withState(slices, place, held);
  }
  return slices;
}

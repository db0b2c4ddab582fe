import { SnapshotError } from '../error/index.ts';
import type { SessionState } from './session-state.ts';
import type { StoredSlice } from './slice.ts';
import { openSnapshot, type SessionSnapshot } from './snapshot.ts';
import type { StateCell } from './state-cell.ts';

/**
 * The state after going back to a snapshot: STATE slices as they were then, LOG slices as they are.
 * @param keepsSystemState whether the runtime's own state stays too, as it does inside a tool call.
 * @throws {SnapshotError} codes `snapshot-foreign`, `snapshot-unknown-slice`.
 */
export function restoredState(
  cell: StateCell,
  state: SessionState,
  snapshot: SessionSnapshot,
  keepsSystemState: boolean,
): SessionState {
  let slices = openSnapshot(snapshot, cell.lineage);
  for (const name of slices.keys()) {
    if (!cell.registry.slices().has(name)) {
      throw new SnapshotError(
        'snapshot-unknown-slice',
        `The snapshot holds slice ${name}, which is not installed in this session. Install it first.`,
        {
          details: { slice: name },
        },
      );
    }
  }
  if (keepsSystemState) {
    for (const slice of cell.registry.slices().values()) {
      if (!slice.systemState) continue;
      const present = state.slices.get(slice.name);
      slices = present === undefined ? slices.delete(slice.name) : slices.set(slice.name, present);
    }
  }
  return { slices, logs: state.logs };
}

/** The slices that a restore inside a fork replaces. */
export function restorableSlices(cell: StateCell): readonly StoredSlice[] {
  return [...cell.registry.slices().values()].filter(
    (slice) => slice.policy === 'state' && !slice.systemState,
  );
}

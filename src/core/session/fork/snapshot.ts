import { SnapshotError } from '../../error/index.ts';
import {
  type Lineage,
  type PlacedSlices,
  type SessionState,
  type SliceLayout,
  type SliceStates,
  type StateCell,
  withState,
} from '../state/cell.ts';
import type { SessionSnapshot } from '../state/patch.ts';

/** The only implementation of {@link SessionSnapshot}. */
export class StateSnapshot implements SessionSnapshot {
  readonly kind = 'session-snapshot';
  readonly sessionId: string;
  readonly #lineage: Lineage;
  readonly #state: PlacedSlices;

  constructor(sessionId: string, lineage: Lineage, { layout, slices }: PlacedSlices) {
    this.sessionId = sessionId;
    this.#lineage = lineage;
    // A snapshot of the whole state would keep the LOG slices alive.
    this.#state = { layout, slices };
    Object.freeze(this);
  }

  /**
   * The slices that a snapshot holds.
   * @throws {SnapshotError} code `snapshot-foreign` when it was taken from an unrelated session, or is not a snapshot.
   */
  static open(snapshot: SessionSnapshot, lineage: Lineage): PlacedSlices {
    // Not `instanceof`: a Proxy of a snapshot passes that, and has no private fields.
    if (#lineage in snapshot && snapshot.#lineage === lineage) return snapshot.#state;
    throw new SnapshotError(
      'snapshot-foreign',
      'The snapshot was not taken from this session. Restore it into the session it came from, or into a clone of that.',
    );
  }
}

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

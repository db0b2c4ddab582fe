import { SnapshotError } from '../../error/index.ts';
import type { PlacedSlices } from './session-state.ts';

/** All STATE slices of a session at one moment. Opaque; a reference to immutable data, so taking and keeping one is cheap. */
export interface SessionSnapshot {
  readonly kind: 'session-snapshot';
  /** The session it was taken from. */
  readonly sessionId: string;
}

/** What a session, its clones and its forks share, so that a snapshot of one fits the others. @internal */
export type Lineage = object;

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

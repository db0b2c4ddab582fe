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

interface Content {
  readonly lineage: Lineage;
  readonly state: PlacedSlices;
}

const contents = new WeakMap<SessionSnapshot, Content>();

/** @internal */
export function makeSnapshot(sessionId: string, lineage: Lineage, state: PlacedSlices): SessionSnapshot {
  const snapshot: SessionSnapshot = Object.freeze({ kind: 'session-snapshot', sessionId });
  contents.set(snapshot, { lineage, state: { layout: state.layout, slices: state.slices } });
  return snapshot;
}

/**
 * The slices that a snapshot holds.
 * @throws {SnapshotError} code `snapshot-foreign` when it was taken from an unrelated session, or is no snapshot.
 * @internal
 */
export function openSnapshot(snapshot: SessionSnapshot, lineage: Lineage): PlacedSlices {
  const content = contents.get(snapshot);
  if (content === undefined || content.lineage !== lineage) {
    throw new SnapshotError(
      'snapshot-foreign',
      'The snapshot was not taken from this session. Restore it into the session it came from, or into a clone of that.',
    );
  }
  return content.state;
}

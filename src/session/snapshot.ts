import { SnapshotError } from '../error/index.ts';
import type { SessionState } from './session-state.ts';

/** All STATE slices of a session at one moment. Opaque; a reference to immutable data, so taking and keeping one is cheap. */
export interface SessionSnapshot {
  readonly kind: 'session-snapshot';
  /** The session it was taken from. */
  readonly sessionId: string;
}

/** What a session, its clones and its forks share, so that a snapshot of one fits the others. @internal */
export type Lineage = object;

/** The STATE slices of a snapshot. @internal */
export type SnapshotContent = Pick<SessionState, 'layout' | 'slices'>;

interface Content {
  readonly lineage: Lineage;
  readonly state: SnapshotContent;
}

const contents = new WeakMap<SessionSnapshot, Content>();

/** @internal */
export function makeSnapshot(sessionId: string, lineage: Lineage, state: SnapshotContent): SessionSnapshot {
  const snapshot: SessionSnapshot = Object.freeze({ kind: 'session-snapshot', sessionId });
  contents.set(snapshot, { lineage, state: { layout: state.layout, slices: state.slices } });
  return snapshot;
}

/**
 * The slices that a snapshot holds.
 * @throws {SnapshotError} code `snapshot-foreign` when it was taken from an unrelated session, or is no snapshot.
 * @internal
 */
export function openSnapshot(snapshot: SessionSnapshot, lineage: Lineage): SnapshotContent {
  const content = contents.get(snapshot);
  if (content === undefined || content.lineage !== lineage) {
    throw new SnapshotError(
      'snapshot-foreign',
      'The snapshot was not taken from this session. Restore it into the session it came from, or into a clone of that.',
    );
  }
  return content.state;
}

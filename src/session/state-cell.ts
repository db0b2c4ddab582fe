import type { DispatchedEvent, LogAppend, SessionOperation } from './patch.ts';
import type { Recorder } from './read-set.ts';
import type { Registry } from './registry.ts';
import type { SessionState } from './session-state.ts';
import type { Lineage } from './snapshot.ts';

/** The present state of a session or fork, who hears what is read, and where changes go. */
export interface StateCell {
  readonly sessionId: string;
  readonly registry: Registry;
  readonly lineage: Lineage;
  /** Undefined on a root session, where reading needs no record. */
  readonly recorder: Recorder | undefined;
  /** True in a fork: a restore leaves the runtime's own state alone. */
  readonly isFork: boolean;
  readonly current: SessionState;
  /** Takes a change in. Cannot fail. */
  commit(change: Change): void;
}

/** A new state, and how it came about. */
export interface Change {
  readonly next: SessionState;
  readonly operations?: readonly SessionOperation[];
  readonly log?: readonly LogAppend[];
  readonly events?: readonly DispatchedEvent[];
}

/** A right to use a cell: it can end, and it can be limited to reading. */
export interface Access {
  readonly cell: StateCell;
  /** Throws when the cell may not be used: the transaction is closed, the session is disposed, or a reducer is running. */
  assertUsable(use: 'read' | 'write'): void;
  /** STATE may not be written; LOG may. */
  readonly isReadOnly: boolean;
}

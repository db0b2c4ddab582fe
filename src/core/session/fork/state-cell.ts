import type { DispatchedEvent } from '../event/event.ts';
import type { LogAppend, SessionOperation } from '../state/patch.ts';
import type { Registry } from '../state/registry.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Lineage } from '../state/snapshot.ts';
import type { ReadRecorder } from './read-set.ts';

/** Who uses a cell: the handler of a tool call, whose part may end first, or anybody else. */
export type Part = 'handler' | 'privileged';

/** The present state of a session or fork, the recorder of its reads, and the target of its changes. */
export interface StateCell {
  readonly sessionId: string;
  readonly registry: Registry;
  readonly lineage: Lineage;
  /** Undefined on a root session, where reading needs no record. */
  readonly recorder: ReadRecorder | undefined;
  /** True in a fork: a restore leaves the runtime's own state alone. */
  readonly isFork: boolean;
  readonly current: SessionState;
  /** Throws when the cell may not be used: the transaction is closed, the session is disposed, or a reducer is running. */
  assertUsable(use: 'read' | 'write', part: Part): void;
  /** Takes a change in: the new state, and how it came about. Cannot fail. */
  commit(
    next: SessionState,
    operation: SessionOperation | undefined,
    log: readonly LogAppend[],
    event: DispatchedEvent | undefined,
  ): void;
}

/** A right to use a cell: it can end, and it can be limited to reading. */
export interface Access {
  readonly cell: StateCell;
  readonly part: Part;
  /** STATE may not be written; LOG may. */
  readonly isReadOnly: boolean;
}

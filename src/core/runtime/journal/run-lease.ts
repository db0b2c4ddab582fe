import type { RunInbox } from './run-inbox.ts';

/** What tells a lease from every other one. Plain JSON. */
export interface RunLeaseIdentity {
  /** A random name of its owner. */
  readonly owner: string;
  /** Grows with each owner of the session. */
  readonly epoch: number;
}

/** The right to write the runs of one session, until it is released, lost, or not renewed in time. */
export interface RunLease extends RunLeaseIdentity {
  readonly sessionId: string;
  /** The owner that had the lease until this one was given: its time was up, or its process had ended. Absent: there was none, or the journal does not know it. */
  readonly formerOwner?: string;
  /** Aborted when the lease is lost, with a `JournalFencedError` as its reason: someone else may write. */
  readonly signal: AbortSignal;
  /**
   * False once the lease was released or lost, and while it has run out by the clock of the journal. To be asked right before something is changed that another owner
   * may have by now: a process that was stopped gets no signal before it continues.
   */
  isHeld(): boolean;
  /**
   * Calls `onMessage` when the journal notices that a message waits for a run of the session: at once where it is sent through the same journal, at the latest when the lease is
   * renewed. It must not throw.
   *
   * @returns ends it. So does the end of the lease.
   */
  watch(runId: string, onMessage: (inbox: RunInbox) => void): () => void;
  /** Gives the lease back. Never rejects; releasing twice does nothing. */
  release(): Promise<void>;
}

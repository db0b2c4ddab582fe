import type {
  JournalBatch,
  JournaledRun,
  JournalRow,
  RunFilter,
  RunInbox,
  RunLeaseIdentity,
  RunMessage,
} from '../../../core/runtime/index.ts';
import type { ProcessIdentity } from '../../../host/lock/index.ts';
import type { Remote } from '../../../host/remote/index.ts';

/** What identifies a lease in the database. */
export interface LeaseKey extends RunLeaseIdentity {
  readonly sessionId: string;
}

/** A lease that was given. */
export interface AcquiredLease {
  readonly epoch: number;
  /** The owner that had the session until now, whether its time was up or not; undefined: there was none. */
  readonly formerOwner: string | undefined;
}

/** When an operation is done, and by which process. Plain JSON. */
export interface Moment {
  /** Milliseconds since the Unix epoch, by the clock of the journal. */
  readonly nowMs: number;
  /** How long a lease lasts that is given or renewed now, in milliseconds. */
  readonly timeoutMs: number;
  /** Milliseconds since the machine has started, which no one can set; absent with a clock of the caller. */
  readonly tickMs?: number;
  readonly process: ProcessIdentity;
}

/** What is done on the tables of a journal. Each is one transaction, and changes nothing when it throws. */
export interface JournalOperations {
  /** @throws {JournalFencedError} with `details.epoch` when it is because of the lease. */
  append(batch: JournalBatch, lease: LeaseKey, moment: Moment): RunInbox;
  read(runId: string, from: number): readonly JournalRow[];
  /**
   * @param ended a lease that is taken over although its time is not up; undefined: none.
   * @throws {SessionBusyError}
   */
  acquire(
    sessionId: string,
    owner: string,
    moment: Moment,
    ended: RunLeaseIdentity | undefined,
  ): AcquiredLease;
  /** @returns the owners of those leases that are lost: others have them. */
  renew(leases: readonly LeaseKey[], moment: Moment): readonly string[];
  release(lease: LeaseKey): void;
  /** @returns the owner that had the lease, if there was one. */
  revoke(sessionId: string): string | undefined;
  /** @returns what waits then; undefined for an unknown run. */
  send(runId: string, message: RunMessage): RunInbox | undefined;
  messages(runId: string): readonly RunMessage[];
  /** What waits in the inboxes of these runs, in their order. */
  inboxes(runIds: readonly string[]): readonly RunInbox[];
  runs(filter: RunFilter, moment: Moment): readonly JournaledRun[];
  /** @throws {SessionBusyError} */
  remove(runId: string, lease: LeaseKey | undefined, moment: Moment): void;
}

/** Name of an operation. */
export type JournalMethod = keyof JournalOperations;

/** The same operations, done elsewhere or later. */
export type JournalBackend = Remote<JournalOperations> & {
  /** Ends the use of the database. Never rejects. */
  close(): Promise<void>;
};

import type {
  BudgetPeriod,
  BudgetRequest,
  BudgetShare,
  BudgetSpending,
  BudgetSpends,
  JournalBatch,
  JournaledRun,
  JournalRow,
  KeptOnce,
  OnceAnswer,
  OnceCall,
  OnceFilter,
  OnceKey,
  OnceOutcome,
  OncePurpose,
  RunFilter,
  RunInbox,
  RunLeaseIdentity,
  RunMessage,
} from '../../core/runtime/index.ts';

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
export interface LeaseMoment {
  /** Milliseconds since the Unix epoch, by the clock of the journal. A database that several machines share uses its own clock instead, unless it was given one. */
  readonly nowMs: number;
  /** How long a lease lasts that is given or renewed now, in milliseconds. */
  readonly timeoutMs: number;
  /** Milliseconds since the machine has started, which no one can set; absent with a clock of the caller. */
  readonly tickMs?: number;
  /** Names the process that asks; it is kept with the lease. `''`: it has no name. */
  readonly holder: string;
}

/**
 * What a journal does on the tables of its ledger. `answerOnce()` and its siblings decide: a backend reads the row of a key, or of a budget, and writes what they return, in one transaction.
 *
 * @see docs/spec/durable-runs.md §17
 */
export interface LedgerBackend {
  /**
   * Where the time of the lease is up and no other owner has the session, it is renewed.
   *
   * @throws {JournalFencedError} with `details.epoch` when the lease is not the session's present one.
   */
  once(call: OnceCall, lease: LeaseKey, purpose: OncePurpose, moment: LeaseMoment): Promise<OnceAnswer>;
  /** The keys that a filter lists, the one that was changed last first. */
  onceKeys(filter: OnceFilter, moment: LeaseMoment): Promise<readonly KeptOnce[]>;
  /** Changes a key in doubt. @returns what it was until now; undefined for an unknown one. */
  settleOnce(key: OnceKey, outcome: OnceOutcome, moment: LeaseMoment): Promise<KeptOnce | undefined>;
  /** Removes the keys that were done before. @returns how many. */
  pruneOnce(beforeMs: number): Promise<number>;
  /**
   * Reserves for a run, or gives back, as `reserveShare()` says. Where the time of the lease is up and no other owner has the session, it is renewed.
   *
   * @throws {JournalFencedError} with `details.epoch` when the lease is not the session's present one.
   */
  reserve(request: BudgetRequest, lease: LeaseKey, moment: LeaseMoment): Promise<BudgetShare>;
  /** Counts what a source has spent, as `spendMore()` says. */
  spend(source: string, spends: BudgetSpends, moment: LeaseMoment): Promise<void>;
  /** The budgets that a filter lists, the one that was changed last first, as `spendingOf()` says. */
  budgets(filter: Partial<BudgetPeriod>, moment: LeaseMoment): Promise<readonly BudgetSpending[]>;
  /** Removes the budgets of periods that are over, as `isOverSince()` says. @returns how many. */
  pruneBudgets(beforeMs: number, moment: LeaseMoment): Promise<number>;
}

/**
 * What a journal does on its tables, for {@link leasedJournal}. Each operation is one transaction, and changes nothing when it rejects; all of them can be asked for at the
 * same time.
 *
 * A backend rejects with `JournalFencedError`, `SessionBusyError` and `JournalError` where it says so here. Every other error is the cause of a `JournalError` with the code
 * `journal-failed`: the writer of a run tries again for as long as its lease is held, and recognizes rows that were written although the answer was lost.
 *
 * @see docs/spec/durable-runs.md §1
 */
export interface JournalBackend {
  /**
   * Appends rows, takes the messages that the batch takes, changes the keys of the ledger that it changes, and counts what it says of budgets. Where the time of the lease is up and no other owner has the session, it is renewed.
   *
   * @returns what waits in the inbox of the run then.
   * @throws {JournalFencedError} with `details.epoch` when the lease is not the session's present one; without it when the rows do not follow the last one of the run, or a call that
   * begins does not have its key.
   */
  append(batch: JournalBatch, lease: LeaseKey, moment: LeaseMoment): Promise<RunInbox>;
  /** The rows of a run from a number on, in order; none for an unknown run. */
  read(runId: string, from: number): Promise<readonly JournalRow[]>;
  /**
   * @param owner the name of the new owner, which no other one has.
   * @param ended a lease that is taken over although its time is not up; undefined: none.
   * @throws {SessionBusyError} while another owner has the session.
   */
  acquire(
    sessionId: string,
    owner: string,
    moment: LeaseMoment,
    ended: RunLeaseIdentity | undefined,
  ): Promise<AcquiredLease>;
  /** @returns the owners of those leases that are lost: others have them. */
  renew(leases: readonly LeaseKey[], moment: LeaseMoment): Promise<readonly string[]>;
  /** Gives a lease back; does nothing when it is not the session's present one. */
  release(lease: LeaseKey): Promise<void>;
  /** @returns the owner that had the lease, if there was one. */
  revoke(sessionId: string): Promise<string | undefined>;
  /** @returns what waits then; undefined for an unknown run. */
  send(runId: string, message: RunMessage): Promise<RunInbox | undefined>;
  /** The messages that wait for a run, in the order in which they were sent; none for an unknown run. */
  messages(runId: string): Promise<readonly RunMessage[]>;
  /** What waits in the inboxes of these runs, in their order. */
  inboxes(runIds: readonly string[]): Promise<readonly RunInbox[]>;
  /** The runs that a filter lists, in its order. `moment` says which leases are held, and which runs are ready. */
  runs(filter: RunFilter, moment: LeaseMoment): Promise<readonly JournaledRun[]>;
  /** @throws {SessionBusyError} while another lease than the given one holds the session. */
  remove(runId: string, lease: LeaseKey | undefined, moment: LeaseMoment): Promise<void>;
  /** Its ledger. Default: it has none, and tools with `once` are refused. */
  readonly ledger?: LedgerBackend;
  /** Ends the use of the database. Never rejects. */
  close(): Promise<void>;
  /** Whether an error says that what is stored is damaged, so that trying again does not help. Must not throw. Default: no error says so. */
  isDamage?(error: unknown): boolean;
  /**
   * Asks to be called when the leases of this process are lost, such as when what had been answered was undone. The listener does not throw. Default: that does not happen.
   */
  onLoss?(listener: (cause: unknown) => void): void;
}

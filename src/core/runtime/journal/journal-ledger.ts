import type {
  BudgetPeriod,
  BudgetRequest,
  BudgetShare,
  BudgetSpending,
  BudgetSpends,
} from './journal-spending.ts';
import type { RunLease } from './run-lease.ts';

/** Names what tools do once: of all calls of the tool with this key, in all runs of a journal, one does it. */
export interface OnceKey {
  readonly toolName: string;
  /** What `once` of the tool says of the call. */
  readonly key: string;
}

/** A call that wants to do what its key names. Plain JSON. */
export interface OnceCall extends OnceKey {
  /** Hash of the arguments: calls of one key do the same only with the same arguments. */
  readonly digest: string;
  /** The idempotency key of the call, the same for all its attempts and after a crash. */
  readonly call: string;
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
}

/**
 * What a ledger says of the key of a call.
 *
 * - `free`: no call does it, or has done it.
 * - `done`: a call with the same arguments did it; `result` is what the model read.
 * - `differs`: a call with other arguments did it, or does.
 * - `busy`: another call does it now, or finds out whether it was done.
 * - `in-doubt`: a call may have done it. `began` is the idempotency key of that call.
 */
export type OnceAnswer =
  | { readonly kind: 'free' | 'differs' | 'busy' }
  | { readonly kind: 'done'; readonly result: string }
  | { readonly kind: 'in-doubt'; readonly began: string };

/** Why a ledger is asked. `begin`: the call does it where it is free, and finds out where it is in doubt; it has the key then. `find-out`: the call has the key only where it is in doubt. */
export type OncePurpose = 'begin' | 'find-out';

/**
 * What becomes of a key, in one transaction with rows of the run of the call.
 *
 * - `begun`: the handler begins: from here on it may have been done. Only for a call that has the key.
 * - `done`: it was done, also where another call has the key.
 * - `not-done`: it was not done: the key is free. Changes nothing unless the call has the key.
 * - `in-doubt`: it may have been done; the call does not have the key any more. Changes nothing unless it has.
 */
export type OnceChange = OnceCall &
  (
    | { readonly kind: 'begun' | 'not-done' | 'in-doubt' }
    | {
        readonly kind: 'done';
        /** What the model reads of it, at most 20,000 characters. */
        readonly result: string;
      }
  );

/** Whether a call of a key did it: for `settle()`, from someone who knows. */
export type OnceOutcome =
  | { readonly kind: 'not-done' }
  | {
      readonly kind: 'done';
      /** What the next call of the key returns, at most 20,000 characters. */
      readonly result: string;
      /** Milliseconds since the Unix epoch. */
      readonly atMs: number;
    };

/** A key of a ledger, for lists. */
export interface KeptOnce extends OnceKey {
  /** `begun`: a call does it now, or is about to. `in-doubt`: a call may have done it, and its owner is gone. */
  readonly state: 'begun' | 'done' | 'in-doubt';
  /** The idempotency key of the call that did it, or may have: its run, its turn and its id. */
  readonly call: string;
  /** Milliseconds since the Unix epoch: when this state began. */
  readonly atMs: number;
  /** What the model read; present when it was done. */
  readonly result?: string;
}

/** Which keys a ledger lists, the last ones first. */
export interface OnceFilter {
  readonly toolName?: string;
  readonly key?: string;
  readonly state?: KeptOnce['state'];
}

/**
 * Rows of the database of a journal that belong to no run: what tools have done once, and what runs have spent of budgets. They are as secret as the rows of runs, and outlive them.
 *
 * @see docs/spec/durable-runs.md §17
 */
export interface JournalLedger {
  /**
   * Asks for a key, and takes it where the purpose says so. The owner of a key is alive while the lease is held that it was taken with. Asking again changes nothing.
   *
   * @param lease that of the session of the call.
   * @throws {JournalFencedError} when the lease is not the session's present one.
   */
  once(call: OnceCall, lease: RunLease, purpose: OncePurpose): Promise<OnceAnswer>;
  /** The keys that a filter lists. Default: all, the one that was changed last first. */
  onceKeys(filter?: OnceFilter): Promise<readonly KeptOnce[]>;
  /**
   * Says whether a key in doubt was done.
   *
   * @returns what the key was until now: only one in doubt is changed. Undefined for an unknown key.
   */
  settleOnce(key: OnceKey, outcome: OnceOutcome): Promise<KeptOnce | undefined>;
  /**
   * Forgets the keys that were done before this time, in milliseconds since the Unix epoch: what they name can be done again.
   *
   * @returns how many they were.
   */
  pruneOnce(beforeMs: number): Promise<number>;
  /**
   * Reserves a part of a budget for a run, or gives it back. What is reserved under a lease that has ended is free as soon as another run needs it. Asking again changes nothing.
   *
   * @param lease that of the session of the run.
   * @throws {JournalFencedError} when the lease is not the session's present one.
   */
  reserve(request: BudgetRequest, lease: RunLease): Promise<BudgetShare>;
  /** Counts what was spent when its run could not write rows any more. @param source names it, and no run. */
  spend(source: string, spends: BudgetSpends): Promise<void>;
  /** What was spent of budgets, for those of this name and this period. Default: all, the one that was changed last first. */
  budgets(filter?: Partial<BudgetPeriod>): Promise<readonly BudgetSpending[]>;
  /**
   * Forgets what was spent of budgets in periods that nothing has changed since this time, in milliseconds since the Unix epoch. One that a run has reserved from which holds its lease
   * stays, and so does one of which the time is not known. What is spent in such a period later begins at nothing.
   *
   * @returns how many periods they were.
   */
  pruneBudgets(beforeMs: number): Promise<number>;
}

import type { BudgetExceededError } from '../../error/index.ts';
import type {
  Budget,
  BudgetTrackerPort,
  SharedBudgetPort,
  TokenPrices,
  TokenUsage,
} from '../../tool/index.ts';
import type { JournalLedger } from '../journal/journal-ledger.ts';
import type { BudgetRequest, BudgetShare, BudgetSpends } from '../journal/journal-spending.ts';

/** What counts the turns of a run against limits. */
export interface RunTracker extends BudgetTrackerPort {
  readonly budget: Budget;
  /** True when there is something to hold to. */
  readonly isLimited: boolean;
  /** Whether an answer has not been counted yet; it is from now on. */
  takes(answer: object): boolean;
  /** Counts a turn, with an estimate of the counts that were not reported. */
  countTurn(usage: TokenUsage | undefined, prices: TokenPrices | undefined, estimate: TokenUsage): void;
  /** Says why nothing may be spent any more; undefined while something may. */
  refuse(): BudgetExceededError | undefined;
  /** Says why a turn that takes this at least must not begin; undefined when it may. */
  refuseTurn(atLeast: TokenUsage, prices: TokenPrices | undefined): BudgetExceededError | undefined;
  /** True for an error that this tracker made. */
  hasRefused(error: unknown): boolean;
}

/** What one run has of a budget over several runs. */
export interface RunShare extends RunTracker {
  readonly kind: 'run-share';
  /** Whether it is the share in this budget, in this period. */
  isOf(budget: string, period: string): boolean;
  /** Reserves what the next turn may take, before it is asked for. Never rejects. Undefined: it has that. */
  ready(): Promise<void> | undefined;
  /** What its rows do not have yet; none when they have all. */
  unwritten(): readonly BudgetSpends[];
  /** These are in the ledger now. */
  written(spends: readonly BudgetSpends[]): void;
  /** The run has ended: the rest is given back, and what is counted from now on is written without its rows. Never rejects. */
  end(): Promise<void>;
}

/** A run with a journal, as a budget over several runs sees it. */
export interface SpendingRun {
  readonly runId: string;
  /** That of its journal. */
  readonly ledger: JournalLedger;
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Whether the rows of the run answer, as they did before: then nothing is spent. */
  isResuming(): boolean;
  /** Makes durable what the run has spent so far. */
  flush(): Promise<void>;
  /** Asks the ledger, again while it fails. */
  reserve(request: BudgetRequest): Promise<BudgetShare>;
  /** Writes what was spent after the end of the run. Never rejects. */
  spendLate(spends: BudgetSpends): Promise<void>;
}

/** Limits that several runs share: what `sharedBudget()` of `weakincentives/durable` returns. */
export interface SharedBudget extends SharedBudgetPort {
  /** @internal Name of the period of a time. */
  '~periodOf'(atMs: number): string;
  /**
   * @internal The share of a run.
   * @throws {PromptValidationError} for a run with another journal.
   */
  '~open'(run: SpendingRun): Promise<RunShare>;
}

/** Whether what was given as a budget is one over several runs. */
export function isSharedBudget(given: unknown): given is SharedBudget {
  return typeof given === 'object' && given !== null && '~open' in given;
}
